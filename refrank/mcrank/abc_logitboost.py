"""ABC-LogitBoost: robust LogitBoost with an adaptive base class (not in the three papers).

Li 2010 is "Robust LogitBoost and Adaptive Base Class (ABC) LogitBoost", UAI 2010. It minimises the loss of McRank's
Eq. 7, sum_i -log p_{i,y_i}, where the scores of a document add up to 0: F_b = -sum_{k != b} F_k. So the loss is a
function of the scores of the K - 1 classes other than the base class b, with the derivatives

    by F_k, negated:   r = (y~_k - p_k) - (y~_b - p_b)
    twice by F_k:      w = p_b (1 - p_b) + p_k (1 - p_k) + 2 p_b p_k,

and each round may choose another b.

    symbol         in code                    shape
    y              y                          (n_samples,) integers 0..K-1
    K              n_classes                  int
    M, nu          n_rounds, learning_rate    int, float
    -              outputs                    (n_samples, K (K-1)): what each b taught each k, b after b
    F              scores                     (n_samples, n_classes)
    p              proba                      (n_samples, n_classes)
    R_j, beta_j    leaves, values             (n_leaves,)

    Li 2010 ABC-LogitBoost    in our words
    step 1                    all scores F start at 0, so each p is 1/K
    step 2                    for each round m = 1..M
    step 3                        for each base class b
    step 4                            for each class k other than b
    step 5                                grow a tree of J leaves on r, with the weights w
    step 6                                beta of a leaf: its sum of r, over its sum of w
    step 7                                add nu times the beta of its leaf to the F_k of each document
    step 8                            F_b: minus the sum of the others
    step 9                            the loss with these scores
    step 10                       keep the scores of the b of least loss, and p: their softmax

`choose_best` tries all b, as printed. `choose_worst` takes the class of largest loss, which Li proposed before: its
trees alone are grown, a K-th of the work. The model keeps what each base class taught apart, so that the round that a
tree belongs to need not be known: F_k is what all b taught k, less what k as the base class taught the others.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np

from refrank.arrays import Floats, Labels
from refrank.cluster.communicator import count_rows, find_shards
from refrank.mcrank.logarithm import compute_log
from refrank.mcrank.robust_logitboost import step_classes
from refrank.mcrank.softmax_boosting import Round, compute_residual, softmax
from refrank.trees.events import OutputsKept
from refrank.trees.growth.grower import Grower
from refrank.trees.model.tree import LEAF, Tree, read_only
from refrank.trees.numbers.grid import exact_sum, to_grid, weigh

Taught = tuple[list[Tree], Floats]  # trees of a base class, and its block of the outputs after them
Learn = Callable[[int, Floats], Taught]  # of a base class and p
Choose = Callable[[Labels, Floats, Floats, Learn, Floats | None], tuple[int, Taught]]


def make_abc_logitboost(choose: Choose) -> Callable[..., Iterator[Round]]:
    """Make ABC-LogitBoost with a rule for its base classes: `choose_best` or `choose_worst`.

    Arguments and records are those of `softmax_boosting_sequential`, except that the scores of a record, and `start`,
    are outputs, and that there is one tree per output: a lone leaf of value 0 for those of the other base classes.

    Examples
    --------
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 2])
    >>> binned = bin_features(X, 256, engine=default_engine())
    >>> *_, last = make_abc_logitboost(choose_best)(y, 3, Grower(binned, n_leaves=3), n_rounds=50, learning_rate=0.1)
    >>> softmax(sum_outputs(last.scores)).argmax(axis=1)
    array([0, 0, 1, 2])
    """

    def boost(
        y: Labels,
        n_classes: int,
        grow: Grower,
        n_rounds: int,
        learning_rate: float,
        weight: Floats | None = None,
        start: Floats | None = None,
    ) -> Iterator[Round]:
        # Li 2010 ABC-LogitBoost, step 1
        n_others = n_classes - 1
        outputs = np.zeros((len(y), n_classes * n_others), order="F") if start is None else np.array(start, order="F")

        def learn(b: int, proba: Floats) -> Taught:
            block = outputs[:, b * n_others : (b + 1) * n_others].copy(order="F")
            return learn_others(y, b, proba, block, grow, learning_rate, weight), block

        # Li 2010 ABC-LogitBoost, step 2
        for m in range(1, n_rounds + 1):
            proba = softmax(sum_outputs(outputs), grow.engine)
            b, (trees, block) = choose(y, outputs, proba, learn, weight)
            # Li 2010 ABC-LogitBoost, step 10
            outputs[:, b * n_others : (b + 1) * n_others] = block
            grow.engine.tell(OutputsKept(outputs))
            idle = make_lone_leaf(count_rows(len(y)))
            before, after = (idle,) * b * n_others, (idle,) * (n_others - b) * n_others
            yield Round(m, (*before, *trees, *after), read_only(outputs))

    return boost


def choose_best(y: Labels, outputs: Floats, proba: Floats, learn: Learn, weight: Floats | None) -> tuple[int, Taught]:
    """Try each base class, and choose that of least loss; of equal ones, the first."""
    losses, taught = [], []
    # Li 2010 ABC-LogitBoost, step 3
    for b in range(proba.shape[1]):
        trees, block = learn(b, proba)
        tried, n_others = outputs.copy(order="F"), block.shape[1]
        tried[:, b * n_others : (b + 1) * n_others] = block
        # Li 2010 ABC-LogitBoost, step 9
        losses.append(exact_sum(weigh(compute_losses(y, softmax(sum_outputs(tried))), weight)))
        taught.append((trees, block))
    best = int(np.argmin(losses))
    return best, taught[best]


def choose_worst(y: Labels, outputs: Floats, proba: Floats, learn: Learn, weight: Floats | None) -> tuple[int, Taught]:
    """Choose the class whose documents have the largest loss before the round; of equal ones, the first."""
    # Departs from Li 2010 ABC-LogitBoost, step 3: one base class is tried, that of largest loss
    losses = to_grid(weigh(compute_losses(y, proba), weight)).integers
    sums = np.array([losses[y == k].sum() for k in range(proba.shape[1])])
    worst = int(np.argmax(find_shards().sum(sums)))
    return worst, learn(worst, proba)


CHOOSE = {"best": choose_best, "worst": choose_worst}


def learn_others(
    y: Labels, b: int, proba: Floats, block: Floats, grow: Grower, learning_rate: float, weight: Floats | None
) -> list[Tree]:
    """Grow the trees of all classes other than the base class, and add their steps to its block of the outputs."""
    # Li 2010 ABC-LogitBoost, step 4
    others = [k for k in range(proba.shape[1]) if k != b]
    # Li 2010 ABC-LogitBoost, step 5
    roots = grow.make_newton_roots(compute_derivatives(y, k, b, proba, weight) for k in others)
    # Li 2010 ABC-LogitBoost, step 6: `step_classes` without the factor (K-1)/K
    # Li 2010 ABC-LogitBoost, step 7
    return step_classes(grow, roots, [block[:, c] for c in range(len(others))], 1.0, learning_rate)


def compute_derivatives(y: Labels, k: int, b: int, proba: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
    """Compute r and w of class k beside the base class b, (n_samples,) each, times the weights of the rows."""
    p, q = proba[:, k], proba[:, b]
    curvature = (1.0 - q) * q + (1.0 - p) * p + 2.0 * (q * p)
    return weigh(compute_residual(y, k, p) - compute_residual(y, b, q), weight), weigh(curvature, weight)


def sum_outputs(outputs: Floats) -> Floats:
    """Add up F, (n_samples, K), from the outputs, (n_samples, K (K-1)): what is added to F_k is taken from F_b."""
    n_classes = (1 + math.isqrt(1 + 4 * outputs.shape[1])) // 2
    scores = np.zeros((len(outputs), n_classes), order="F")
    columns = iter(outputs.T)
    for b in range(n_classes):
        for k in range(n_classes):
            if k != b:
                taught = next(columns)
                scores[:, k] += taught
                # Li 2010 ABC-LogitBoost, step 8
                scores[:, b] -= taught
    return scores


def compute_losses(y: Labels, proba: Floats) -> Floats:
    """Compute -log p_{i,y_i} of each document, (n_samples,); a p below 2^-1022 counts as that."""
    return -compute_log(np.maximum(proba[np.arange(len(y)), y], np.finfo(np.float64).tiny))


def make_lone_leaf(n_samples: int) -> Tree:
    """Make the tree without a cut, of value 0, that all rows reach."""
    none, zero = np.zeros(1, np.int32), np.zeros(1)
    return Tree(none + LEAF, none, zero, none, none, zero, np.array([n_samples], np.int64), zero)
