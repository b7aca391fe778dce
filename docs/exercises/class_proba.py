"""The exercise class_proba: refrank check class_proba.py --task class_proba"""


def class_proba(cumulative_proba):
    """p_k = Pr(y <= k) - Pr(y <= k - 1), with Pr(y <= -1) = 0 and Pr(y <= K - 1) = 1.

    McRank Eq. 8:

        Pr(y = k) = Pr(y <= k) - Pr(y <= k - 1)

    Parameters
    ----------
    cumulative_proba : float64, (n, n_classes - 1)

    Returns
    -------
    class_proba : float64, (n, n_classes)
    """
    raise NotImplementedError
