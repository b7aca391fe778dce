"""Where a mutant shows first: the stages, in the sense of each door, to which a piece of the specification belongs."""

from refrank.trees.splitter import FUNCTIONS
from tests.mutants.mutations import Mutant

DOORS = "vectors", "trainings", "kernel"
TREES, LOSSES = "numbers binning splits leaves trees", "numbers rounds regression probabilities boosting"
GROWN = "bins grid histogram cut partition leaf_sums leaf_values tree draws residual prediction"
SUMMED = "start residual grid histogram cut partition leaf_sums leaf_values tree"
FITTED = "start proba residual leaf_sums leaf_values step scores prediction"
STAGES = {  # beginning of a file, or of a file and a function -> families of cases, stages of trainings, and
    # functions of the splitter, where they are not the function itself
    "refrank/trees/splitting.py::bin_starts": (TREES, "bins", ""),
    "refrank/trees/splitting.py::quantize": (TREES, "bins", ""),
    "refrank/trees/splitting.py::root_sums": (TREES, "histogram bins", ""),
    "refrank/trees/splitting.py::histogram": (TREES, "histogram tree", ""),
    "refrank/trees/splitting.py::partition": (TREES, "partition", ""),
    "refrank/trees/splitting.py::leaf_sums": (TREES, "leaf_sums", ""),
    "refrank/trees/splitting.py::add_to_leaves": (TREES, "scores", ""),
    "refrank/trees/splitting.py::add_trees": (TREES, "leaves scores answers prediction residual", ""),
    "refrank/trees/splitting.py::grow_deep": (TREES, "tree", ""),
    "refrank/trees/splitting.py::take_apart": (TREES, "cut partition leaf_sums tree", "grow_deep"),
    "refrank/trees/splitting.py::part_missing": (TREES, "cut partition leaf_sums tree", "best_split"),
    "refrank/trees/splitting.py::-": (TREES, "bins histogram cut partition tree", "quantize histogram best_split"),
    "refrank/trees/splitting.py": (TREES, "cut partition tree", "best_split"),
    "refrank/trees/numbers/draws": ("draws", "draws tree", "grow_deep"),
    "refrank/trees/numbers/exponential": ("numbers", "proba prediction", "exp softmax"),
    "refrank/trees/numbers/exact_gain": (TREES, "cut tree", "best_split"),
    "refrank/trees/numbers": (TREES, SUMMED, "largest_magnitude round_to_grid"),
    "refrank/trees/bins": (TREES, "bins", ""),
    "refrank/trees/growth/forest_growth": ("trees igbrt", GROWN, ""),
    "refrank/trees/growth": (TREES, GROWN, ""),
    "refrank/mcrank/expected_relevance": ("probabilities", "residual prediction", ""),
    "refrank/mcrank/order_statistics": ("regression", "start leaf_values residual", ""),
    "refrank/mcrank/pairwise_gradients": ("lambdas", FITTED, ""),
    "refrank/mcrank/swap_change": ("lambdas", FITTED, ""),
    "refrank/mcrank": (LOSSES, FITTED, ""),
    "refrank/igbrt/missing_values": ("draws igbrt", "bins", ""),
    "refrank/igbrt": ("draws igbrt", "start draws residual leaf_values step scores tree prediction", ""),
    "refrank/cocr": ("cocr", "start residual answers prediction", ""),
    "refrank/metrics": ("metrics conventions binary", "", ""),
}


def is_named(mutant: Mutant, door: str, first: str) -> bool:
    """Return whether the first difference that a door finds is where the changed code belongs."""
    shown = next(held for start, held in STAGES.items() if f"{mutant.file}::{mutant.name}".startswith(start))
    name = mutant.name.partition(".")[0]
    own = name if door == "kernel" and name in FUNCTIONS else shown[DOORS.index(door)]
    return first.partition("/")[0] in (f"{own} error" if door == "trainings" else own).split()
