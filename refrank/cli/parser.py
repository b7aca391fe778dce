"""The parser of every command: a fault is one line that names the word, suggests the right one, and points to help."""

import argparse
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import takewhile
from typing import Any, NoReturn

from refrank.checks import print_text
from refrank.cli.other_tools import find_foreign


def say(message: str, code: int) -> int:
    """Write a message to standard error as one line; return the exit code."""
    print(write_line(message), file=sys.stderr)
    return code


def write_line(message: str) -> str:
    """Write a message of a command as one line.

    >>> write_line("warning: two  words")
    'refrank: warning: two words'
    """
    return f"refrank: {print_text(' '.join(message.split()), 560)}"


@contextmanager
def write_warnings() -> Iterator[None]:
    """Write the warnings of the library as other messages of a command; Python names its own line in each."""
    usual = warnings.formatwarning
    warnings.formatwarning = lambda message, *_: f"{write_line(f'warning: {message}')}\n"
    try:
        yield
    finally:
        warnings.formatwarning = usual


class OneLineParser(argparse.ArgumentParser):
    """A parser that reports a fault in one line and leaves the rest to --help."""

    arrange: Callable[[list[str]], list[str]] | None = None  # puts the name of a part first
    elsewhere: Mapping[str, str] = {}
    place = ""  # of the words, where they are not those of the command line

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse words; the parser of a command, not the one above it, refuses the flags that the command lacks."""
        words = list(sys.argv[1:] if args is None else args)
        if self.arrange is not None:
            words = self.arrange(words)
        if self._subparsers is None:
            words = [*self.join_values(words)]
        self.check_words(words if self._subparsers is None else takewhile(is_flag, words))
        parsed, extras = super().parse_known_args(words, namespace)
        if extras:
            self.error(f"unrecognized arguments: {' '.join(extras)}")
        if self._subparsers is None:
            parsed.prog = self.prog
        return parsed, extras

    def join_values(self, words: Sequence[str]) -> Iterator[str]:
        """Join a flag and its value if argparse would take the value for a flag, such as -inf or -1e3."""
        waiting = None
        for word in words:
            if waiting is not None and is_number(word):
                yield f"{waiting}={word}"
                waiting = None
                continue
            if waiting is not None:
                yield waiting
            action = self._option_string_actions.get(word)
            waiting = word if action is not None and action.nargs is None else None
            if waiting is None:
                yield word
        if waiting is not None:
            yield waiting

    def check_words(self, words: Iterable[str]) -> None:
        """Refuse the first flag that the command does not have, before argparse misses a flag that is not there."""
        for word in words:
            if word == "--":
                return
            flag = word.partition("=")[0]
            if is_flag(word):
                if not any(option.startswith(flag) for option in self._option_string_actions):
                    self.error(self.explain_flag(flag))
            elif "=" in word and not os.path.exists(word) and find_foreign(flag):
                self.error(self.explain_flag(flag))

    def explain_flag(self, flag: str) -> str:
        """Explain which flag is meant by one that the command does not have."""
        own, ours = self._option_string_actions, flag.replace("_", "-")
        if ours in self.elsewhere:
            return f"{flag} {self.elsewhere[ours]}"
        if ours not in own and (foreign := find_foreign(flag)):
            tool, answer = foreign
            here = next((each for each in answer if each in own), answer[0])
            what = f"here it is {here}" if here.startswith("--") else here
            return f"{flag} is {tool}'s: {what}" + (f", which {self.elsewhere[here]}" if here in self.elsewhere else "")
        if near := find_near(ours, [*own, *self.elsewhere]):
            why = f" {near} {self.elsewhere[near]}" if near in self.elsewhere else ""
            return f"unknown flag {flag}: did you mean {near}?{why}"
        return f"unknown flag {flag}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of the choices, with the one that is meant."""
        if action.choices is not None and value not in action.choices:
            choices = [str(choice) for choice in action.choices]
            near = find_near(str(value), choices)
            rest = f"; did you mean {near!r}?" if near else ""
            raise argparse.ArgumentError(action, f"invalid choice: {value!r} (choose from {', '.join(choices)}){rest}")

    def error(self, message: str) -> NoReturn:
        """End the program with exit code 2."""
        sys.exit(say(f"error: {self.place}{message} ({self.prog} --help)", 2))


def is_flag(word: str) -> bool:
    """Return whether a word is a flag, and not a value or standard input."""
    return word.startswith("-") and word != "-" and not is_number(word)


def is_number(word: str) -> bool:
    """Return whether a word begins with a minus sign and is a number.

    >>> is_number("-1e3"), is_number("-inf"), is_number("-i")
    (True, True, False)
    """
    with suppress(ValueError):
        return word.startswith("-") and float(word) is not None
    return False


def find_near(word: str, choices: Iterable[str]) -> str | None:
    """Choose what a misspelt word means, if anything is near.

    >>> find_near("--learning-rat", ["--n-rounds", "--learning-rate"])
    '--learning-rate'
    """
    by_lower = {choice.lower(): choice for choice in choices}
    return next((by_lower[near] for near in get_close_matches(word.lower(), by_lower, 1, 0.7)), None)


def name_flags(message: str, flags: Iterable[str]) -> str:
    """Name the flags of a command by the words of the command line, where the library names its arguments.

    >>> name_flags("k is 0: it must be an integer of at least 1", ["k"])
    '--k is 0: it must be an integer of at least 1'
    >>> name_flags("y at row 1 is 2: labels must be integers from 0 to n_classes - 1 = 1", ["y_max", "n_classes"])
    'y at row 1 is 2: labels must be integers from 0 to --n-classes - 1 = 1'
    """
    for flag in flags:
        shown = f"--{flag.replace('_', '-')}"
        if message.startswith(f"{flag} "):
            message = shown + message[len(flag) :]
        elif "_" in flag:
            message = re.sub(rf"(?<![\w-]){flag}(?!\w)", shown, message)
    return message
