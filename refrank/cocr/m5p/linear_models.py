"""The linear model in a node."""

from dataclasses import dataclass

from refrank.arrays import Floats, Ints


@dataclass(frozen=True, repr=False)
class LinearModel:
    """intercept + sum of coefficients times features."""

    features: Ints  # (n_terms,) ascending column numbers of X
    coefficients: Floats  # (n_terms,) in units of the target per unit of the feature
    intercept: float

    @property
    def n_parameters(self) -> int:
        """The v of the papers: the terms and the constant."""
        return len(self.features) + 1

    def predict(self, X: Floats) -> Floats:
        """Return the model's value for each row of X, (n_rows, n_features): (n_rows,)."""
        return X[:, self.features] @ self.coefficients + self.intercept

    def __repr__(self) -> str:
        """Return the number of terms only."""
        return f"LinearModel({len(self.features)} term{'s' * (len(self.features) != 1)})"
