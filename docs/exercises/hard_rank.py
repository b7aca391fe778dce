"""The exercise hard_rank: refrank check hard_rank.py --task hard_rank"""


def hard_rank(answers):
    """Number of answers of 1/2 or more.

    COCR Eq. 2:

        r = sum over k of [h_k >= 1/2]

    Parameters
    ----------
    answers : h_k(x), float64, (n, max_grade); not clipped

    Returns
    -------
    rank : int64, (n,)
    """
    raise NotImplementedError
