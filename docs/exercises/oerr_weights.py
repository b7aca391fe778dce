"""The exercise oerr_weights: refrank check oerr_weights.py --task oerr_weights"""


def oerr_weights(y, max_grade):
    """Weights of the binary problems for the cost oERR: |c[k] - c[k-1]| with c[k] = (2^y - 2^k)^2.

    COCR Eq. 5 and 13:

        w^(k) = |c[k] - c[k-1]| for k = 1..K, with c[k] = (2^y - 2^k)^2

    Parameters
    ----------
    y : grades, int64, (n,)
    max_grade : K, an integer from 1 to 31

    Returns
    -------
    weights : int64, (n, max_grade)
    """
    raise NotImplementedError
