"""Docstrings are written from the fields of a class and of its bases."""

from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pytest

from refrank import GBRTRanker
from refrank.estimators.fields import check_flag, check_parameters, estimator, learned, parameter, simplify


@estimator()
class Base:
    """A base."""

    verbose: int = parameter("Stands last.", default=0)
    model_: float | None = learned("What fit learns.", saved=False)


@estimator()
class Ranker(Base):
    """A ranker.

    Notes
    -----
    A note.
    """

    alpha: float = parameter("Without a default.")
    update: Literal["one", "other"] = parameter("A choice.", default="one")
    base: Any = parameter("Of a kind that no type says.", default=None, kind="regressor")

    @cached_property
    def share_(self) -> bool:
        """Computed when it is asked for."""
        return True


WRITTEN = (
    'A ranker.|Parameters|alpha : float|Without a default.|update : "one" or "other", default "one"|A choice.|'
    "base : regressor, optional|Of a kind that no type says.|verbose : int, default 0|Stands last.|"
    "Attributes|model_ : float|What fit learns.|share_ : bool|Computed when it is asked for.|"
    "n_features_in_ : int|Features seen in fit.|feature_names_in_ : array of shape (n_features_in_,)|"
    "Their names, if X has names.|Notes|A note."
)


def test_a_docstring_lists_own_and_inherited_parameters_and_attributes_above_its_notes():
    lines = [line.strip() for line in Ranker.__doc__.splitlines()]
    assert "|".join(line for line in lines if line.strip("-")) == WRITTEN
    assert "verbose : int" in Base.__doc__
    assert "alpha" not in Base.__doc__


OTHER_TYPES = [(np.int8(3), 3), (np.uint64(2**63), 2**63), (np.float32(0.5), 0.5), (Fraction(1, 2), 0.5)]


@pytest.mark.parametrize(("value", "plain"), [*OTHER_TYPES, (np.True_, True), (np.str_("one"), "one")])
def test_numbers_words_and_flags_of_other_types_become_those_of_python(value, plain):
    assert simplify(value) == plain
    assert type(simplify(value)) is type(plain)


@pytest.mark.parametrize("value", [None, [1.0], np.zeros(1), Fraction(10**400), Fraction(-(10**400))])
def test_other_values_and_fractions_beyond_float64_stay_as_they_are(value):
    assert simplify(value) is value


def test_checked_parameters_are_of_the_types_of_python():
    ranker = GBRTRanker(n_rounds=np.int8(3), learning_rate=np.float32(0.5), clip=np.True_)
    check_parameters(ranker)
    assert [type(value) for value in (ranker.n_rounds, ranker.learning_rate, ranker.clip)] == [int, float, bool]


@pytest.mark.parametrize("value", [True, False, np.True_, np.False_, "each-round", np.str_("each-round")])
def test_a_flag_or_a_word_passes(value):
    check_flag("clip", value, ["each-round"])


@pytest.mark.parametrize("value", [1, 0, 1.0, None, "other", "", ["each-round"], np.array(["each-round"]), np.int8(1)])
def test_what_is_neither_a_flag_nor_a_word_is_named(value):
    with pytest.raises(ValueError, match=r"^clip is .*: it must be True, False or 'each-round'$"):
        check_flag("clip", value, ["each-round"])
