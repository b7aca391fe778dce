"""Files of scores: one number per line, one line per row of a data file, in its order."""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def read_scores(path: str | os.PathLike[str]) -> NDArray[np.float64]:
    """Read one number per line, (n_lines,)."""
    scores = []
    for place, line in enumerate(Path(path).read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        try:
            scores.append(float(line))
        except ValueError:
            raise ValueError(f"{path}, line {place}, is {line[:60]!r}: it must be a number, one per line") from None
    return np.array(scores)
