"""A command as a file in TOML: `refrank train` writes one beside each model, `refrank bench` one beside its tables.

`--config` reads it. A key is a flag without its dashes, `algorithm`, or an argument: `train`, the file of training
rows, or `folds`, the folder of a bench. Paths are as they were given.
"""

import argparse
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from json import dumps
from typing import Any

from refrank.cli.parser import OneLineParser, find_near
from refrank.datasets.foreign_file import read_file
from refrank.datasets.reading import PLAIN
from refrank.datasets.whole_file import replace_file

POSITIONAL = {"train": "files", "folds": "folds"}  # key: argument
NOT_KEYS = {"help", "config"}
USUAL = asdict(PLAIN)  # values that the file leaves out
NOT_USUAL = object()


def read_command(path: str) -> dict[str, Any]:
    """Read a file into its keys and values."""
    text = read_file(path, "command").decode("utf-8", "surrogateescape")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise ValueError(f"--config {path}: it is not TOML: {fault}") from None


def set_command(part: OneLineParser, path: str, command: Mapping[str, Any]) -> None:
    """Take what a file says as the defaults of a parser, so that the words of the command line win."""
    arguments = {action.dest for action in part._actions}
    keys = [key for key, argument in POSITIONAL.items() if argument in arguments]
    keys = [*keys, *(flag.removeprefix("--") for flag in part._option_string_actions if flag.startswith("--"))]
    keys = [key for key in keys if key not in NOT_KEYS]
    part.place = f"--config {path}: "
    words: list[str] = []
    for key, value in command.items():
        if key not in keys:
            near = find_near(key, keys)
            why = f"did you mean {near}?" if near else part.explain_flag(f"--{key}")
            part.error(f"there is no key {key!r} here: {why}")
        words += [*write_words(part, key, value)]
    required = [action for action in part._actions if action.required]
    for action in required:
        action.required = False
        action.nargs = action.nargs if action.option_strings else "*" if action.nargs == "+" else "?"
    given = vars(part.parse_args(words))
    part.set_defaults(**given)
    for action in required:
        if action.dest not in given:
            action.required = True
            action.nargs = {"*": "+", "?": None}.get(str(action.nargs), action.nargs)
    part.place = ""


def write_words(part: OneLineParser, key: str, value: Any) -> Iterator[str]:
    """Write a key and its value as words of a command line."""
    flag = f"--{key}"
    if isinstance(value, list) and isinstance(part._option_string_actions.get(flag), argparse._ExtendAction):
        yield from (f"{flag}={each}" for each in value)
        return
    if key == "train" and isinstance(value, list) and value and all(isinstance(file, str) for file in value):
        yield from value
        return
    if not isinstance(value, str | int | float):
        part.error(f"{key} is {value}: it must be a text, a number, true or false")
    if key in POSITIONAL:
        yield str(value)
    elif value is False:
        yield from [f"--no-{key}"] if f"--no-{key}" in part._option_string_actions else []
    elif value is True:
        yield flag
    elif part._option_string_actions[flag].nargs == 0:  # a flag without a value, or with words of its own
        yield f"{flag}-{value}"
    else:
        yield f"{flag}={value}"


def find_command_file(model: str) -> str:
    """Name the file beside a model.

    >>> find_command_file("model.refrank")
    'model.refrank.toml'
    """
    return f"{model}.toml"


def describe_training(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the training that flags and arguments ask for; one that resumes another asks for the whole of it.

    So the file makes the model again, and not only its last rounds.
    """
    command = name_keys(flags)
    first = find_command_file(command["resume"]) if "resume" in command else None
    if first is not None and os.path.exists(first):
        del command["resume"], command["algorithm"]
        earlier = read_command(first)  # it may have trained on a cluster, and this line does not
        command = {key: earlier[key] for key in earlier if not key.startswith("cluster")} | command
    elif first is not None:
        del command["algorithm"]
    return command


def name_keys(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Name flags and arguments as the file does; leave out --config, and what is usual."""
    keys = {argument: key for key, argument in POSITIONAL.items()}
    if len(flags.get("files", ())) == 1:
        flags = {**flags, "files": flags["files"][0]}
    given = {name: value for name, value in flags.items() if name != "config" and value != USUAL.get(name, NOT_USUAL)}
    return {keys.get(name, name.replace("_", "-")): value for name, value in given.items()}


def write_command(command: Mapping[str, Any], model: str) -> None:
    """Write the file of a training beside its model; leave a file that says the same as it is, with its comments."""
    path = find_command_file(model)
    if os.path.exists(path):
        try:
            if read_command(path) == command:
                return
        except ValueError:
            pass
    write_file("train", path, command)


def write_file(name: str, path: str, command: Mapping[str, Any], tables: Mapping[str, Mapping[str, str]] = {}) -> None:
    """Write a file: the command that reads it, its keys and values, and tables of names and texts."""
    lines = [f"# refrank {name} --config {quote(path)}", *(f"{key} = {quote(value)}" for key, value in command.items())]
    for table, texts in tables.items():
        lines += ["", f"[{table}]", *(f"{quote(key)} = {quote(text)}" for key, text in texts.items())]
    with replace_file(path) as file:
        file.write(("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))


def quote(value: Any) -> str:
    """Write a value as TOML does.

    >>> quote(True), quote("a b"), quote(0.05), quote(float("nan"))
    ('true', '"a b"', '0.05', 'nan')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return (
        repr(value) if isinstance(value, int | float) else dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    )
