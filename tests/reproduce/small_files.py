"""Small collections in folds, written to files."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

PARTS = [f"S{part}.txt" for part in range(1, 6)]  # of five folds


def write_collection(folder: Path, names: Iterable[str], unlabelled: bool = False) -> Path:
    """Write files of three queries of eight documents, with three grades, one feature absent now and then."""
    folder.mkdir(exist_ok=True)
    for seed, name in enumerate(names):
        rng, lines = np.random.default_rng(seed), []
        for query in range(3 * seed, 3 * seed + 3):  # in no other file
            for document, x in enumerate(rng.normal(size=(8, 3))):
                label = document if document < 3 else int(np.clip(np.rint(x[0] + x[1] + 1), 0, 2))
                label = -1 if unlabelled and document == 7 else label
                third = f" 3:{x[2]:.6f}" if document % 4 else ""
                lines.append(f"{label} qid:{query} 1:{x[0]:.6f} 2:{x[1]:.6f}{third}\n")
        (folder / name).write_text("".join(lines), encoding="utf-8")
    return folder
