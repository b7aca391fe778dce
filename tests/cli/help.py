"""Write what `--help` says of each command: `python -m tests.cli.help` writes help.txt anew.

The words alone: how they are laid out is left to argparse, and differs from one Python to the next.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from refrank.cli.commands import list_commands, make_parser

FILE = Path(__file__).with_name("help.txt")


def find_commands(parser: argparse.ArgumentParser) -> argparse._SubParsersAction:
    """Return what holds the parsers of the commands."""
    [action] = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return action


def describe_action(action: argparse.Action) -> str:
    """Describe an argument or flag."""
    names = ", ".join(action.option_strings) or action.dest
    choices = None if isinstance(action, argparse._SubParsersAction) or not action.choices else [*action.choices]
    return f"{names} {action.nargs} {action.metavar} {choices} required={action.required}: {action.help}"


def describe() -> Iterator[str]:
    """Yield the lines of the file."""
    parser = make_parser([])
    yield f"# refrank: {parser.description} {parser.epilog}"
    yield from map(describe_action, parser._actions)
    yield from (f"{choice.dest}: {choice.help}" for choice in find_commands(parser)._choices_actions)
    for name in list_commands():
        yield from describe_command(name, find_commands(make_parser([name])).choices[name])


def describe_command(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the lines of a command, and of its subcommands."""
    yield f"# {name}: {command.description} {command.epilog}"
    yield from map(describe_action, command._actions)
    for group in command._action_groups:
        if group.title and group.description:
            yield f"group {group.title}: {group.description}"
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from (f"{choice.dest}: {choice.help}" for choice in action._choices_actions)
            for part, parser in action.choices.items():
                yield from describe_command(f"{name} {part}", parser)


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in describe()), encoding="utf-8")
