"""The exercise quantize: refrank check quantize.py --task quantize"""


def quantize(x, cuts):
    """The bin of each value: the number of cuts that are at most x.

    McRank App. I:

        bin b holds x where cuts[b - 1] <= x < cuts[b]

    Parameters
    ----------
    x : float64, (n,)
    cuts : float64, ascending, (number of bins - 1,)

    Returns
    -------
    codes : int64, (n,)
    """
    raise NotImplementedError
