"""The exercise leaf_values: refrank check leaf_values.py --task leaf_values"""


def leaf_values(residual, proba, leaf, n_classes, weight):
    """Newton step of each leaf: (K-1)/K times its sum of residuals over its sum of p (1 - p); 0 where that is 0.

    McRank Alg. 1, line 6:

        beta_j = (K-1)/K times sum over R_j of (y~ - p) / sum over R_j of (1 - p) p

    Parameters
    ----------
    residual : y~ - p of one class, float64, (n,)
    proba : p of the class, float64, (n,)
    leaf : number of the leaf of each row, int64, (n,), from 0
    n_classes : K, an integer
    weight : float64, (n,), or None

    Returns
    -------
    values : float64, (n_leaves,)
    """
    raise NotImplementedError
