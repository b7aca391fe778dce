"""The export formats by their names on the command line, one module each."""

from collections.abc import Mapping
from typing import Protocol

from refrank.arrays import Floats, Matrix
from refrank.models.exchange import lightgbm, onnx, ranklib, treelite, xgboost
from refrank.models.exchange.portable import Portable


class Format(Protocol):
    """Functions of the module of a format."""

    RUNTIME: str  # the program that scores a file; "": none that refrank runs
    IN_ORDER: bool  # whether it adds in float64, tree by tree, as refrank does
    READS: str  # what it changes in the features; "": nothing

    def write(self, portable: Portable) -> bytes:
        """Write the bytes of a file."""

    def read_as(self, X: Matrix) -> Matrix:
        """Return the features as the program reads them, (n_samples, n_features)."""

    def bound_rounding(self, portable: Portable) -> Floats:
        """Bound how far the program's outputs are from the exact sums, (n_outputs,)."""

    def score(self, content: bytes, X: Matrix, portable: Portable) -> tuple[Floats, Floats | None]:
        """Compute the program's outputs, (n_samples, n_outputs), and its scores, (n_samples,), if any."""


FORMATS: Mapping[str, Format] = {
    "lightgbm": lightgbm,
    "treelite": treelite,
    "onnx": onnx,
    "xgboost": xgboost,
    "ranklib": ranklib,
}
