"""The methods of a ranker that look inside its model; `refrank.inspection` does the work."""

import os
import sys
from abc import ABC
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from math import fsum
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn import clone, get_config
from sklearn.utils.validation import check_is_fitted

from refrank.arrays import Floats, Matrix
from refrank.checks import check_integer
from refrank.estimators.feature_tables import take_features
from refrank.estimators.query_ids import take_query_ids
from refrank.inspection.card import Curve, write_card
from refrank.inspection.contributions import compute_contributions
from refrank.inspection.named_tree import NamedTree
from refrank.inspection.pairs import PairExplanation, check_document, find_swap, list_cuts
from refrank.inspection.step.page import write_page
from refrank.inspection.step.training import record_query
from refrank.inspection.sums import TreeSum

TAKES_ALL = "refrank.inspection.permutation_importance takes every ranker"
SIZES = {  # by their words on a card
    "features": "n_features_in_",
    "classes": "n_classes_",
    "queries": "n_queries_",
    "trees in the forest": "n_trees_",
    "rounds": "n_rounds_",
}
LAST = sys.maxsize  # a step that yields only the last stage


class Inspected(ABC):
    """A ranker whose model can be looked at; a ranker that is a sum of trees lists them."""

    n_features_in_: int
    check_rows: Callable[[ArrayLike], Matrix]
    _check_features: Callable[[Matrix], None]
    _staged: Callable[[Matrix, int], Iterator[Floats]]

    def tree(self, m: int, k: int = 0, forest: bool = False) -> NamedTree:
        """Return the tree T_{m,k} with the names of the features; `print` writes it.

        Parameters
        ----------
        m : int
            The round, or the number of a forest's tree, from 1.
        k : int, default 0
            The output, from 0: a class, a problem, or the one score.
        forest : bool, default False
            Whether to take a tree of the forest that iGBRT starts from, not one of its boosting.

        Returns
        -------
        NamedTree

        Raises
        ------
        ValueError
            If there is no such tree.
        """
        check_is_fitted(self, "model_")
        sums = self.list_sums()
        if forest and len(sums) < 2:
            raise ValueError(f"forest is True: {type(self).__name__} has one sum of trees, and m counts them all")
        part = sums[0 if forest else -1]
        rounds = part.ensemble.rounds
        check_integer("m", m, 1, len(rounds))
        check_integer("k", k, 0, len(part.ensemble.initial) - 1)
        where = f"tree {m}{' of the forest' if forest else ''}, output {k}, of {type(self).__name__}"
        return NamedTree(rounds[m - 1][k], f"{where}; it adds {part.factor:.6g} times a value", *self._name_columns())

    def contributions(self, X: ArrayLike) -> Floats:
        """Split the score of each row into a part per feature, which add up to it in every bit.

        In a tree, a cut on the way of a row moves the mean of the leaves below, and the move belongs to its feature.
        `refrank.inspection.contributions` has the rule, and `refrank.inspection.weights` that for several outputs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_features + 2)
            A part per feature; the base value, which is that of a row that meets no cut, up to rounding; and the rest
            of the rounding, below 2^-51 of the parts. `math.fsum` of a row is its score.

        Raises
        ------
        ValueError
            If the ranker is not a sum of trees.

        Examples
        --------
        >>> import math
        >>> from refrank import LSBoostRanker
        >>> ranker = LSBoostRanker(n_rounds=50, n_leaves=2).fit([[0.0, 3.0], [1.0, 4.0], [1.0, 9.0]], [0, 1, 3])
        >>> table = ranker.contributions([[1.0, 9.0]])
        >>> table.round(2).tolist(), math.fsum(table[0]) == ranker.predict([[1.0, 9.0]]).item()
        ([[0.19, 3.7, 2.67, 0.0]], True)
        """
        rows = self.check_rows(X)
        return compute_contributions(self.list_sums(), rows, self._score_rows(rows), self._weigh_outputs)

    def explain_pair(self, a: ArrayLike, b: ArrayLike) -> PairExplanation:
        """Explain why one document ranks above another, and what would swap them.

        The parts are differences of `contributions`. The nearest swap is the change of one feature of one document that
        passes the fewest cuts of the model and puts the lower document above the other; all such changes are tried.

        Parameters
        ----------
        a, b : array-like of shape (n_features,)
            The features of two documents.

        Returns
        -------
        PairExplanation

        Raises
        ------
        ValueError
            If the ranker is not a sum of trees, or a document has another number of features.

        Examples
        --------
        >>> from refrank import LSBoostRanker
        >>> ranker = LSBoostRanker(n_rounds=50, n_leaves=2).fit([[0.0, 3.0], [1.0, 4.0], [1.0, 9.0]], [0, 1, 3])
        >>> print(ranker.explain_pair([0.0, 9.0], [1.0, 4.0]))
        a above b by 5: x1 +5.6, x0 -0.57; would swap if x1 < 6.5
        """
        check_is_fitted(self, "model_")
        rows = np.stack([check_document(name, row, self.n_features_in_) for name, row in (("a", a), ("b", b))])
        self._check_features(rows)
        sums = self.list_sums()
        table = compute_contributions(sums, rows, self._score_rows(rows), self._weigh_outputs)
        names = getattr(self, "feature_names_in_", [f"x{f}" for f in range(self.n_features_in_)])
        swap = find_swap(list_cuts(sums, self.n_features_in_), rows, self._score_rows, names, self._missing_marker)
        scores = [fsum(row) for row in table]
        return PairExplanation(names, (scores[0], scores[1]), (table[0] - table[1])[:-2], swap)

    def step(
        self,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        query: object = None,
        out: str | os.PathLike[str],
    ) -> None:
        """Train on rows, and write a page that shows the training step by step, at the documents of one query.

        A copy of the ranker is trained on all rows; the ranker stays as it is. The page is one file of HTML without
        requests, which any browser opens. Few rounds, small trees and few bins keep it below 1 MB.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        qid : array-like of shape (n_samples,), optional
            As in `fit`.
        query : object, optional
            The id of the query that is shown; by default the only one.
        out : str or path
            The file to write.

        Raises
        ------
        ValueError
            If there is no such query, the page would have 1 MB or more, or the page has no lines of the algorithm.

        Examples
        --------
        >>> import tempfile
        >>> from refrank import SoftmaxBoostRanker
        >>> ranker = SoftmaxBoostRanker(n_rounds=2, n_leaves=3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ranker.step([[4.0], [6.0], [1.0]], [0, 1, 2], out=f"{folder}/page.html")
        ...     os.listdir(folder)
        ['page.html']
        """
        names = [str(name) for name in getattr(X, "columns", ()) if name != "qid"]
        X, qid = take_query_ids(X, qid)
        features = np.asarray(take_features(X))
        ids = None if qid is None else np.asarray(qid)
        write_page(record_query(clone(self), features, np.asarray(y), ids, query, names), out)

    def _repr_html_(self) -> str:
        """Draw the card of the ranker; `_repr_mimebundle_` hands it to notebooks in the place of scikit-learn's."""
        rows = [(held.name, getattr(self, held.name), held.default) for held in fields(cast(Any, self)) if held.init]
        changed = [(name, value) for name, value, default in rows if repr(value) != repr(default)]
        unchanged = [(name, value) for name, value, default in rows if repr(value) == repr(default)]
        sizes = [(word, getattr(self, name)) for word, name in SIZES.items() if hasattr(self, name)]
        history = np.asarray(getattr(self, "history_", ()))
        best, name = int(getattr(self, "best_round_", 0)), getattr(self, "measure_", "validation")
        curve = Curve(history.tolist(), best, name) if best and history.ndim == 1 and len(history) else None
        learned = getattr(self, "feature_importances_", None), getattr(self, "feature_names_in_", None)
        heading = type(self).__name__ + ("" if sizes else ", not fitted")
        return write_card(heading, changed, unchanged, sizes, *learned, curve)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        shown = {"text/plain": repr(self)}
        return shown | ({"text/html": self._repr_html_()} if get_config()["display"] == "diagram" else {})

    def list_sums(self) -> tuple[TreeSum, ...]:
        """List the sums of trees that make the outputs; a ValueError says which rankers have none."""
        raise ValueError(f"{type(self).__name__} is not a sum of trees: {TAKES_ALL}")

    @property
    def _missing_marker(self) -> float | None:
        """The number that marks a missing entry, if one does."""
        return None

    def _score_rows(self, rows: Matrix) -> Floats:
        """Score rows that have been checked, (n_samples, n_features)."""
        return next(self._staged(rows, LAST))

    def _weigh_outputs(self, base: Floats, outputs: Floats) -> Floats:
        """Weigh changes of the outputs from their base, (n_outputs,), in the score: in the shape of `outputs`."""
        return np.ones_like(outputs)

    def _name_columns(self) -> tuple[Sequence[str] | None, Matrix | None]:
        """Return the names of the columns that trees cut on, and the substitutes of missing entries, if any."""
        return getattr(self, "feature_names_in_", None), None
