"""The exercise dcg: refrank check dcg.py --task dcg"""


def dcg(y, score, k):
    """Sum over the first k positions of (2^y - 1) / log2(1 + position).

    McRank Eq. 1 and 2:

        DCG = sum over i = 1..k of (2^y_[i] - 1) c_[i], with c_[i] = 1 / log2(1 + i); y_[i] has rank i

    Parameters
    ----------
    y : labels, integers of at least 0, (n,)
    score : scores, float64, (n,); the highest is ranked first, equal ones in the order of the file
    k : truncation level, an integer of at least 1, or None: all documents

    Returns
    -------
    dcg : float64
    """
    raise NotImplementedError
