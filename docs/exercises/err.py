"""The exercise err: refrank check err.py --task err"""


def err(y, score, k, max_grade):
    """Sum over the first k positions of 1/position times the probability that the user stops there.

    COCR Eq. 8; iGBRT Eq. 4 and 5:

        ERR = sum over i of 1/i R(y_[i]) times the product over j < i of (1 - R(y_[j])), R(y) = (2^y - 1) / 2^K

    Parameters
    ----------
    y : labels, integers of at least 0, (n,)
    score : scores, float64, (n,); the highest is ranked first, equal ones in the order of the file
    k : truncation level, an integer of at least 1, or None: all documents
    max_grade : K of (2^y - 1) / 2^K, an integer of at least 1

    Returns
    -------
    err : float64
    """
    raise NotImplementedError
