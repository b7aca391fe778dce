"""The cases that a port is asked are those that are written down (kernel_cases.py)."""

from functools import partial

import numpy as np

from tests.regenerate import renew_with
from tests.yardstick.kernel_cases import FILE, describe_cases, digest_cases
from yardstick.kernel.case import KernelCase


def test_the_cases_are_those_that_are_written_down():
    assert describe_cases() == FILE.read_text(encoding="utf-8"), renew_with("tests/yardstick/kernel_cases.txt")


def test_any_change_of_a_case_changes_its_digest():
    x = np.arange(6.0).reshape(2, 3)
    arrays = x, x + 1e-5, x.astype(np.float32), np.asfortranarray(x), x.T
    arguments = [*((given,) for given in arrays), ([x],) * 2, (x, 1), (x, 2)]
    cases = [KernelCase("exp", name, partial(tuple, given)) for given in arguments for name in ("one", "other")]
    assert len({digest_cases([case]) for case in cases}) == len(cases)
    assert digest_cases(cases[:1]) == digest_cases([KernelCase("exp", "one", lambda: (x * (1 + 2.0**-52),))])
