"""The cases that a port is asked: `python -m tests.yardstick.kernel_cases` writes kernel_cases.txt anew.

One line per function: the number of its cases, and a digest of their names and arguments. A change of a case is a
change of that file, in plain sight. Floats and large integers count with 24 bits, since the last bits of what a
generator draws come from the logarithms of the C library.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from yardstick.kernel.case import KernelCase
from yardstick.kernel.cases import list_cases

FILE = Path(__file__).with_name("kernel_cases.txt")


def describe_cases() -> str:
    """Describe the cases of each function."""
    return "".join(f"{function} {len(cases)} {digest_cases(cases)}\n" for function, cases in list_cases().items())


def digest_cases(cases: Iterable[KernelCase]) -> str:
    """Digest the names and arguments of cases."""
    state = hashlib.sha256()
    with np.errstate(all="ignore"):  # edges overflow on purpose
        for case in cases:
            state.update(case.name.encode())
            for argument in case.make():
                state.update(describe_argument(argument))
    return state.hexdigest()[:16]


def describe_argument(argument: Any) -> bytes:
    """Describe an argument: an array with its type and layout, its entries in 24 bits."""
    if isinstance(argument, np.ndarray):
        head = f"{argument.dtype} {argument.shape} {argument.flags.c_contiguous} {argument.flags.f_contiguous}"
        return head.encode() + argument.astype(np.float32).tobytes()
    if isinstance(argument, list | tuple):
        return b"".join(map(describe_argument, argument))
    return repr(argument).encode()


if __name__ == "__main__":
    FILE.write_text(describe_cases(), encoding="utf-8")
