"""Planted mistakes: a catalogue of small changes to source files, and what must be found once one is made.

A catalogue is a text of blocks, separated by empty lines:

    x on a cut goes left at bins.c          description and place: WORDS at FILE, or WORDS at FILE::NAME; several lines
    - if (x < edges[middle])                the old text, which the file has once; a block may hold several changes
    + if (x <= edges[middle])               the new one
    in quantize                             notes: a key, and words that the reader of the catalogue needs
    hint x on a cut belongs
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class PlantedPlace(NamedTuple):
    """Place of a planted mistake."""

    words: str
    file: str
    name: str  # of the function or class; "" if none is given


class Mistake(NamedTuple):
    """A planted mistake."""

    places: tuple[PlantedPlace, ...]  # all in one file
    changes: tuple[tuple[str, str], ...]  # pairs of old and new text
    notes: tuple[tuple[str, str], ...] = ()  # key, words

    @property
    def words(self) -> str:
        """Name of the mistake."""
        return self.places[0].words

    @property
    def file(self) -> str:
        """The changed file."""
        return self.places[0].file

    def find_notes(self, key: str) -> tuple[str, ...]:
        """Return the words of the notes with a key."""
        return tuple(words for name, words in self.notes if name == key)

    def find_note(self, key: str) -> str:
        """Return the words of the first note with a key; "" if there is none."""
        return next(iter(self.find_notes(key)), "")

    def plant(self, text: str) -> str:
        """Make the changes in the text of the file.

        Raises
        ------
        ValueError
            If an old text does not occur exactly once.
        """
        for old, new in self.changes:
            if text.count(old) != 1:
                raise ValueError(f"{self.words}: {self.file} has {text.count(old)} times {old!r}: it must have it once")
            text = text.replace(old, new)
        return text


def read_mistakes(text: str) -> list[Mistake]:
    """Read a catalogue.

    Raises
    ------
    ValueError
        If a block has no place or no change, or names several files.

    Examples
    --------
    >>> [mistake] = read_mistakes("off by one at a.py::f\\n- n\\n+ n + 1\\nin f")
    >>> mistake.words, mistake.file, mistake.changes, mistake.find_note("in")
    ('off by one', 'a.py', (('n', 'n + 1'),), 'f')
    """
    return [read_block(block) for block in re.split(r"\n\s*\n", text.strip("\n"))]


def read_block(block: str) -> Mistake:
    """Read one mistake."""
    lines = block.split("\n")
    places, notes = [], []
    n_head = next((i for i, line in enumerate(lines) if line.startswith("-")), len(lines))
    for i, line in enumerate(lines):
        if i < n_head and (place := re.fullmatch(r"(.+) at ([^\s:]+)(?:::(\S+))?", line)):
            places.append(PlantedPlace(place[1], place[2], place[3] or ""))
        elif not line.startswith(("-", "+")):
            key, _, words = line.partition(" ")
            notes.append((key, words))
    mistake = Mistake(tuple(places), tuple(read_changes(lines)), tuple(notes))
    if not mistake.changes or len({place.file for place in places}) != 1 or any(a == b for a, b in mistake.changes):
        raise ValueError(f"not WORDS at FILE, lines - and +, and notes: {block!r}")
    return mistake


def read_changes(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the old and new texts of a block; each has one or more lines."""
    signed = "\n".join(line for line in lines if line.startswith(("-", "+")))
    for change in re.finditer(r"((?:^-.*\n)+)((?:^\+.*\n)+)", signed + "\n", re.MULTILINE):
        old, new = ("\n".join(line[2:] for line in part.splitlines()) for part in change.groups())
        yield old, new
