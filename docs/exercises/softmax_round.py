"""The exercise softmax_round: refrank check softmax_round.py --task softmax_round"""


def softmax_round(y, scores, leaf, learning_rate, weight):
    """F after one round of Algorithm 1, where the tree of class k has the leaves leaf[:, k].

    McRank Alg. 1, lines 3 to 7:

        for each class k: p by softmax of F; beta by line 6 in each leaf of its tree; F_k += nu beta

    Parameters
    ----------
    y : classes, int64, (n,)
    scores : F before the round, float64, (n, n_classes)
    leaf : number of the leaf of each row, int64 of each class's tree, (n, n_classes)
    learning_rate : nu, float64
    weight : float64, (n,), or None

    Returns
    -------
    scores : float64, (n, n_classes)
    """
    raise NotImplementedError
