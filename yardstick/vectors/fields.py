"""The parts of a file of vectors: objects, tables, lists, texts and names, each checked, and named in its fault."""

import json
import re
from collections.abc import Callable, Collection
from typing import Any

from refrank.checks import print_text
from yardstick.numbers.encoding import show
from yardstick.vectors.files import FOLDER, SCHEMA_FILE

FORMS = json.loads((FOLDER / SCHEMA_FILE).read_text(encoding="utf-8"))["$defs"]
NAME, ID, LONGEST_TEXT = FORMS["name"], FORMS["id"], FORMS["text"]["maxLength"]


def read_object(document: Any, name: str, needed: Collection[str], allowed: Collection[str] = ()) -> dict[str, Any]:
    """Read an object that has all fields that it needs, and no others than these and the allowed."""
    if not isinstance(document, dict):
        raise ValueError(f"{name} is {show(document)}: it must be an object")
    for key in document:
        if key not in needed and key not in allowed:
            raise ValueError(f"{name} has field {show(key)}: its fields must be of {', '.join((*needed, *allowed))}")
    for key in needed:
        if key not in document:
            raise ValueError(f"{name} has no field {key!r}: it must have {', '.join(needed)}")
    return document


def read_table(document: Any, name: str, read: Callable[[Any, str], Any]) -> dict[str, Any]:
    """Read an object whose fields have any names."""
    if not isinstance(document, dict):
        raise ValueError(f"{name} is {show(document)}: it must be an object")
    return {
        read_name(key, f"field of {name}"): read(value, f"{print_text(key, 60)} of {name}")
        for key, value in document.items()
    }


def read_list(document: Any, name: str) -> list[Any]:
    """Read a list."""
    if not isinstance(document, list):
        raise ValueError(f"{name} is {show(document)}: it must be a list")
    return document


def read_text(document: Any, name: str) -> str:
    """Read a text that is not empty, and that a terminal can show."""
    if not isinstance(document, str) or not 0 < len(document) <= LONGEST_TEXT or not document.isprintable():
        raise ValueError(f"{name} is {show(document)}: it must be a printable text of 1 to {LONGEST_TEXT} characters")
    return document


def read_name(document: Any, name: str, form: dict[str, Any] = NAME) -> str:
    """Read a name, of the form that the schema gives it."""
    text = read_text(document, name)
    if not re.fullmatch(form["pattern"], text) or len(text) > form["maxLength"]:
        rule = f"it must be a name of at most {form['maxLength']} characters, of the form {form['pattern']}"
        raise ValueError(f"{name} is {show(document)}: {rule}")
    return text
