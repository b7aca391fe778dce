"""The exercise lambda_gradients: refrank check lambda_gradients.py --task lambda_gradients"""


def lambda_gradients(scores, y, truncation):
    """The same, each pair times the absolute change of NDCG at `truncation` if i and j swapped places.

    Burges 2010 Sec. 4; McRank Sec. 1:

        lambda_ij = -|Delta NDCG_ij| / (1 + exp(s_i - s_j)) for y_i > y_j; add to i, take from j

    Parameters
    ----------
    scores : s, float64, (n,)
    y : grades, int64, (n,), not all equal
    truncation : L, an integer

    Returns
    -------
    cost : float64
    lambdas : float64, (n,): dC/ds
    """
    raise NotImplementedError
