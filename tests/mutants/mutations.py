"""Changes: the operators of Cosmic Ray and one of our own, one change at each place of a file.

A place is a piece of a line that an operator can change. Of all changes that are possible there, a key made of the seed
and of the line's text picks one, and of all places the first n: lines that stay as they are keep their change when
other lines of the file change.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import cosmic_ray.plugins
import parso
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from parso.python.tree import Keyword

KIND = {
    **dict.fromkeys(("RShift", "LShift"), "shift"),
    **dict.fromkeys(("BitOr", "BitAnd", "BitXor", "Invert"), "bits"),
    **dict.fromkeys(("Is", "IsNot"), "identity"),
    "Not": "truth",
}


class RemoveStatement(Operator):
    """Takes out a call whose value is not used, a raise, or an assignment such as `+=`."""

    def mutation_positions(self, node):  # type: ignore[no-untyped-def]
        if node.type == "simple_stmt" and is_removable(node.children[0]):
            yield node.start_pos, node.children[0].end_pos

    def mutate(self, node, index):  # type: ignore[no-untyped-def]
        first = node.children[0]
        node.children[0] = Keyword("pass", first.start_pos, first.get_first_leaf().prefix)
        return node

    @classmethod
    def examples(cls):  # type: ignore[no-untyped-def]
        return ()


def is_removable(statement: parso.tree.NodeOrLeaf) -> bool:
    """Return whether a statement can be taken out: without it the file still compiles."""
    if statement.type == "atom_expr":
        return bool(statement.children[-1].get_code().endswith(")"))
    if statement.type == "expr_stmt":
        return statement.children[1].type == "operator" and statement.children[1].value != "="
    return statement.type == "raise_stmt"


class Mutant(NamedTuple):
    """One change of one file."""

    file: str
    name: str  # of the function or class around it
    line: int  # the first line that differs, from 1
    old: str
    new: str
    text: str  # the whole file, changed

    @property
    def identity(self) -> tuple[str, str, str, str]:
        """Key of a mutant in a list of survivors, wherever its line stands."""
        return self.file, self.name, self.old, self.new


class Change(NamedTuple):
    """An operator at a place; the key says how early it is drawn."""

    key: bytes
    place: tuple[tuple[int, int], tuple[int, int]]
    operator: Operator
    occurrence: int


def mixes(name: str) -> bool:
    """Return whether an operator replaces one of another kind, so that most such lines cannot be carried out at all."""
    kinds = [KIND.get(part) for part in name.rpartition("/")[2].split("_")[1:]]
    return len(kinds) == 2 and "_Delete_" not in name and kinds[0] != kinds[1]


def find_changes(text: str, file: str, seed: int) -> Iterator[Change]:
    """Yield every change that an operator can make in a file."""
    tree, lines = get_ast(text), text.split("\n")
    for name in (*cosmic_ray.plugins.operator_names(), "RemoveStatement"):
        kind = RemoveStatement if name == "RemoveStatement" else cosmic_ray.plugins.get_operator(name)
        if kind.arguments() or mixes(name):
            continue
        operator = kind()
        places = (place for node in ast_nodes(tree) for place in operator.mutation_positions(node))
        before: Counter[object] = Counter()
        for occurrence, place in enumerate(places):
            (row, column), _ = place
            said = f"{seed} {file} {lines[row - 1]} {column} {name} {before[place]}"
            before[place] += 1
            yield Change(hashlib.blake2b(said.encode(), digest_size=8).digest(), place, operator, occurrence)


def choose_changes(changes: Iterator[Change]) -> list[Change]:
    """Keep one change of each place: the one that is drawn first."""
    last_first = sorted(changes, key=lambda change: change.key, reverse=True)
    return list({change.place: change for change in last_first}.values())


def without_annotations(text: str) -> str | None:
    """Return the program of a text without its annotations, or None if it does not compile."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                setattr(node, field, ast.Constant(None))
    return ast.dump(tree)


def name_around(text: str, line: int) -> str:
    """Return the dotted name of the function or class that holds a line."""
    names, scope = [], ast.parse(text).body
    while scope:
        holders = [
            node
            for node in scope
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and min([node.lineno, *(d.lineno for d in node.decorator_list)]) <= line <= (node.end_lineno or 0)
        ]
        names += [node.name for node in holders]
        scope = holders[0].body if holders else []
    return ".".join(names) or "-"


def make_mutant(root: Path, file: str, change: Change) -> Mutant | None:
    """Make a change; None if what comes out does not compile or differs in annotations alone."""
    text = (root / file).read_text(encoding="utf-8")
    try:
        changed = mutate_code(text, change.operator, change.occurrence)
    except AttributeError:  # Cosmic Ray replaces no dotted name of an exception
        return None
    if changed is None or without_annotations(changed) in (None, without_annotations(text)):
        return None
    old, new = text.split("\n"), changed.split("\n")
    line = next(i for i, (before, after) in enumerate(zip(old, new, strict=False)) if before != after)
    left = new[line].strip() if len(new) == len(old) else ""
    return Mutant(file, name_around(text, line + 1), line + 1, old[line].strip(), left, changed)


def draw(root: Path, files: list[str], n: int, seed: int) -> Iterator[Mutant]:
    """Yield n mutants of these files, in the order of their keys, or all if there are fewer."""
    drawn = [
        (change, file)
        for file in files
        for change in choose_changes(find_changes((root / file).read_text(encoding="utf-8"), file, seed))
    ]
    made = (make_mutant(root, file, change) for change, file in sorted(drawn, key=lambda pair: pair[0].key))
    yield from islice(filter(None, made), n)
