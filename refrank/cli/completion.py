"""`refrank completion`: a script by which bash, zsh or fish completes commands, flags and their values.

Everything in it comes from the parsers. `eval "$(refrank completion bash)"` in `~/.bashrc`, the same with zsh in
`~/.zshrc`, and `refrank completion fish | source` in `~/.config/fish/config.fish` turn it on.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote

from refrank.cli.commands import list_commands, make_parser

SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True)
class Completions:
    """The words that may come after those of a command, such as `train gbrt`."""

    words: str  # of the command, after `refrank`
    parts: dict[str, str]  # words that may follow, with what they do; none: files
    flags: dict[str, str]  # with what they do
    choices: dict[str, list[str]]  # values of the flags that have a list of them


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the argument of `refrank completion`."""
    command.add_argument("shell", choices=SHELLS, help="the shell that reads the script")


def run(shell: str) -> int:
    """Print the script of a shell."""
    places = [*list_places()]
    print("\n".join(write_fish(places) if shell == "fish" else write_bash(places, shell)))
    return 0


def list_places() -> Iterator[Completions]:
    """List the places of the command line, that of the commands first."""
    root = make_parser([])
    yield describe_place("", root)
    for name in list_commands():
        [parts] = (action for action in make_parser([name])._actions if isinstance(action, argparse._SubParsersAction))
        yield from walk_parts(name, parts.choices[name])


def walk_parts(words: str, parser: argparse.ArgumentParser) -> Iterator[Completions]:
    """List the place of a command, and those of its parts."""
    yield describe_place(words, parser)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, part in action.choices.items():
                yield from walk_parts(f"{words} {name}", part)


def describe_place(words: str, parser: argparse.ArgumentParser) -> Completions:
    """Describe the place where a parser reads."""
    parts: dict[str, str] = {}
    flags: dict[str, str] = {}
    choices: dict[str, list[str]] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            parts |= {choice.dest: choice.help or "" for choice in action._choices_actions}
        elif not action.option_strings and action.choices:
            parts |= {str(choice): "" for choice in action.choices}
        for flag in action.option_strings:
            flags[flag] = (action.help or "").replace("%%", "%")
            if action.choices:
                choices[flag] = [str(choice) for choice in action.choices]
    return Completions(words, parts, flags, choices)


BASH = """\
_refrank() {
    local place= word current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} offers=
    for word in "${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
        case "${place:+$place }$word" in
            @PLACES@) place="${place:+$place }$word" ;;
        esac
    done
    case "$place $previous" in
@VALUES@
        *)
            case "$place" in
@WORDS@
            esac ;;
    esac
    COMPREPLY=($(compgen -W "$offers" -- "$current"))
}
complete -o default -F _refrank refrank"""


def write_bash(places: list[Completions], shell: str) -> Iterator[str]:
    """Write the script of bash, which zsh reads too, once it knows bash's `complete`."""
    values = [
        f"        {quote(f'{place.words} {flag}')}) offers={quote(' '.join(words))} ;;"
        for place in places
        for flag, words in place.choices.items()
    ]
    words = [f"                {quote(p.words)}) offers={quote(' '.join([*p.parts, *p.flags]))} ;;" for p in places]
    names = "|".join(quote(place.words) for place in places if place.words)
    if shell == "zsh":
        yield "autoload -U +X compinit bashcompinit && compinit -u && bashcompinit"
    yield BASH.replace("@PLACES@", names).replace("@VALUES@", "\n".join(values)).replace("@WORDS@", "\n".join(words))


def write_fish(places: list[Completions]) -> Iterator[str]:
    """Write the script of fish, with what each word does."""
    yield "function __refrank_at"
    yield "    set -l place"
    yield "    for word in (commandline -opc)[2..]"
    names = " ".join(quote(place.words) for place in places if place.words)
    yield f'        contains -- (string join -- " " $place $word) {names}; and set -a place $word'
    yield "    end"
    yield '    set -l at (string join -- " " $place)'
    yield '    test "$at" = "$argv"'
    yield "end"
    for place in places:
        at = f"complete -c refrank -n {quote(f'__refrank_at {place.words}'.strip())}"
        for word, help in place.parts.items():
            yield f"{at} -f -a {quote(word)} -d {quote(shorten(help))}"
        for flag, help in place.flags.items():
            name = f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
            values = f" -x -a {quote(' '.join(place.choices[flag]))}" if flag in place.choices else ""
            yield f"{at} {name}{values} -d {quote(shorten(help))}"


def shorten(help: str) -> str:
    """Keep the first clause of a help text, for one line of a terminal.

    >>> shorten("Where T starts: 0, as printed, or the mean target. Default zero")
    'Where T starts'
    """
    return help.partition(": ")[0].partition("; ")[0].partition(". ")[0]
