"""One door: product code opens files through `refrank.datasets.foreign_file` and `whole_file` alone.

Exempt are the places below, each with its reason; none of them is unused.
"""

import ast

import pytest

from tests.meta.papers_map import ROOT

ROOMS = ("refrank", "yardstick", "proofs_check")
METHODS = ("read_text", "read_bytes", "write_text", "write_bytes")
CALLS = ("GzipFile", "FileIO", "fromfile", "genfromtxt", "loadtxt", "memmap", "mmap", "safe_open", "tofile")
EXEMPT = {
    "refrank/datasets/foreign_file.py": "it is the door",
    "refrank/datasets/whole_file.py": "it is the door for what is written",
    "refrank/datasets/source.py": "text may come from a pipe, which is copied within bounds",
    "refrank/datasets/unzipped.py": "it unpacks a source that is open",
    "refrank/datasets/array_file.py": "it reads members of a file that the door opened",
    "refrank/reproduce/cells.py": "the checksum is that of refrank's own code",
    "refrank/trees/foreign/header.py": "refrank's own header",
    "refrank/trees/foreign/library.py": "a shared library is code, which is trusted",
    "refrank/cli/commands.py": "the null device",
    "yardstick/processes.py": "the null device and the pipes between a process and its parent",
    "yardstick/programs.py": "the processes that the system lists in /proc",
    "yardstick/kernel/mistakes.py": "refrank's own list of mistakes",
    "yardstick/traces/writer.py": "it writes into a folder that it has made itself",
    "yardstick/vectors/files.py": "refrank's own vectors",
    "yardstick/vectors/reading.py": "refrank's own schema",
    "proofs_check/__main__.py": "it writes where the user says, and reads nothing",
}


def is_opening(call):
    """Return whether a call opens, reads or writes a file by its name, or reads arrays."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name == "load":  # a name of many functions
        return getattr(getattr(call.func, "value", None), "id", "") == "np"
    return name in ("open", *CALLS) or (name in METHODS and isinstance(call.func, ast.Attribute))


def find_openings(text):
    """Find the lines that open a file in a module."""
    return [node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and is_opening(node)]


def list_modules():
    """List the modules of the product, without tests."""
    files = (file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    return sorted(str(file.relative_to(ROOT)) for file in files if "tests" not in file.parts)


def test_product_code_opens_files_through_the_door_alone():
    opening = {name: lines for name in list_modules() if (lines := find_openings((ROOT / name).read_text()))}
    assert {name: lines for name, lines in opening.items() if name not in EXEMPT} == {}
    assert EXEMPT.keys() - opening.keys() == set()  # none is unused


@pytest.mark.parametrize(
    "line",
    [
        "open(x)", "os.open(x, 0)", "io.open(x)", "gzip.open(x)", "Path(x).open()", "x.open('rb')", "x.read_text()",
        "Path(x).read_bytes()", "a.b.write_text('')", "x.write_bytes(b'')", "np.load(x)", "np.memmap(x)",
        "mmap.mmap(3, 1)",
        "np.fromfile(x)", "gzip.GzipFile(x)", "zipfile.open(x)", "safe_open(x, 'np')",
    ],
)  # fmt: skip
def test_each_way_of_opening_is_found(line):
    assert find_openings(f"def read(x):\n    return {line}\n") == [2]


@pytest.mark.parametrize("line", ["open_file(x, 'cell')", "read_file(x, 'model')", "self.load()", "x.read()"])
def test_other_calls_are_not_found(line):
    assert find_openings(line) == []
