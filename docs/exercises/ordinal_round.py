"""The exercise ordinal_round: refrank check ordinal_round.py --task ordinal_round"""


def ordinal_round(y, n_classes, leaf, learning_rate):
    """Pr(y <= k) for k = 0..K-2 after one round from F = 0: Algorithm 1 with two classes for each k.

    McRank Sec. 4:

        for each k = 0..K-2: classes {y <= k} and {y > k}, then Algorithm 1 with two classes

    Parameters
    ----------
    y : classes, int64, (n,)
    n_classes : K, an integer
    leaf : (n, n_classes - 1), int64: number of the leaf of each row in the trees of each problem
    learning_rate : nu, float64

    Returns
    -------
    cumulative_proba : float64, (n, n_classes - 1)
    """
    raise NotImplementedError
