"""Hints: the mistakes behind differences.

mistakes    of the table (yardstick/mutants.txt). With a mistake planted in refrank, the training is repeated in
            lockstep with the port. It explains a record that now agrees, if no other of its stage begins to differ.
patterns    numbers that are alike, where no mistake of the table explains a record (patterns.py)
"""

import time
import warnings
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

from refrank.estimators import COCRRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.tree_ranker import TreeRanker
from yardstick.divergence.judging import AGREES, DIFFERS, FOLLOWS, Judgement
from yardstick.planting import Mistake, plant, read_table
from yardstick.traces.records import Key

SECONDS = 5.0  # after which no other mistake is tried
OF_GROWTH = "histogram cut partition leaf_sums tree"
OF_BOOSTING = "start proba residual leaf_sums leaf_values step scores"
SHOWN_IN: Mapping[str, tuple[type, str]] = {  # the rankers that use files, and the stages in which these may show
    "refrank/trees/bins": (object, "bins"),
    "refrank/trees/growth": (object, f"draws residual grid leaf_values {OF_GROWTH}"),
    "refrank/trees/model": (object, OF_GROWTH),
    "refrank/trees/numbers/draws.py": (object, "draws tree"),
    "refrank/trees/numbers/exponential.py": (object, "proba prediction"),
    "refrank/trees/numbers/grid.py": (object, "start residual grid leaf_sums tree"),
    "refrank/trees/splitting.py": (object, f"bins {OF_GROWTH}"),
    "refrank/mcrank": (BoostRanker, OF_BOOSTING),
    "refrank/mcrank/expected_relevance.py": (BoostRanker, "prediction"),
    "refrank/mcrank/ordinal_boosting.py": (BoostRanker, f"{OF_BOOSTING} prediction"),
    "refrank/igbrt": (TreeRanker, f"{OF_BOOSTING} draws tree prediction"),
    "refrank/cocr": (COCRRanker, "residual answers prediction"),
    "refrank/estimators": (object, "prediction"),
    "refrank/metrics": (object, "order metric"),
    "yardstick/traces/tracing.py": (object, "order metric"),
}
Report = Callable[[Judgement], None]


class Contradicted(Exception):
    """A mistake that the port has not made."""


def find_mistakes(
    ranker: Any, wrong: Collection[Key], verdicts: Mapping[Key, str], repeat: Callable[[Report], object]
) -> dict[Key, str]:
    """Find the mistakes behind wrong records, given a function that repeats the training and reports each judgement."""
    words, end = dict[Key, str](), time.monotonic() + SECONDS
    stages = {stage for stage, _ in wrong}
    for mistake in read_table():
        left = {key for key in wrong if key not in words}
        if not left or time.monotonic() > end:
            break
        if is_shown(mistake, ranker, stages):
            words |= dict.fromkeys(list_explained(mistake, left, verdicts, repeat), mistake.words)
    return words


def is_shown(mistake: Mistake, ranker: Any, stages: set[str]) -> bool:
    """Return whether a mistake may show in one of these stages of a ranker's training."""
    files = max((files for files in SHOWN_IN if mistake.file.startswith(files)), key=len, default="")
    kind, own = SHOWN_IN.get(files, (type(None), ""))
    is_used = isinstance(ranker, kind) or isinstance(getattr(ranker, "base", None), kind)
    return is_used and not stages.isdisjoint(own.split())


def list_explained(
    mistake: Mistake, wrong: Collection[Key], verdicts: Mapping[Key, str], repeat: Callable[[Report], object]
) -> set[Key]:
    """List the wrong records that a mistake explains."""
    left, agreeing = {*wrong}, set[Key]()

    def report(judgement: Judgement) -> None:
        key, verdict = (judgement.stage, judgement.place), judgement.verdict
        if verdict in (AGREES, FOLLOWS):
            agreeing.add(key)
        elif key in left:
            left.remove(key)
        elif verdict == DIFFERS != verdicts.get(key):
            left.difference_update([other for other in left if other[0] == key[0]])
        if not left:
            raise Contradicted

    with suppress(Exception), warnings.catch_warnings(), plant(mistake):  # with a mistake, a training may end anywhere
        warnings.simplefilter("ignore")
        repeat(report)
    return left & agreeing
