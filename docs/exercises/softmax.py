"""The exercise softmax: refrank check softmax.py --task softmax"""


def softmax(scores):
    """p_k = exp(F_k - highest F) over the sum of these, added in the order of the classes.

    McRank Alg. 1, line 4:

        p_k = exp(F_k) / sum over s of exp(F_s)

    Parameters
    ----------
    scores : F, float64, (n, n_classes)

    Returns
    -------
    proba : float64, (n, n_classes)
    """
    raise NotImplementedError
