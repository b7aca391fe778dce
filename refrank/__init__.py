"""refrank: McRank, iGBRT and COCR, each beside its paper, exact to the bit.

Reading order
-------------
1. `refrank.trees.bins.cuts`, `binning`, `refrank.trees.splitting`: McRank App. I; the specification of the hot path,
   whose kernel is `refrank/_split.pyx`
2. `refrank.trees.numbers.grid`, `refrank.trees.growth`, `refrank.trees.model`: exact sums, trees, and sums of trees
3. `refrank.mcrank`: Algorithms 1 and 2, Section 4, expected relevance
4. `refrank.trees.numbers.draws`, `refrank.trees.growth.forest_growth`, `refrank.igbrt`: forests, GBRT, and both joined
5. `refrank.cocr`: costs, the reduction to regression, model trees
6. `refrank.metrics`, `refrank.bounds`: DCG, NDCG, ERR, each under a named convention; the bounds on their errors
7. `refrank.datasets`, `refrank.inspection`, `refrank.estimators`, `refrank.models`, `refrank.models.exchange`,
   `refrank.cli`, `refrank.reproduce`: the edges

Beside 3, 4 and 5, read `docs/learn/by_hand.md`, which carries each algorithm out on a few documents, and the literal
transcriptions of the papers, which the tests call naive: `tests/oracles/mcrank.py`, `igbrt.py`, `cocr.py` and `m5p.py`,
plain loops over Python numbers and fractions, against which refrank is tested.

The rankers and `show_config`, and NumPy and scikit-learn with them, are loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refrank.estimators import *  # noqa: F403
    from refrank.trees.engine import show_config as show_config

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load the rankers, which `refrank.estimators` lists, or `show_config`, when one of them is first used."""
    if name.startswith("__") and name != "__all__":
        raise AttributeError(name)
    if name == "show_config":
        return import_module("refrank.trees.engine").show_config
    rankers = import_module("refrank.estimators").__all__
    if name == "__all__":
        return [*rankers, "show_config"]
    if name not in rankers:
        raise AttributeError(f"module 'refrank' has no attribute {name!r}")
    return getattr(import_module("refrank.estimators"), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*globals(), *__getattr__("__all__")])
