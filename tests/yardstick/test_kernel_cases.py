"""The cases that a port is asked: `python -m tests.yardstick.test_kernel_cases` writes kernel_cases.txt anew.

One line per function: the number of its cases, and a digest of their names and arguments. A change of a case is a
change of that file, in plain sight. Floats and large integers count with 24 bits, since the last bits of what a
generator draws come from the logarithms of the C library.
"""

import hashlib
import math
from functools import partial
from pathlib import Path

import numpy as np

from tests.regenerate import renew_with
from yardstick.kernel.case import KernelCase
from yardstick.kernel.cases import list_cases
from yardstick.kernel.nodes import LARGEST, LEAST

FILE = Path(__file__).with_name("kernel_cases.txt")


def describe_cases():
    """Describe the cases of each function."""
    return "".join(f"{function} {len(cases)} {digest_cases(cases)}\n" for function, cases in list_cases().items())


def digest_cases(cases):
    """Digest the names and arguments of cases."""
    state = hashlib.sha256()
    with np.errstate(all="ignore"):  # edges overflow on purpose
        for case in cases:
            state.update(case.name.encode() + describe_argument(case.make()))
    return state.hexdigest()[:16]


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


def test_any_change_of_a_case_changes_its_digest():
    x = np.arange(6.0).reshape(2, 3)
    arrays = x, x + 1e-5, x.astype(np.float32), np.asfortranarray(x), x.T
    arguments = [*((given,) for given in arrays), ([x],) * 2, (x, 1), (x, 2)]
    cases = [KernelCase("exp", name, partial(tuple, given)) for given in arguments for name in ("one", "other")]
    assert len({digest_cases([case]) for case in cases}) == len(cases)
    assert digest_cases(cases[:1]) == digest_cases([KernelCase("exp", "one", lambda: (x * (1 + 2.0**-52),))])


def test_the_ends_of_the_floats_are_among_the_cases():
    asked = {name: np.concatenate([case.make()[0].ravel() for case in of]) for name, of in list_cases(EDGES).items()}
    for name, edges in EDGES.items():
        assert {*map(repr, edges)} <= {*map(repr, asked[name].tolist())}, name
    assert {*range(-1073, 1025)} <= {*np.frexp(asked["exp"])[1].tolist()}


EDGES = {
    "bin_starts": (float(LARGEST / 4), -0.0, 0.0, LEAST),
    "largest_magnitude": (math.inf, -math.inf, math.nan),
    "exp": (710.0, -746.0, math.inf, 0.0),
}


if __name__ == "__main__":
    FILE.write_text(describe_cases(), encoding="utf-8")
