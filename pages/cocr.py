"""COCR (Ruan, Lin and Tsai 2014) on one page: the bits of refrank, by NumPy alone.

Cost-sensitive ordinal classification, by weighted regression. For each grade k = 1..K, a base regressor learns whether
y >= k, from rows weighted by what the answer costs; a document is ranked by the sum of the answers. Algorithm 1 is a
picture that the text at hand lacks: the steps are those of Sec. 3. The base is an argument: base() makes a regressor
with fit(X, answer, sample_weight=...) and predict(X).

    model = train(X, y, base=LeastSquares, cost=oerr)
    scores = predict(model, X)  # (n_samples,)

    python pages/cocr.py train.txt [test.txt]  # prints the score of each row of the last file, by least squares
"""

import math
import sys
from pathlib import Path

import numpy as np


def absolute(y, k):
    """Compute the absolute cost of the rank k where y is correct."""
    return abs(y - k)  # COCR Eq. 3


def squared(y, k):
    """Compute the squared cost of the rank k where y is correct."""
    return (y - k) ** 2  # COCR Eq. 4


def oerr(y, k):
    """Compute the optimistic ERR cost of the rank k where y is correct."""
    return (2**y - 2**k) ** 2  # COCR Eq. 13


def train(X, y, base, cost=oerr):
    """Run Algorithm 1 on X, (n_samples, n_features), and integer grades y, (n_samples,): return h_1, ..., h_K."""
    X = np.ascontiguousarray(X, np.float64)
    model = []
    for k in range(1, y.max() + 1):  # COCR Alg. 1: for each question, "is the grade k or higher?"
        answer = (y >= k).astype(np.float64)  # COCR Eq. 1
        weight = np.abs(cost(y, k) - cost(y, k - 1)).astype(np.float64)  # COCR Eq. 5
        asked = answer[weight > 0]
        if len(np.unique(asked)) < 2:  # Paper is silent: all answers that count agree
            model.append(float(asked[0]) if len(asked) else 0.0)
            continue
        weight = np.ldexp(weight, -np.frexp(weight.max())[1])
        weight *= len(y) / math.fsum(weight)  # Paper is silent: on the scale of the weights; one on average
        weighted = {} if (weight == 1).all() else {"sample_weight": weight}
        model.append(base().fit(X, answer, **weighted))  # COCR Alg. 1: train h_k
    return model


def predict(model, X):
    """Score the rows of X by the soft rank, the sum of the answers."""
    scores = np.zeros(len(X))
    for column in decide(model, X).T:
        scores += column  # COCR Eq. 6
    return scores


def predict_rank(model, X):
    """Predict grades by the hard rank, (n_samples,): how many answers are yes."""
    return (decide(model, X) >= 0.5).sum(axis=1)  # COCR Eq. 2


def decide(model, X):
    """Compute the answers h_k(x), (n_samples, K), not clipped."""
    X = np.ascontiguousarray(X, np.float64)
    return np.column_stack([np.full(len(X), h) if isinstance(h, float) else h.predict(X) for h in model])


class LeastSquares:
    """Linear regression with an intercept: a base."""

    def fit(self, X, answer, sample_weight=1.0):
        """Minimise the weighted sum of squared errors."""
        root = np.sqrt(np.broadcast_to(sample_weight, len(X)))
        self.coefficients = np.linalg.lstsq(self.extend(X) * root[:, np.newaxis], answer * root)[0]
        return self

    def predict(self, X):
        """Evaluate the linear function, (n_samples,)."""
        return self.extend(X) @ self.coefficients

    def extend(self, X):
        """Add a column of ones."""
        return np.column_stack([X, np.ones(len(X))])


def read(path, n_features=0):
    """Read a LETOR file: lines `grade qid:q index:value ... # comment`."""
    lines = [line.split("#")[0].split() for line in Path(path).read_text().splitlines()]
    rows = [{int(f): float(x) for f, x in (pair.split(":") for pair in line[2:])} for line in lines]
    features = range(1, 1 + (n_features or max(max(row, default=1) for row in rows)))
    X = np.array([[row.get(f, 0.0) for f in features] for row in rows])
    return X, np.array([int(line[0]) for line in lines])


if __name__ == "__main__":
    X, y = read(sys.argv[1])
    np.savetxt(sys.stdout, predict(train(X, y, LeastSquares), read(sys.argv[-1], X.shape[1])[0]), "%.17g")
