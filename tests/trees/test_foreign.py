"""Foreign splitters: a library in the place of the kernel, whole or in part, right, wrong, or none at all."""

import inspect
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from refrank.cli import main
from refrank.kernel import KERNEL
from refrank.trees import engine, splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import Engine
from refrank.trees.foreign.header import SHAPES, list_results, list_written, read_header
from refrank.trees.foreign.library import VERSION
from refrank.trees.foreign.splitter import load_splitter
from refrank.trees.growth.grower import Grower
from refrank.trees.splitter import ARGUMENTS, FUNCTIONS, Splitter
from tests.libraries import NEEDS_COMPILER, build_source, define
from tests.libraries import VERSION as VERSION_FUNCTION
from tests.strategies import rng_of
from tests.trees.compare import same_tree
from tests.trees.test_engine import ROOT, TRAIN, run

pytestmark = NEEDS_COMPILER

HEADER = (ROOT / "refrank" / "kernel" / "refrank_splitter.h").read_text()


# --- the header ------------------------------------------------------------------------------------------------------


def test_the_header_has_the_functions_and_the_arguments_of_the_protocol():
    """Sizes stand beside them, and results; what is left over has a type of its own."""
    declared = re.findall(r"^int64_t refrank_(\w+)\(([^)]*)\);", HEADER, re.MULTILINE)
    assert [function for function, _ in declared] == [*FUNCTIONS] == [*read_header()]
    for function, parameters in declared:
        read = read_header()[function]
        names = [parameter.split()[-1].lstrip("*") for parameter in parameters.split(",")]
        assert names == [each.name for each in read]
        assert sorted(each.name for each in read if each.is_argument) == sorted(ARGUMENTS[function])
        sizes = [each.name for each in read if not (each.is_argument or each.is_array or each.name.endswith("_bytes"))]
        assert {*sizes} <= {*" ".join([*SHAPES.values(), "capacity"]).replace("+1", "").split()}
    assert f"#define REFRANK_SPLITTER_VERSION {VERSION}\n" in HEADER


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_specification_and_the_kernel_have_the_signatures_of_the_protocol(function):
    expected = inspect.signature(getattr(Splitter, function)).parameters
    whole = inspect.signature(getattr(splitting, function)).parameters
    # the keyword-only argument `choose` is for the judge alone: the protocol does not have it
    of_specification = {name: each for name, each in whole.items() if each.kind != each.KEYWORD_ONLY}
    assert [*of_specification] == [*expected][1:]
    assert all(expected[name].annotation == each.annotation for name, each in of_specification.items())
    if KERNEL is not None:
        assert [*inspect.signature(getattr(KERNEL, function)).parameters] == [*expected][1:]


def test_what_is_written_to_is_known_from_the_header():
    written = {function: list_written(function) for function in FUNCTIONS}
    in_place = {"quantize": ["codes"], "partition": ["rows"], "add_to_leaves": ["scores"], "add_trees": ["scores"]}
    assert {function: names for function, names in written.items() if names} == in_place | {"softmax": ["proba"]}
    tree = ["feature", "bin", "left", "right", "split_gain", "sum", "count", "weight"]
    assert (list_results("histogram"), list_results("grow_deep")) == (["sums"], tree)


@pytest.mark.parametrize("standard", ["c99", "c11"])
def test_the_header_stands_alone(tmp_path, standard):
    (tmp_path / "one.c").write_text('#include "refrank_splitter.h"\n#include "refrank_splitter.h"\nint one;\n')
    flags = [f"-std={standard}", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'refrank' / 'kernel'}"]
    subprocess.run(["cc", *flags, "-c", "one.c", "-o", "one.o"], cwd=tmp_path, check=True)


# --- what runs on a library ------------------------------------------------------------------------------------------


def test_a_model_has_the_same_bits_on_the_library(port):
    specification = run(TRAIN, REFRANK_NO_EXTENSION="1").stdout.split()
    for n_threads in ("1", "3"):
        found = run(TRAIN, REFRANK_SPLITTER=str(port), REFRANK_NUM_THREADS=n_threads)
        assert (found.stdout.split(), found.stderr) == (["libport.so", specification[1]], "")


def test_what_a_library_lacks_is_the_specifications(tmp_path):
    library = load_splitter(build_source(tmp_path, VERSION_FUNCTION, define("histogram", "return -2;")))
    assert library.offered == {"histogram"}
    assert library.not_offered == [name for name in FUNCTIONS if name != "histogram"]
    assert repr(library).startswith("<libsource.so: not offered: bin_starts, quantize,")
    assert library.exp is splitting.exp
    assert library.partition is splitting.partition
    with pytest.raises(ValueError, match=r"libsource.so: the result of refrank_histogram is -2: it must be 0$"):
        library.histogram(
            np.zeros((1, 1, 8), np.uint8), np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, int), None, 1
        )


def test_the_configuration_says_what_is_not_offered(tmp_path, port):
    show = "import refrank; refrank.show_config()"
    assert run(show, REFRANK_SPLITTER=str(port)).stdout.splitlines()[:2] == [
        "splitter      libport.so",
        "not_offered   nothing",
    ]
    path = build_source(tmp_path, VERSION_FUNCTION, *(define(name, "return 0;") for name in [*FUNCTIONS][:13]))
    shown = run(show, REFRANK_SPLITTER=str(path), REFRANK_NO_EXTENSION="1").stdout.splitlines()
    assert shown[:3] == ["splitter      libsource.so", "not_offered   softmax, grow_deep", "openmp        False"]


@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_arrays_of_any_layout_are_handed_over(port, order):
    library, rng = load_splitter(port), rng_of(3)
    X = {"C": np.ascontiguousarray, "F": np.asfortranarray, "strided": lambda X: np.repeat(X, 2, 1)[:, ::2]}[order](
        rng.normal(size=(50, 11)).astype(np.float32)
    )
    ours, theirs = (bin_features(X, 300, engine=Engine(splitter)) for splitter in (splitting, library))
    np.testing.assert_array_equal(ours.codes, theirs.codes, strict=True)
    residual = rng.normal(size=50)
    grown = [Grower(binned, n_leaves=9)(residual)[0] for binned in (ours, theirs)]
    same_tree(*grown)
    scores, rows = np.zeros((50, 2)), np.arange(50, dtype=np.int32)
    library.add_to_leaves(scores[:, 1], rows, np.array([0, 20, 50]), np.array([1.0, 2.0]), 1)
    assert scores[:, 1].tolist() == [1.0] * 20 + [2.0] * 30
    assert not scores[:, 0].any()


def test_arguments_that_only_are_read_may_be_read_only(port):
    library, values = load_splitter(port), np.arange(4.0)
    values.flags.writeable = False
    assert library.largest_magnitude(values, 1) == 3.0
    with pytest.raises(ValueError, match="read-only"):
        library.add_to_leaves(values, np.arange(4, dtype=np.int32), np.array([0, 4]), np.ones(1), 1)


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("int x;", r"libsource.so is not a library of splitter functions: it must export refrank_splitter_version"),
        ("int32_t refrank_splitter_version(void) { return 2; }", r"refrank_splitter_version\(\) is 2: it must be 1$"),
    ],
)
def test_a_library_of_another_kind_is_refused(tmp_path, source, told):
    with pytest.raises(ValueError, match=told):
        load_splitter(build_source(tmp_path, source))


def test_a_file_that_is_none_is_refused(tmp_path):
    path = tmp_path / "lib\x1bport.so"
    path.write_text("no library")
    with pytest.raises(ValueError, match=r"^lib\\x1bport.so is not a shared library that loads here: "):
        load_splitter(path)
    with pytest.raises(FileNotFoundError):
        load_splitter(tmp_path / "none.so")


@pytest.mark.parametrize("path", ["none.so", __file__])
def test_a_variable_that_names_no_library_is_told_where_it_is_needed(path):
    code = "import refrank, sys; from refrank.cli import main; print(1); sys.exit(main(['config']) != 2)"
    found = run(code, REFRANK_SPLITTER=path)
    assert found.stdout == "1\n"
    assert found.stderr.startswith(f"refrank: error: REFRANK_SPLITTER is {path}: ")
    assert found.stderr.count("\n") == 1


SUMS, OFFSETS = np.array([[1, 1], [2, 1], [3, 1]]), np.array([0, 3])
CODES, FEATURES = np.zeros((1, 3, 8), np.uint8), np.zeros(1, np.int32)
CALLS = {
    "bin_starts": (np.arange(3.0), 0.5, 3),
    "quantize": (np.zeros((3, 1)), np.array([1.0, 2.0]), OFFSETS, CODES.copy(), 1),
    "largest_magnitude": (np.ones(3), 1),
    "best_split": (SUMS, OFFSETS, FEATURES, 1, 1),
    "best_split_inside": (
        np.zeros((1, 3), np.uint8), OFFSETS, np.array([0, 1]), np.array([2]), np.zeros((1, 3), int),
        np.arange(3, dtype=np.int32), np.arange(3), None, FEATURES, 1, 1,
    ),
    "partition": (CODES, np.arange(3, dtype=np.int32), 0, 0, 1),
    "grow_deep": (
        np.arange(3, dtype=np.uint8)[:, None], OFFSETS, np.arange(3, dtype=np.int32), np.arange(3), np.ones(3, int),
        None, None, -1, 1, 1, 0,
    ),
}  # fmt: skip
SPLIT = "*split = (refrank_split){{{}, {}, 1.0, 1, 1, 1}}; return 0;"
TREE = "memset(feature, -1, 20); feature[0] = {}, bin[0] = {}, left[0] = {}, right[0] = {}; return 3;"
WRONG = [  # what a function does, and what is said
    ("bin_starts", "return 4;", "the result of refrank_bin_starts is 4: it must be an integer from 0 to 3"),
    ("bin_starts", "starts[0] = 0, starts[1] = 3; return 2;", "a start of refrank_bin_starts is 3"),
    ("bin_starts", "starts[3] = 0; return 3;", "refrank_bin_starts writes beyond the end of a result"),
    ("bin_starts", "starts[-1] = 0; return 3;", "or before its beginning"),
    ("quantize", "((uint8_t *)codes)[8] = 3; return 0;", "a bin of feature 0 of refrank_quantize is 3"),
    ("largest_magnitude", "return 1;", "the result of refrank_largest_magnitude is 1: it must be 0"),
    *(
        (name, SPLIT.format(feature, bin), f"{what} of refrank_{name} is {value}: it must be")
        for name in ("best_split", "best_split_inside")
        for feature, bin, what, value in (
            (1, 0, "the feature", 1),
            (-2, 0, "the feature", -2),
            (0, 2, "the bin of feature 0", 2),
            (0, -1, "the bin of feature 0", -1),
            (-1, 0, "the bin, without a feature,", 0),
        )
    ),
    ("partition", "return 4;", "the result of refrank_partition is 4: it must be an integer from 0 to 3"),
    ("partition", "rows[1] = 3; return 1;", "a row of refrank_partition is 3: it must be an integer from 0 to 2"),
    ("partition", "rows[1] = -1; return 1;", "a row of refrank_partition is -1"),
    ("grow_deep", "return 6;", "the result of refrank_grow_deep is 6: it must be an integer from 0 to 5"),
    ("grow_deep", "return 0;", "the number of nodes of refrank_grow_deep is 0: it must be an integer from 1 to 5"),
    ("grow_deep", TREE.format(1, 0, 1, 2), "the feature of node 0 of refrank_grow_deep is 1: it must be 0"),
    ("grow_deep", TREE.format(0, 2, 1, 2), "the bin of node 0 of refrank_grow_deep is 2"),
    ("grow_deep", TREE.format(0, 0, 0, 2), "a child of node 0 of refrank_grow_deep is 0"),
    ("grow_deep", TREE.format(0, 0, 1, 3), "a child of node 0 of refrank_grow_deep is 3"),
]


@pytest.mark.parametrize(("function", "body", "told"), WRONG)
def test_what_would_lead_out_of_an_array_is_refused(tmp_path, function, body, told):
    library = load_splitter(build_source(tmp_path, VERSION_FUNCTION, define(function, body)))
    with pytest.raises(ValueError, match=r"^libsource\.so: ") as refused:
        getattr(library, function)(*CALLS[function])
    assert told in str(refused.value)


def test_memory_that_is_short_is_a_memory_error(tmp_path):
    library = load_splitter(build_source(tmp_path, VERSION_FUNCTION, define("partition", "return -1;")))
    with pytest.raises(MemoryError, match=r"libsource\.so: refrank_partition could not allocate its memory"):
        library.partition(*CALLS["partition"])


def test_a_fault_of_a_library_ends_a_command_in_one_line(tmp_path, monkeypatch, capsys):
    library = load_splitter(build_source(tmp_path, VERSION_FUNCTION, define("quantize", "return -2;")))
    monkeypatch.setattr(engine, "DEFAULT_SPLITTER", library)
    Path(tmp_path, "rows.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:0.7\n")
    train = f"train {tmp_path}/rows.txt --algorithm ls --verbose 0 --model {tmp_path}/m"
    assert main(train.split()) == 2
    assert (
        capsys.readouterr().err == "refrank: error: libsource.so: the result of refrank_quantize is -2: it must be 0\n"
    )
