"""Files of scores: one number per line, one line per row of a data file, in its order."""

from reprlib import repr as short

import numpy as np

from refrank.arrays import Floats
from refrank.datasets.source import Input, open_source


def read_scores(path: Input) -> Floats:
    """Read one number per line, (n_lines,)."""
    scores: list[float] = []
    with open_source(path) as source:
        for place, line in enumerate(source.read_lines(), start=1):
            try:
                scores.append(float(b"x" if b"_" in line else line))
            except ValueError:
                text = short(line.rstrip(b"\r\n").decode("utf-8", "backslashreplace"))
                raise ValueError(f"{source.name}, line {place}, is {text}: it must be a number, one per line") from None
    return np.array(scores)
