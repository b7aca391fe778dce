"""A look inside a model: its trees as text and pictures, importances, contributions to a score, a pair explained.

Rankers call these functions on their trees (`ranker.tree`, `feature_importances_`); this room knows no ranker.
"""

from refrank.inspection.named_tree import NamedTree, export_text
from refrank.inspection.pairs import PairExplanation, Swap
from refrank.inspection.permutation import PermutationImportances, permutation_importance
from refrank.inspection.plots import plot_importances, plot_ranking, plot_rounds, plot_tree, save_svg

__all__ = [
    "NamedTree",
    "PairExplanation",
    "PermutationImportances",
    "Swap",
    "export_text",
    "permutation_importance",
    "plot_importances",
    "plot_ranking",
    "plot_rounds",
    "plot_tree",
    "save_svg",
]
