"""Few functions of the library take many arguments: what travels together is a record."""

import ast
from pathlib import Path

import refrank
from refrank.trees.splitter import FUNCTIONS

ROOT = Path(refrank.__file__).parent
MANY, MOST_FUNCTIONS = 7, 5
OF_FIT = ("fit",)  # named as users of scikit-learn, LightGBM and XGBoost know them: rows, held-out rows, when to end
TABLES = ("trees/splitter.py", "trees/splitting.py")  # the flat signatures of the splitter, which the kernel shares


def count_arguments(function: ast.FunctionDef) -> int:
    """Count the arguments that have names, without `self`."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def list_crowded(source: str, exempt: tuple[str, ...] = ()) -> list[str]:
    """List the functions with more than seven arguments."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    crowded = [node.name for node in nodes if count_arguments(node) > MANY and node.name not in exempt]
    return [*dict.fromkeys(crowded)]  # a function once, with its overloads


def test_at_most_five_functions_take_more_than_seven_arguments():
    crowded = []
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        functions = list_crowded(path.read_text(encoding="utf-8"), FUNCTIONS if name in TABLES else OF_FIT)
        crowded += [f"{name}::{function}" for function in functions]
    assert len(crowded) <= MOST_FUNCTIONS, crowded


def test_arguments_are_counted():
    source = "class C:\n  def f(self, a, b, c, d, *, e, f, g): ...\n  def g(self, a, b, c, d, e, f, g, h=1, **i): ..."
    assert list_crowded(source) == ["g"]
