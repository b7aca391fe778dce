"""The trees of an earlier fit of iGBRT's rankers: checked, and subtracted from the residuals of the next round."""

from refrank.arrays import Floats
from refrank.cluster.communicator import find_place
from refrank.estimators.tree_ranker import Problems, Trees
from refrank.estimators.warm_start import require_more, require_rows, require_same
from refrank.igbrt.gbrt import Hold
from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import add_predictions


def list_trees(forest: Ensemble | None, n_trees: int, problems: Problems) -> tuple[Trees, ...]:
    """List the trees of an earlier forest, if any; the forest must have drawn the rows of these problems."""
    earlier = () if forest is None else forest.rounds
    require_more("n_trees", n_trees, len(earlier))
    if earlier:
        first, n_samples = find_place(len(problems.X))
        counts = bootstrap_counts(problems.seeds[0], 0, n_samples)[first : first + len(problems.X)]
        require_rows(earlier[0][:1], problems.X, problems.binned.engine, counts)
    return earlier


def list_rounds(
    model: Ensemble | None, n_rounds: int, learning_rate: float, start: tuple[float, ...], problems: Problems
) -> tuple[Trees, ...]:
    """List the rounds of an earlier boosting, if any; it must have started from the same numbers."""
    earlier = () if model is None else model.rounds
    require_more("n_rounds", n_rounds, len(earlier))
    if model is not None and earlier:
        require_same("learning_rate", learning_rate, model.learning_rate)
        require_same("the start of the sum", start, model.initial)
        require_rows(earlier[0][:1], problems.X, problems.binned.engine)
    return earlier


def take_off(
    earlier: tuple[Trees, ...], c: int, residual: Floats, learning_rate: float, problems: Problems, hold: Hold
) -> Floats:
    """Subtract earlier rounds from the residual of problem c, (n_samples,), in place and as they did; return it."""
    for trees in earlier:
        add_predictions([trees[c]], problems.X, -learning_rate, residual, problems.binned.engine)
        hold(residual)
    return residual
