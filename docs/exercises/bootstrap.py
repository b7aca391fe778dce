"""The exercise bootstrap: refrank check bootstrap.py --task bootstrap"""


def bootstrap(seed, tree, n_samples):
    """The rows that tree t of a forest draws: n of n with replacement, in the order drawn.

    iGBRT Alg. 1, line 2:

        D_t: n of n rows with replacement; row i is (number i of the tree's stream) n / 2^64, rounded down

    Parameters
    ----------
    seed : integer, below 2^63
    tree : integer, from 0
    n_samples : integer

    Returns
    -------
    rows : int64, (n_samples,)
    """
    raise NotImplementedError
