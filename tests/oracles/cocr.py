"""COCR Sec. 3 letter by letter, in Python numbers: one document, one question at a time."""

from fractions import Fraction


def b(y_n, k):
    """Eq. 1: [[y_n >= k]]."""
    return 1 if y_n >= k else 0


def w(c_n, k):
    """Eq. 5: |c_n[k] - c_n[k-1]|."""
    return abs(c_n[k] - c_n[k - 1])


def transformed(y, c, max_grade):
    """The data sets D^(k): for k = 1..K the list of (b_n, w_n)."""
    return [[(b(y_n, k), w(c_n, k)) for y_n, c_n in zip(y, c, strict=True)] for k in range(1, max_grade + 1)]


def r_g(h):
    """Eq. 2 with g_k = [[h_k >= 0.5]]."""
    return sum(1 for h_k in h if h_k >= Fraction(1, 2))


def r_h(h):
    """Eq. 6."""
    total = 0
    for h_k in h:
        total = total + h_k
    return total


def expected_rank(p):
    """E(y | x) = sum k P(y = k | x)."""
    return sum(k * p_k for k, p_k in enumerate(p))


def at_least(p):
    """P(y >= k | x), k = 1..K."""
    return [sum(p[k:]) for k in range(1, len(p))]
