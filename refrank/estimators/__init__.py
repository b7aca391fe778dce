"""Rankers with the face of scikit-learn: `base` is what they share, then one module per paper.

A module lists its rankers in `__all__`; what is listed there is in `refrank` too, and in its registry.
"""

from typing import TYPE_CHECKING

from refrank.estimators import cocr, igbrt, imported, lambdarank, m5p, mcrank
from refrank.estimators.cocr import *  # noqa: F403
from refrank.estimators.igbrt import *  # noqa: F403
from refrank.estimators.imported import *  # noqa: F403
from refrank.estimators.lambdarank import *  # noqa: F403
from refrank.estimators.m5p import *  # noqa: F403
from refrank.estimators.mcrank import *  # noqa: F403

if not TYPE_CHECKING:  # which reads lists of strings only, and without one takes every name
    modules = (cocr, igbrt, imported, lambdarank, m5p, mcrank)
    __all__ = sorted(name for module in modules for name in module.__all__)
