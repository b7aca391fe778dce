"""The exercise ls_round: refrank check ls_round.py --task ls_round"""


def ls_round(target, scores, leaf, learning_rate, weight):
    """S after one round of Algorithm 2.

    McRank Alg. 2, lines 3 to 5:

        beta_j = mean over R_j of (y~ - S); S += nu beta

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
