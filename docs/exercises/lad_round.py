"""The exercise lad_round: refrank check lad_round.py --task lad_round"""


def lad_round(target, scores, leaf, learning_rate, weight):
    """F after one round of least absolute deviation: leaves step to the median of their residuals.

    Friedman 2001 Alg. 3, lines 3 to 6:

        gamma_j = median over R_j of (y - F); F += nu gamma

    Parameters
    ----------
    target : y~, float64, (n,)
    scores : S, float64, (n,)
    leaf : number of the leaf of each row, int64
    learning_rate : nu, float64
    weight : float64, (n,), or None

    Returns
    -------
    scores : float64, (n,)
    """
    raise NotImplementedError
