"""A ranker that only predicts, with trees trained by another program (`refrank.models.exchange` reads its file).

    symbol    in code         shape
    F         sums            (n_samples, n_outputs), sums of trees
    K         n_outputs       1: F is the score; more: the classes of a softmax
    -         rules_          how a cut reads an entry of X that is missing
    -         columns         (n_samples, len(rules_) * n_features)

Each program has its own rules for missing entries, node by node. In refrank a row goes left if x < cut, and right if x
is NaN. So a cut on feature f under rule r becomes a cut on column r * n_features + f of a wider table. There the rule
has replaced the entries that it treats as missing: -inf goes left at every cut, +inf goes right.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from refrank.arrays import Floats, Matrix
from refrank.checks import check_choice, check_finite
from refrank.estimators.base import LAST, THREADS, Ranker
from refrank.estimators.fields import estimator, learned, parameter
from refrank.estimators.run import Run, Training
from refrank.inspection.importances import share_gains
from refrank.inspection.sums import TreeSum, list_trees
from refrank.inspection.weights import weigh_softmax
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.softmax_boosting import softmax
from refrank.trees.engine import default_engine
from refrank.trees.model.ensemble import Ensemble

__all__ = ["ImportedRanker"]

Source = Literal["lightgbm", "xgboost", "ranklib"]
TINY = float(np.float32(1e-35))  # LightGBM reads an entry of at most this magnitude as 0
RULES: Mapping[str, Callable[[Matrix], Matrix]] = {
    "nan right": lambda X: np.where(np.isnan(X), np.inf, X),
    "nan left": lambda X: np.where(np.isnan(X), -np.inf, X),
    "nan is zero": lambda X: np.where(np.isnan(X), 0.0, X),
    "zero right": lambda X: np.where(np.isnan(X) | (X == 0), np.inf, X),
    "zero left": lambda X: np.where(np.isnan(X) | (X == 0), -np.inf, X),
}
ONLY_PREDICTS = "ImportedRanker only predicts: another program trained its trees; to train, use a ranker of refrank"


def has_classes(ranker: Any) -> bool:
    """Return whether a ranker has one output per class."""
    return hasattr(ranker, "model_") and len(ranker.model_.initial) > 1


@estimator()
class ImportedRanker(Ranker):
    """Trees of LightGBM, XGBoost or RankLib as a ranker that only predicts.

    One output is the score. Several outputs are the classes 0..K-1 of a softmax, whose expected relevance, sum_k p_k k,
    ranks a document (McRank, Eq. 5). Features are read as the program that wrote the file reads them.

    Examples
    --------
    >>> from refrank import LSBoostRanker
    >>> from refrank.models.exchange.lightgbm import write
    >>> from refrank.models.exchange.lightgbm_reader import read
    >>> from refrank.models.exchange.packing import make_portable
    >>> X = [[0.0], [1.0], [2.0]]
    >>> ranker = LSBoostRanker(n_rounds=3).fit(X, [0, 1, 2])
    >>> imported = read(write(make_portable(ranker)).decode())
    >>> imported.predict(X).tolist() == ranker.predict(X).tolist()
    True
    """

    algorithm: ClassVar[str] = "imported"
    trains: ClassVar[bool] = False

    n_threads: int | None = parameter(THREADS, default=None)

    model_: Ensemble = learned("The sums of trees, one per output; a leaf holds what is added.")
    source_: Source = learned("The program that trained the trees, whose reading of features is followed.")
    rules_: tuple[str, ...] = learned(
        "How each block of n_features_in_ columns, which the trees cut on, reads missing entries.", kind="tuple of str"
    )
    averages_: bool = learned("Whether the outputs are the sums divided by the number of rounds, as in a forest.")

    @property
    def n_rounds_(self) -> int:
        """Rounds of the file: trees per output."""
        return len(self.model_.rounds)

    def fit(self, X: ArrayLike, y: ArrayLike, *_: object, **__: object) -> Self:
        """Refuse to train on any X, (n_samples, n_features), and y with a ValueError; the model does not change."""
        raise ValueError(ONLY_PREDICTS)

    def predict_outputs(self, X: ArrayLike) -> Floats:
        """Compute the outputs of the rows of X, (n_samples, n_outputs): raw scores, which XGBoost calls margins."""
        return next(self._staged_outputs(self.check_rows(X), LAST))

    @available_if(has_classes)
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Compute the class probabilities of the rows of X, (n_samples, K), for a model with several outputs."""
        return softmax(self.predict_outputs(X), default_engine(self.n_threads))

    def check_rows(self, X: ArrayLike) -> Matrix:
        """Check rows to be scored, X of shape (n_samples, n_features); names are asked of a DataFrame alone."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
            return super().check_rows(X)

    def read_features(self, X: Matrix) -> Matrix:
        """Read features as the program does, in the shape of X: in float32, but LightGBM with tiny values as 0."""
        if self.source_ == "lightgbm":
            return np.where(np.abs(X) <= TINY, 0.0, X)
        with np.errstate(over="ignore"):  # infinite features are refused
            return X.astype(np.float32)

    def read_columns(self, X: Matrix) -> Matrix:
        """Return the columns that trees cut on: the features once per rule, (n_samples, len(rules_) * n_features)."""
        read = self.read_features(X)
        return np.hstack([RULES[check_choice("rules_", rule, RULES)](read) for rule in self.rules_])

    def __sklearn_tags__(self) -> Tags:
        """Declare that NaN is accepted, and marks a missing entry."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _check_features(self, X: Matrix) -> None:
        check_finite(self.read_features(RULES["nan is zero"](X)))

    def _start(self, data: Training) -> Run[Any]:
        raise ValueError(ONLY_PREDICTS)

    def _staged(self, X: Matrix, every: int, rounds: Iterator[Any] | None = None) -> Iterator[Floats]:
        engine = default_engine(self.n_threads)
        for outputs in self._staged_outputs(X, every):
            yield expected_relevance(softmax(outputs, engine)) if has_classes(self) else outputs[:, 0]

    def _staged_outputs(self, X: Matrix, every: int) -> Iterator[Floats]:
        """Yield the outputs, (n_samples, n_outputs), after each `every` rounds: a new array each time."""
        columns = self.read_columns(X)
        n_rounds = max(1, self.n_rounds_)
        for stage, sums in enumerate(self.model_.staged_scores(columns, default_engine(self.n_threads), every), 1):
            yield sums / min(stage * every, n_rounds) if self.averages_ else sums.copy()

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the total gain that the file states, (n_features,); 0 if it states none."""
        check_is_fitted(self, "model_")
        return share_gains(list_trees(self.list_sums()), self.n_features_in_)

    def list_sums(self) -> tuple[TreeSum, ...]:
        """List the one sum of trees."""
        return (TreeSum(self.model_, self.read_columns, max(1, self.n_rounds_) if self.averages_ else 1),)

    def _weigh_outputs(self, base: Floats, outputs: Floats) -> Floats:
        n_outputs = len(base)
        return weigh_softmax(base, outputs, np.arange(float(n_outputs))) if n_outputs > 1 else np.ones_like(outputs)

    def _name_columns(self) -> tuple[Sequence[str] | None, Matrix | None]:
        """Return the names of the features once per rule, and what each rule puts in the place of NaN."""
        n_features = self.n_features_in_
        names = getattr(self, "feature_names_in_", [f"x{f}" for f in range(n_features)])
        hole = np.full((1, 1), np.nan)
        fill = np.repeat([float(RULES[rule](hole)[0, 0]) for rule in self.rules_], n_features)
        return [*names] * len(self.rules_), fill
