"""The exercise ndcg: refrank check ndcg.py --task ndcg"""


def ndcg(y, score, k):
    """DCG over the largest DCG that the query can have; 0 where no document is relevant.

    McRank Eq. 3:

        NDCG = DCG / DCG_g, where DCG_g is the DCG of all documents sorted by y

    Parameters
    ----------
    y : labels, integers of at least 0, (n,)
    score : scores, float64, (n,); the highest is ranked first, equal ones in the order of the file
    k : truncation level, an integer of at least 1, or None: all documents

    Returns
    -------
    ndcg : float64
    """
    raise NotImplementedError
