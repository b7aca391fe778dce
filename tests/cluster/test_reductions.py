"""No product code reduces over rows without the shards: `reductions.txt` says of each reduction over what it is.

A reduction is a call that makes fewer numbers of many, by NumPy, by `math` or by Python, or the length of an array of
rows. A new one fails the test, until the list says over what it is; one over rows has to be joined.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

HERE, PRODUCT = Path(__file__).parent, Path(__file__).parents[2] / "refrank"
ROOMS = ("checks.py", "trees/**/*.py", "mcrank/*.py", "igbrt/*.py", "cocr/*.py", "estimators/*.py")
NAMES = """
    sum max min any all mean ptp std var argmax argmin sort argsort cumsum searchsorted partition fsum unique bincount
    median percentile average at reduceat count_nonzero nonzero flatnonzero
    """
METHODS = frozenset(NAMES.split())
BUILTINS = {"sum", "max", "min", "any", "all", "sorted"}  # of one argument: those of several compare numbers
ROWS = "X y qid weight values value target residual labels scores features column present rows kept"
OF_ROWS = frozenset(ROWS.split())


def name_reduction(node: ast.AST) -> str:
    """Name what a node of the syntax reduces by; "" if it does not."""
    if isinstance(node, ast.Attribute) and node.attr == "n_rows":
        return "n_rows"
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr if node.func.attr in METHODS else ""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name == "len":
        return "len" if getattr(node.args[0], "attr", getattr(node.args[0], "id", "")) in OF_ROWS else ""
    return name if name == "fsum" or (name in BUILTINS and len(node.args) == 1) else ""


def list_reductions(node: ast.AST, function: str) -> Iterator[tuple[str, str]]:
    """Yield each function, and a reduction in it."""
    for child in ast.iter_child_nodes(node):
        if name := name_reduction(child):
            yield function, name
        inner = isinstance(child, ast.FunctionDef | ast.ClassDef)
        yield from list_reductions(child, f"{function}.{child.name}".strip(".") if inner else function)


def scan(path: Path) -> Iterator[str]:
    """Yield a line per function of a file: its name, and its reductions in the order of the alphabet."""
    of_functions: dict[str, list[str]] = {}
    for function, name in list_reductions(ast.parse(path.read_text()), ""):
        of_functions.setdefault(function, []).append(name)
    for function, names in of_functions.items():
        yield f"{path.relative_to(PRODUCT).as_posix()} {function}: {' '.join(sorted(names))}"


def read_list() -> tuple[list[str], list[str]]:
    """Read the list: the files that are left out, and the lines."""
    lines = [line.strip() for line in (HERE / "reductions.txt").read_text().splitlines() if line.startswith("    ")]
    return [line for line in lines if ":" not in line], [line for line in lines if ":" in line]


def test_every_reduction_is_listed_with_its_reason():
    left_out, listed = read_list()
    skipped = {path for pattern in left_out for path in PRODUCT.glob(pattern)}
    paths = (path for room in ROOMS for path in PRODUCT.glob(room) if path not in skipped)
    assert sorted(line for path in paths for line in scan(path)) == sorted(listed)


def test_what_is_left_out_exists():
    assert [pattern for pattern in read_list()[0] if not [*PRODUCT.glob(pattern)]] == []
