"""Rankers with scikit-learn's interface: `base` holds what they share, and each paper has one module.

A module lists its rankers in `__all__`; each of these is also in `refrank` and in its registry.
"""

from typing import TYPE_CHECKING

from refrank.estimators import (
    cocr,
    igbrt,
    imported,
    lambdamart,
    lambdarank,
    m5p,
    mcrank,
    mcrank_losses,
    mcrank_successors,
)
from refrank.estimators.cocr import *  # noqa: F403
from refrank.estimators.igbrt import *  # noqa: F403
from refrank.estimators.imported import *  # noqa: F403
from refrank.estimators.lambdamart import *  # noqa: F403
from refrank.estimators.lambdarank import *  # noqa: F403
from refrank.estimators.m5p import *  # noqa: F403
from refrank.estimators.mcrank import *  # noqa: F403
from refrank.estimators.mcrank_losses import *  # noqa: F403
from refrank.estimators.mcrank_successors import *  # noqa: F403

if not TYPE_CHECKING:  # type checkers read only literal lists, and without one export every name
    modules = (cocr, igbrt, imported, lambdamart, lambdarank, m5p, mcrank, mcrank_losses, mcrank_successors)
    __all__ = sorted(name for module in modules for name in module.__all__)
