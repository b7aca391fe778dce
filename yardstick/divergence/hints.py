"""The findings of a judge, with hints: the mistakes behind differences.

mistakes    of the table (yardstick/mutants.txt). With a mistake planted in refrank, the training is repeated in
            lockstep with the port. It explains a record that now agrees, if no other of its stage begins to differ.
patterns    numbers that are alike, where no mistake of the table explains a record (patterns.py)
"""

import time
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from refrank.estimators import COCRRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.tree_ranker import TreeRanker
from yardstick.divergence.judging import AGREES, DIFFERS, FOLLOWS, LAWFUL, Judge, Judgement
from yardstick.divergence.locating import locate
from yardstick.divergence.patterns import find_pattern
from yardstick.divergence.replay import Replay
from yardstick.planting import Mistake, plant, read_table
from yardstick.traces.records import Key

FITTING = AGREES, FOLLOWS
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


def list_findings(judge: Judge, replay: Replay, has_hints: bool) -> Iterator[Judgement]:
    """Yield the first judgement of each stage and verdict; new differences and other choices have hints."""
    wrong = {judgement.key for judgement in judge.first.values() if judgement.verdict in (DIFFERS, LAWFUL)}
    words = find_mistakes(judge, replay, wrong) if has_hints else {}
    for judgement in judge.first.values():
        hint = words.get(judgement.key)
        if hint is None and judgement.key in wrong:
            before = judgement.place._replace(round=(judgement.place.round or 0) - 1)
            hint = find_pattern(judgement, judge.read(judgement.stage, before, judgement.field))
        yield replace(judgement, where=locate(judgement, judge), hint=hint)


def find_mistakes(judge: Judge, replay: Replay, wrong: Collection[Key]) -> dict[Key, str]:
    """Find the mistakes behind wrong records: the training is repeated with each."""
    words, end = dict[Key, str](), time.monotonic() + SECONDS
    stages = {stage for stage, _ in wrong}
    for mistake in read_table():
        left = {*wrong} - words.keys()
        if not left or time.monotonic() > end:
            break
        if is_shown(mistake, replay.ranker, stages):
            suspicion = Suspicion(judge, left)
            with suppress(Exception), warnings.catch_warnings(), plant(mistake):  # a training may end anywhere
                warnings.simplefilter("ignore")
                replay.run(suspicion)
            explained = (key for key in suspicion.left if suspicion.verdicts.get(key) in FITTING)
            words |= dict.fromkeys(explained, mistake.words)
    return words


def is_shown(mistake: Mistake, ranker: Any, stages: set[str]) -> bool:
    """Return whether a mistake may show in one of these stages of a ranker's training."""
    files = max((files for files in SHOWN_IN if mistake.file.startswith(files)), key=len, default="")
    kind, own = SHOWN_IN.get(files, (type(None), ""))
    is_used = isinstance(ranker, kind) or isinstance(getattr(ranker, "base", None), kind)
    return is_used and not stages.isdisjoint(own.split())


class Contradicted(Exception):
    """A mistake that the port has not made."""


class Suspicion(Judge):
    """Judges a training with a mistake, until nothing is left of the wrong records that it may explain."""

    def __init__(self, judge: Judge, wrong: Collection[Key]) -> None:
        super().__init__(judge.theirs, None, judge.ulps)
        self.before, self.left = judge.verdicts, {*wrong}

    def report(self, judgement: Judgement) -> None:
        """Keep a judgement, and what may still be explained."""
        super().report(judgement)
        key, verdict = judgement.key, judgement.verdict
        if verdict in FITTING:
            return
        if key in self.left:
            self.left.remove(key)
        elif verdict == DIFFERS != self.before.get(key):
            self.left = {other for other in self.left if other[0] != key[0]}
        if not self.left:
            raise Contradicted
