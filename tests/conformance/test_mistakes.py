"""The imitations of mistakes, without a mistake: what they compute is what the specification does."""

import numpy as np
import pytest

from refrank.conformance.kernel.case import find_difference
from refrank.conformance.kernel.cases import list_cases
from refrank.conformance.kernel.mistakes import cut, cut_inside
from refrank.conformance.kernel.verdict import specify
from refrank.trees import splitting


@pytest.mark.parametrize(("function", "imitate"), [("best_split", cut), ("best_split_inside", cut_inside)])
def test_a_cut_without_a_mistake_is_the_specification_s(function, imitate):
    with np.errstate(all="ignore"):  # edges overflow on purpose
        for case in list_cases([function])[function]:
            made = imitate(*case.make(), gain=splitting.compute_gains)
            outputs = {name: np.asarray(one) for name, one in made.items()}
            assert find_difference(specify(case), outputs) is None, case.name
