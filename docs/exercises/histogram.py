"""The exercise histogram: refrank check histogram.py --task histogram"""


def histogram(codes, offsets, rows, integers, weights):
    """Per slot: the sum of the residuals of the node's rows, their number, and with weights the sum of the weights.

    McRank App. I:

        bucket sort: each row adds its residual, 1, and its weight to the slot of its bin, per feature

    Parameters
    ----------
    codes : bin labels, int64, (n, n_features)
    offsets : int64, (n_features + 1,): feature f has the slots offsets[f] .. offsets[f + 1] - 1
    rows : the rows of the node, int64, (n_rows,)
    integers : residuals on their grid, int64, (n,)
    weights : int64, (n,), or None

    Returns
    -------
    sums : int64, (n_slots, 2), or with weights (n_slots, 3)
    """
    raise NotImplementedError
