"""Docstrings are written from the fields of a class and of its bases."""

from functools import cached_property
from typing import Any, Literal

from refrank.estimators.fields import estimator, learned, parameter


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
