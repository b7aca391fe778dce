"""The exercise binary_target: refrank check binary_target.py --task binary_target"""


def binary_target(y, c):
    """b^c: 1 where y < c, else 0.

    iGBRT Sec. 6:

        b^c = 1 if y < c, else 0

    Parameters
    ----------
    y : grades, int64, (n,)
    c : integer, from 1

    Returns
    -------
    target : float64, (n,)
    """
    raise NotImplementedError
