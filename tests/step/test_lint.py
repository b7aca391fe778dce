"""The modules of the page keep the rules by which they compute alike in every engine, and can be put together."""

import re
from collections import Counter
from pathlib import Path

import pytest

import refrank
from refrank.inspection.step.page import SOURCE

PORT = sorted((SOURCE / "port").glob("*.js"))
VIEW = sorted((SOURCE / "view").glob("*.js"))
MOST_LINES = 110
UNFIXED = re.compile(r"Math\.(?!abs|clz32|max|min\b)\w+|\*\*|parseFloat|toFixed|toPrecision")  # ECMAScript leaves open
DECLARED = re.compile(r"(?m)^(?:export )?(?:async )?(?:function\*? |const |let |class )(\w+|\{[^}=]*\}|\[[^\]=]*\])")
FOLLOWING = re.compile(r"(?m)^  (\w+) = ")  # a further name of a const of several lines
FUNCTION = re.compile(r"(?m)^export (?:function\*? |const (?=\w+ = (?:\(|\w+ =>)))(\w+)")
IMPORT = re.compile(r'(?m)^import \{([^}]*)\} from "(\.[^"]*\.js)"')
FAULT = re.compile(r"""module: "([\w.]+)",\s*line: (["'])(.*)\2,\n""")
NOT_IN_PYTHON = {  # functions of the port, and why the library has no function of this name
    "exponentOf": "math.frexp",
    "rint": "np.rint",
    "ldexp": "np.ldexp",
    "gridExponent": "find_exponent, of a text that has one place for it",
    "addExactly": "math.fsum",
    "everyValue": "exact, a word too short for a text that holds all modules",
    "cutNode": "a method of Growing",
    "finishTree": "make_tree",
    "sumRows": "a sum of NumPy",
    "putOnGrids": "put_weights and put_residual",
    "leavesOf": "Leaves, which Growing makes",
    "sumOverLeaves": "a method of Leaves",
    "weightOf": "a column of a histogram",
    "tellLeafSums": "events, which the engine tells",
    "evaluateTree": "add_trees, of one row and tree",
    "computeLeafValues": "two lines of take_step, which a class of the vectors shares",
    "boostClass": "boost_together, of one class",
    "softmaxBoosting": "two functions, one for each update",
    "tabulateRelevance": "transform_table",
    "tabulateCosts": "cost_table, of rows",
    "costWeights": "weights, a word too short for a text that holds all modules",
    "discount": "tabulate_discounts, of one position",
    "rankDocuments": "rank_first, of one query",
    "groupTies": "a mask of a block of queries",
    "evaluateQuery": "evaluate_queries, of one query",
    "gainOf": "tabulate_gains, of one label",
    "dcgTerms": "accumulate_gains, before they are added",
    "makeWriter": "a TraceWriter",
    "writeData": "take_rows of the yardstick",
    "putRanking": "take_ranking of the yardstick",
    "recordTraining": "record_training of the yardstick",
}


def read_code(path):
    """Read a module without its comments."""
    return re.sub(r"(?m)/\*.*?\*/|(?<!:)//.*$", "", path.read_text())


@pytest.mark.parametrize("path", PORT, ids=lambda path: path.stem)
def test_a_module_of_the_port_is_short_and_computes_alike_in_every_engine(path):
    lines = path.read_text().splitlines()
    assert len(lines) <= MOST_LINES
    assert not [line for line in lines if len(line) > 120]
    assert not UNFIXED.findall(read_code(path))


def test_what_an_engine_may_round_otherwise_is_seen():
    lines = ["Math.exp(x)", "Math.log2(x)", "Math.pow(x, 2)", "Math.round(x)", "x ** 2", "Math.hypot(x, y)"]
    assert all(map(UNFIXED.search, lines))
    assert not UNFIXED.search("Math.max(1, Math.abs(x)) * Math.clz32(n) - Math.min(x, y)")


def test_names_of_the_top_level_are_unique_over_all_modules():
    paths = [*PORT, *VIEW, *SOURCE.glob("*.js")]
    text = "\n".join(read_code(path) for path in paths if path.name != "index.js")
    names = Counter(name for names in DECLARED.findall(text) for name in re.findall(r"\w+", names))
    assert {name for name, n in names.items() if n > 1} == set()
    assert names["softmax"] == 1


@pytest.mark.parametrize("folder", ["port", "view"])
def test_the_order_lists_every_module_once_and_after_those_that_it_needs(folder):
    order = re.findall(r'"([\w.]+)"', (SOURCE / folder / "index.js").read_text())
    assert sorted(order) == sorted(path.name for path in (SOURCE / folder).glob("*.js") if path.name != "index.js")
    if folder == "port":
        for at, name in enumerate(order):
            needed = [Path(other).name for _, other in IMPORT.findall((SOURCE / folder / name).read_text())]
            assert set(needed) <= set(order[:at]), name


def test_every_import_has_its_export():
    for path in [*PORT, *VIEW]:
        for names, other in IMPORT.findall(path.read_text()):
            text = (path.parent / other).read_text()
            declared = {n for d in DECLARED.findall(text) for n in re.findall(r"\w+", d)} | {*FOLLOWING.findall(text)}
            assert {name.strip() for name in names.split(",") if name.strip()} <= declared, (path.name, other)


def test_functions_have_the_names_of_the_library():
    sources = Path(refrank.__file__).parent.rglob("*.py")
    known = {name for path in sources for name in re.findall(r"\bdef (\w+)", path.read_text())}
    functions = {name for path in PORT for name in FUNCTION.findall(path.read_text())}
    own = {name for name in functions if re.sub("[A-Z]", lambda c: f"_{c[0].lower()}", name) not in known}
    assert own == NOT_IN_PYTHON.keys()


def test_the_line_of_each_fault_stands_once_in_its_module():
    text = (SOURCE / "faults.js").read_text()
    faults = FAULT.findall(text)
    assert len(faults) == text.count("broken: ") >= 6
    assert [(SOURCE / "port" / module).read_text().count(line) for module, _, line in faults] == [1] * len(faults)
