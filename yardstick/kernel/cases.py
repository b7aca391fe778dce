"""All cases, by function, in the order of `refrank/kernel/refrank_splitter.h`."""

from collections.abc import Collection
from itertools import chain

from yardstick.kernel.case import FUNCTIONS, KernelCase
from yardstick.kernel.cut_cases import list_cut_cases
from yardstick.kernel.row_cases import list_row_cases
from yardstick.kernel.tree_cases import list_tree_cases


def list_cases(functions: Collection[str] = FUNCTIONS) -> dict[str, list[KernelCase]]:
    """List the cases of the given functions.

    >>> {function: len(cases) > 3 for function, cases in list_cases().items()} == dict.fromkeys(FUNCTIONS, True)
    True
    """
    every = list(chain(list_row_cases(), list_cut_cases(), list_tree_cases()))
    return {name: [case for case in every if case.function == name] for name in FUNCTIONS if name in functions}
