"""The imitations of mistakes, without a mistake: what they compute is what the specification does."""

import numpy as np
import pytest

from refrank.trees import splitting
from yardstick.kernel.case import find_difference
from yardstick.kernel.cases import list_cases
from yardstick.kernel.mistakes import cut, cut_inside
from yardstick.kernel.verdict import specify


@pytest.mark.parametrize(("function", "imitate"), [("best_split", cut), ("best_split_inside", cut_inside)])
def test_a_cut_without_a_mistake_is_the_specification_s(function, imitate):
    with np.errstate(all="ignore"):  # edges overflow on purpose
        for case in list_cases([function])[function]:
            made = imitate(*case.make(), gain=splitting.compute_gains)
            outputs = {name: np.asarray(one) for name, one in made.items()}
            assert find_difference(specify(case), outputs) is None, case.name
