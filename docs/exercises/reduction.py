"""The exercise reduction: refrank check reduction.py --task reduction"""


def reduction(y, max_grade, cost, sample_weight):
    """Right answer (is y >= k?) and weight of each document in the problems k = 1..K.

    COCR Eq. 1 and 5:

        b^(k) = 1 if y >= k, else 0; w^(k) = |c[k] - c[k-1]|; k = 1..K

    Parameters
    ----------
    y : grades, int64, (n,)
    max_grade : K, an integer from 1 to 31
    cost : "absolute", "squared" or "oerr"
    sample_weight : float64, (n,), or None

    Returns
    -------
    answers : float64, (n, max_grade)
    weights : float64, (n, max_grade)
    """
    raise NotImplementedError
