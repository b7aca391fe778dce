"""The exercise expected_relevance: refrank check expected_relevance.py --task expected_relevance"""


def expected_relevance(class_proba, transform):
    """S = sum over k of p_k T(k), in the order of the classes.

    McRank Eq. 5:

        S_i = sum over k of p_(i,k) T(k)

    Parameters
    ----------
    class_proba : float64, (n, n_classes)
    transform : T: "k", "2^k" or "2^k-1"; None: "k"

    Returns
    -------
    scores : float64, (n,)
    """
    raise NotImplementedError
