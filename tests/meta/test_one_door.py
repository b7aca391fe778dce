"""One door: product code opens files through `refrank.datasets.foreign_file` and `whole_file` alone.

Exempt are the functions below, each with its reason; none of them is unused.
"""

import ast

import pytest

from tests.meta.papers_map import ROOT

ROOMS = ("refrank", "yardstick", "tutor", "proofs_check")
METHODS = ("read_text", "read_bytes", "write_text", "write_bytes")
CALLS = ("GzipFile", "FileIO", "cmp", "fromfile", "genfromtxt", "loadtxt", "memmap", "mmap", "safe_open", "tofile")
EXEMPT = {
    "refrank/datasets/foreign_file.py::_open_checked": "it is the door",
    "refrank/datasets/whole_file.py::replace_file": "it is the door for what is written",
    "refrank/datasets/whole_file.py::sync_folder": "it waits for a folder",
    "refrank/datasets/source.py::open_source": "text may come from a pipe, which is copied within bounds",
    "refrank/datasets/unzipped.py::UnzippedText.__init__": "it unpacks a source that is open",
    "refrank/datasets/array_file.py::read_array": "it reads members of a file that the door opened",
    "refrank/inspection/step/page.py::read_source": "refrank's own page",
    "refrank/reproduce/cells.py::compute_code_checksum": "refrank's own code",
    "refrank/trees/bins/labels.py::allocate_labels": "a file without a name, of the process itself",
    "refrank/estimators/sharded.py::read_path": "arrays are mapped, and nothing is unpickled",
    "refrank/trees/foreign/header.py::read_header": "refrank's own header",
    "refrank/trees/foreign/library.py::load_library": "a shared library is code, which is trusted",
    "refrank/cli/commands.py::run_command": "the null device",
    "refrank/cli/algorithm_table.py::read_table": "refrank's own table of algorithms",
    "tutor/answers/key.py::read_faults": "refrank's own faults",
    "tutor/grading.py::discard_errors": "the null device",
    "yardstick/processes.py::Channel.__init__": "the null device and the pipes between a process and its parent",
    "yardstick/processes.py::list_descendants": "the processes that the system lists in /proc",
    "yardstick/commands/conform.py::print_client": "refrank's own clients",
    "yardstick/planting.py::read_table": "refrank's own table of mutants",
    "yardstick/scorecard/pages.py::fill_template": "refrank's own templates",
    "yardstick/scorecard/smallest.py::write_tests": "refrank's own templates",
    "yardstick/scorecard/trainings.py::read_trainings": "refrank's own trainings",
    "yardstick/traces/writer.py::TraceWriter.__enter__": "it writes into a folder that it has made itself",
    "yardstick/traces/writer.py::TraceWriter.__exit__": "it writes into a folder that it has made itself",
    "yardstick/vectors/files.py::copy_vectors": "refrank's own vectors",
    "yardstick/vectors/files.py::load_vectors": "refrank's own vectors",
    "yardstick/vectors/streams.py::load_streams": "refrank's own vectors",
    "proofs_check/formal/examples.py::write_refuted": "it reads refrank's own verdicts, and writes where check says",
    "proofs_check/formal/theorems.py::read_sources": "refrank's own theorems",
    "proofs_check/formal/theorems.py::read_statements": "refrank's own statements",
    "proofs_check/formal/trust.py::write_queries": "it writes into a folder that check has made itself",
    "proofs_check/formal/vectors.py::write_examples": "refrank's own vectors",
    "proofs_check/formal/vectors.py::write_vectors": "it writes where check says",
    "proofs_check/__main__.py::main": "it writes where the user says, and reads nothing",
}


def is_opening(call):
    """Return whether a call opens, reads or writes a file by its name, or reads arrays."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name == "load":  # a name of many functions
        return getattr(getattr(call.func, "value", None), "id", "") == "np"
    return name in ("open", *CALLS) or (name in METHODS and isinstance(call.func, ast.Attribute))


def find_openings(text):
    """Find the functions of a module that open a file, by their qualified names; "" stands for the module itself."""
    found = set()

    def visit(node, scope):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope = f"{scope}.{node.name}".lstrip(".")
        if isinstance(node, ast.Call) and is_opening(node):
            found.add(scope)
        for part in ast.iter_child_nodes(node):
            visit(part, scope)

    visit(ast.parse(text), "")
    return found


def list_modules():
    """List the modules of the product, without tests."""
    files = (file for room in ROOMS for file in (ROOT / room).rglob("*.py"))
    return sorted(str(file.relative_to(ROOT)) for file in files if "tests" not in file.parts)


def test_product_code_opens_files_through_the_door_alone():
    opening = {f"{name}::{place}" for name in list_modules() for place in find_openings((ROOT / name).read_text())}
    assert opening == EXEMPT.keys()  # no other, and none is unused


@pytest.mark.parametrize(
    "line",
    [
        "open(x)", "os.open(x, 0)", "io.open(x)", "gzip.open(x)", "Path(x).open()", "x.open('rb')", "x.read_text()",
        "Path(x).read_bytes()", "a.b.write_text('')", "x.write_bytes(b'')", "np.load(x)", "np.memmap(x)",
        "mmap.mmap(3, 1)",
        "np.fromfile(x)", "gzip.GzipFile(x)", "zipfile.open(x)", "safe_open(x, 'np')", "filecmp.cmp(x, x)",
    ],
)  # fmt: skip
def test_each_way_of_opening_is_found(line):
    assert find_openings(f"class A:\n    def read(x):\n        return {line}\n") == {"A.read"}
    assert find_openings(line) == {""}


@pytest.mark.parametrize("line", ["open_file(x, 'cell')", "read_file(x, 'model')", "self.load()", "x.read()"])
def test_other_calls_are_not_found(line):
    assert find_openings(line) == set()
