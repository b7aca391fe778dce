"""COCR Sec. 3 letter by letter, in Python numbers: one document, one question at a time."""


def b(y_n, k):
    """Eq. 1: [[y_n >= k]]."""
    return 1 if y_n >= k else 0


def w(c_n, k):
    """Eq. 5: |c_n[k] - c_n[k-1]|."""
    return abs(c_n[k] - c_n[k - 1])


def transformed(y, c, max_grade):
    """The data sets D^(k): for k = 1..K the list of (b_n, w_n)."""
    return [[(b(y_n, k), w(c_n, k)) for y_n, c_n in zip(y, c, strict=True)] for k in range(1, max_grade + 1)]
