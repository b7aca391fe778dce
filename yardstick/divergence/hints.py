"""The findings of a judge, with hints: the mistakes behind differences.

mistakes    of the table (yardstick/mutants.txt). With a mistake planted in refrank, the training is repeated in
            lockstep with the port. It explains a record that now agrees, if no other of its stage begins to differ.
patterns    numbers that are alike, where no mistake of the table explains a record (patterns.py)
"""

import time
import warnings
from collections.abc import Collection, Iterator
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
from yardstick.traces.stages import Key

FITTING = AGREES, FOLLOWS
SECONDS = 5.0  # after which no other mistake is tried
# the rankers that use the files of a folder; those of other folders are used by all
PAPERS: dict[str, type] = {"mcrank": BoostRanker, "igbrt": TreeRanker, "cocr": COCRRanker, "cases": type(None)}


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
    for mistake in read_table():
        left = {*wrong} - words.keys()
        if not left or time.monotonic() > end:
            break
        if is_used(mistake, replay.ranker):
            suspicion = Suspicion(judge, left)
            with suppress(Exception), warnings.catch_warnings(), plant(mistake):  # a training may end anywhere
                warnings.simplefilter("ignore")
                replay.run(suspicion)
            explained = (key for key in suspicion.left if suspicion.verdicts.get(key) in FITTING)
            words |= dict.fromkeys(explained, mistake.words)
    return words


def is_used(mistake: Mistake, ranker: Any) -> bool:
    """Return whether the code of a mistake may run in the training of a ranker."""
    kind = PAPERS.get(mistake.file.split("/")[1], object)
    return isinstance(ranker, kind) or isinstance(getattr(ranker, "base", None), kind)


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
