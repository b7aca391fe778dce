"""The cases that a port is asked: `python -m tests.yardstick.test_kernel_cases` writes kernel_cases.txt anew.

One line per function: the number of its cases, and a digest of their names and arguments. A change of a case is a
change of that file, in plain sight. Floats and large integers count with 24 bits, since the last bits of what a
generator draws come from the logarithms of the C library.
"""

import hashlib
from pathlib import Path

import numpy as np

from tests.regenerate import renew_with
from yardstick.kernel.cases import list_cases

FILE = Path(__file__).with_name("kernel_cases.txt")


def describe_cases():
    """Describe the cases of each function: their number, and a digest of their names and arguments."""
    lines = []
    for function, cases in list_cases().items():
        with np.errstate(all="ignore"):  # edges overflow on purpose
            described = (case.name.encode() + describe_argument(case.make()) for case in cases)
            lines.append(f"{function} {len(cases)} {hashlib.sha256(b''.join(described)).hexdigest()[:16]}\n")
    return "".join(lines)


def describe_argument(argument):
    """Describe an argument: an array with its type and layout, its entries in 24 bits."""
    if isinstance(argument, np.ndarray):
        head = f"{argument.dtype} {argument.shape} {argument.flags.c_contiguous} {argument.flags.f_contiguous}"
        return head.encode() + argument.astype(np.float32).tobytes()
    if isinstance(argument, list | tuple):
        return b"".join(map(describe_argument, argument))
    return repr(argument).encode()


def test_the_cases_are_those_that_are_written_down():
    assert describe_cases() == FILE.read_text(encoding="utf-8"), renew_with("tests/yardstick/kernel_cases.txt")


if __name__ == "__main__":
    FILE.write_text(describe_cases(), encoding="utf-8")
