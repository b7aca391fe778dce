"""The exercise median: refrank check median.py --task median"""


def median(values, weight):
    """The middle value, or the mean of the middle two; weights count as numbers of rows; 0 without weight.

    Friedman 2001 Alg. 3, line 1:

        the lowest value with half of the weight at or below it; if exactly half, the mean with the next

    Parameters
    ----------
    values : float64, (n,)
    weight : float64, (n,), or None

    Returns
    -------
    median : float64
    """
    raise NotImplementedError
