"""The specification with one mistake planted: it computes something else, which the mistake explains."""

import pytest

from refrank.trees import splitting
from yardstick.kernel.case import FUNCTIONS, find_difference, run_case
from yardstick.kernel.cases import list_cases
from yardstick.kernel.hints import explains
from yardstick.kernel.mistakes import list_mistakes, make_mistake, read_catalogue


@pytest.mark.parametrize("mistake", read_catalogue(), ids=lambda mistake: mistake.words)
def test_a_mistake_shows_in_each_of_its_functions_and_explains_itself(mistake):
    functions, module = mistake.find_note("in").split(), make_mistake(mistake)
    assert {*functions} <= {*FUNCTIONS}
    for function, cases in list_cases(functions).items():
        differs = (
            (case, made)
            for case in sorted(cases, key=lambda case: "many rows" in case.name)  # fast ones first
            if find_difference(run_case(splitting, case), made := run_case(module, case)) is not None
        )
        case, made = next(differs)
        assert explains(mistake, case, made)
        assert not explains(mistake, case, run_case(splitting, case))
        assert mistake in list_mistakes(function)


def test_the_specification_stays_as_it_is():
    assert splitting.best_split is not make_mistake(read_catalogue()[0]).best_split
