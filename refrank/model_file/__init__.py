"""A trained ranker as documented JSON: no pickle, nothing that runs when it is read, the same bits after a round trip.

Reading order: `layout` (what stands in the file), `writing`, `reading`, `fields` (what a field may hold).
"""

from refrank.model_file.layout import RANKERS
from refrank.model_file.reading import load_model
from refrank.model_file.writing import save_model

__all__ = ["RANKERS", "load_model", "save_model"]
