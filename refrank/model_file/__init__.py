"""A trained ranker as a documented file: no pickle, nothing that runs when it is read, the same bits when read back.

Reading order: `layout` (what stands in the JSON of a booster), `writing`, `reading`, `fields` (what a field may hold),
`boosted_tree` and `paths` (a tree, every path of which ends); `nets` (the JSON of a net), `cocr` and `model_tree` (that
of COCR), `forest_file` (the zip of a forest, or of GBRT); `replacement` (whole, or not at all).
"""

from refrank.model_file.forest_file import FOREST_RANKERS
from refrank.model_file.layout import RANKERS
from refrank.model_file.reading import load_model
from refrank.model_file.writing import save_model

__all__ = ["ALGORITHMS", "FOREST_RANKERS", "RANKERS", "load_model", "save_model"]

ALGORITHMS = RANKERS | FOREST_RANKERS  # whatever a file may hold
