"""Find the calls whose last bit may be that of NumPy, a CPU or a C library; docs/reference/numerics.md gives reasons.

They are routines that add up in an order of their own, functions that IEEE 754 does not ask to be rounded correctly,
and the operators `@` and `**`. Sums of integers are found, too: a scan does not know types.
"""

import ast
import re
from collections.abc import Iterator

SUMS = """
    accumulate at average bincount convolve corrcoef correlate cov cumprod cumsum dot einsum fmean inner interp kron
    linalg matmul mean median nancumsum nanmean nanmedian nanpercentile nanprod nanquantile nanstd nansum nanvar norm
    outer percentile prod pstdev pvariance quantile reduce reduceat std stdev sum tensordot trace trapezoid var variance
    vdot"""
FUNCTIONS = """
    acos acosh arccos arcsin arctan arctan2 arctanh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2 expm1
    float_power gamma hypot lgamma log log10 log1p log2 logaddexp logaddexp2 pow power sin sinh tan tanh"""
RISKY = {*SUMS.split(), *FUNCTIONS.split()}
LIBRARIES = {"math", "np", "numpy", "scipy", "statistics"}
ROW = re.compile(r"(?m)^\| `((?:refrank|yardstick|tutor|generators)/[\w./-]*?)(?:::(\w+))?` \| ([^|]+?) \| [^|]+ \|$")

Site = tuple[str, str, str]  # file, function, routine


def find_routines(file: str, source: str) -> set[Site]:
    """Find the risky routines that a module calls or hands on, each with the function or method that does so."""
    tree = ast.parse(source)
    imported = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in LIBRARIES
        for alias in node.names
    }
    imported |= {"sum": "sum", "pow": "pow"}

    def visit(node: ast.AST, name: str) -> Iterator[Site]:
        name = node.name if isinstance(node, ast.FunctionDef) else name
        routine = name_routine(node, imported)
        if routine in {*RISKY, "@", "**"}:
            yield file, name, routine
        for child in ast.iter_child_nodes(node):
            yield from visit(child, name)

    return set(visit(tree, ""))


def name_routine(node: ast.AST, imported: dict[str, str]) -> str:
    """Name the method, the function of a library, or the operator that a node of the syntax tree uses; "" for none."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
        return "@"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return "" if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant) else "**"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in LIBRARIES:
        return node.attr
    return imported.get(node.id, "") if isinstance(node, ast.Name) else ""


def read_reasons(page: str) -> dict[tuple[str, str], set[str]]:
    """Read the table of docs/reference/numerics.md: (file or folder, function or "") -> its routines, or {"all"}."""
    return {(file, name): {*re.findall(r"`([^`]+)`", held)} or {"all"} for file, name, held in ROW.findall(page)}


def is_excused(site: Site, reasons: dict[tuple[str, str], set[str]]) -> bool:
    """Return whether a row of the table covers a call."""
    file, name, routine = site
    whole = (place for (place, of), held in reasons.items() if not of and "all" in held)
    return routine in reasons.get((file, name), set()) or any(map(file.startswith, whole))
