"""Names: functions begin with verbs, a variable says what it holds, a class has one home, private names stay inside."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch

import pytest

from tests.meta.papers_map import ROOT, read_packages

PROPERTIES = {"property", "cached_property"}
EMPTY = {"one", "known", "told", "found"}
ARRAYS = "refrank/arrays.py"
Sources = dict[str, ast.Module]
Groups = dict[str, list[str]]

PACKAGES = ("refrank", "yardstick", "tutor", "generators", "proofs_check", "benchmarks", "pages")
SOURCES: Sources = {file: ast.parse(text) for file, text in read_packages(*PACKAGES).items()}


def read_groups(text: str) -> Groups:
    """Read the words of each group: the verbs first, then patterns of names, or of files, that need no verb.

    >>> read_groups("verbs: add\\n    cut\\npredicates: is_*\\n")
    {'verbs': ['add', 'cut'], 'predicates': ['is_*']}
    """
    lines = (line.split(":") for line in text.replace("\n    ", " ").splitlines())
    return {group: words.split() for group, words in lines}


GROUPS = read_groups((ROOT / "tests/meta/names.txt").read_text())


def list_functions(sources: Sources) -> Iterable[tuple[str, str]]:
    """Yield the file and the name of each function and method, except the properties."""
    for file, tree in sources.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and PROPERTIES.isdisjoint(map(ast.unparse, node.decorator_list)):
                yield file, node.name if node.name.endswith("__") else node.name.lstrip("_")


def match_names(sources: Sources, verbs: Sequence[str], patterns: Sequence[str]) -> tuple[list[str], set[str]]:
    """List the functions without a verb that match no pattern; and collect the verbs and patterns that some need."""
    nouns, used = [], set()
    for file, name in list_functions(sources):
        fitting = [pattern for pattern in patterns if fnmatch(file if "/" in pattern else name, pattern)]
        verb = name.split("_")[0]
        if verb in verbs:
            used.add(verb)
        elif fitting:
            used.update(fitting)
        else:
            nouns.append(f"{file} {name}")
    return nouns, used


def find_empty_names(sources: Sources) -> list[str]:
    """List the arguments and assigned variables whose name says nothing of what they hold."""
    empty = []
    for file, tree in sources.items():
        for node in ast.walk(tree):
            assigned = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            name = node.id if assigned else node.arg if isinstance(node, ast.arg) else None
            empty += [f"{file}:{node.lineno} {name}"] if name in EMPTY else []
    return empty


def list_definitions(tree: ast.Module) -> Iterable[tuple[str, str]]:
    """Yield the kind and the name of the classes and the assigned names of a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield "class", node.name
        for target in getattr(node, "targets", [getattr(node, "target", None)]):
            if isinstance(target, ast.Name):
                yield "alias", target.id


def find_shared_names(sources: Sources) -> dict[str, list[str]]:
    """Map each class that several modules define, and each array type defined outside its home, to its modules."""
    aliases = {name for _, name in list_definitions(sources[ARRAYS])} if ARRAYS in sources else set()
    homes = defaultdict(list)
    for file, tree in sources.items():
        for kind, name in list_definitions(tree):
            if (kind == "class" or name in aliases) and not file.startswith("pages/"):  # a page stands alone
                homes[name].append(file)
    return {name: files for name, files in homes.items() if len(files) > 1}


def name_room(file: str) -> str:
    """Name the room of a file: a package, or a folder of refrank."""
    parts = file.split("/")
    return "/".join(parts[: 2 if parts[0] == "refrank" else 1])


def find_reaches(sources: Sources) -> list[str]:
    """List where a module uses a private name that another room defines, and its own does not."""
    defined, used = defaultdict(set), []
    for file, tree in sources.items():
        room = name_room(file)
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                defined[node.name].add(room)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                defined[node.id].add(room)
            elif isinstance(node, ast.ImportFrom):
                used += [(room, file, node.lineno, part.name) for part in node.names]
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                defined[node.attr].add(room)
            elif isinstance(node, ast.Attribute):
                used.append((room, file, node.lineno, node.attr))
    return [
        f"{file}:{line} {name}"
        for room, file, line, name in used
        if name.startswith("_") and not name.endswith("__") and defined[name] and room not in defined[name]
    ]


def test_a_function_begins_with_a_verb():
    verbs, *others = GROUPS.values()
    patterns = [pattern for group in others for pattern in group]
    nouns, used = match_names(SOURCES, verbs, patterns)
    assert nouns == []
    assert {*verbs, *patterns} - used == set()  # of no use


def test_the_words_are_sorted():
    assert {group: sorted(set(words)) for group, words in GROUPS.items()} == GROUPS


NESTED = ["class A:\n    def width(self): ...", "def cut():\n    def width(): ..."]


@pytest.mark.parametrize("line", ["def width(): ...", "def _width(): ...", "def cutter(): ...", *NESTED])
def test_a_noun_is_noticed(line):
    sources = {"refrank/x.py": ast.parse(f"{line}\ndef cut_rows(): ...\ndef is_cut(): ...")}
    nouns, used = match_names(sources, ["cut"], ["is_*", "proofs_check/*"])
    assert (len(nouns), used) == (1, {"cut", "is_*"})
    assert match_names({"proofs_check/x.py": ast.parse("def width(): ...")}, ["cut"], ["proofs_check/*"])[0] == []


def test_a_variable_is_named_after_what_it_holds():
    assert find_empty_names(SOURCES) == []


def test_a_class_has_one_home():
    assert find_shared_names(SOURCES) == {}


def test_private_names_stay_in_their_room():
    assert find_reaches(SOURCES) == []


STORED = ["one = 1", "for known in (): pass", "[0 for one in ()]", "(told := 1)"]


@pytest.mark.parametrize("line", [*STORED, "def f(told): pass", "f = lambda found: 0"])
def test_an_empty_name_is_noticed(line):
    assert len(find_empty_names({"refrank/x.py": ast.parse(line)})) == 1


@pytest.mark.parametrize("line", ["class Node: ...", "Rows = list[int]", "Rows: type = list", "class Rows: ..."])
def test_a_second_home_is_noticed(line):
    homes = {ARRAYS: ast.parse("Rows = int"), "yardstick/y.py": ast.parse("class Node: ...")}
    assert find_shared_names(homes) == {}
    assert len(find_shared_names(homes | {"refrank/x.py": ast.parse(line)})) == 1


@pytest.mark.parametrize("line", ["from refrank.y import _part", "import refrank\nrefrank.y._part()", "ranker._part"])
def test_a_reach_is_noticed(line):
    room = {"refrank/trees/y.py": ast.parse("def _part(): ...")}
    assert find_reaches(room | {"refrank/trees/x.py": ast.parse(line)}) == []
    assert len(find_reaches(room | {"refrank/models/x.py": ast.parse(line)})) == 1
