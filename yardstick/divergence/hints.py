"""The findings of a judge: their places in words, and hints, the mistakes behind differences.

mistakes    of the table (yardstick/mutants.txt). With a mistake planted in refrank, the training is repeated in
            lockstep with the port. It explains a record that now agrees, if no other of its stage begins to differ.
patterns    numbers that are alike, where no mistake of the table explains a record
"""

import time
import warnings
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Ints
from refrank.estimators import COCRRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.tree_ranker import TreeRanker
from yardstick.divergence.judging import AGREES, DIFFERS, FOLLOWS, LAWFUL, Judge, Judgement
from yardstick.divergence.replay import Replay
from yardstick.planting import plant, read_table
from yardstick.traces.stages import Key, Place

COUNTED = ("draws", "order", "bins", "histogram", "cut", "partition", "tree", "leaves")
FEWEST_BITS = 16  # that agree in numbers that are called alike
COLUMNS = ("sum of residuals", "count of rows", "sum of weights")
OF_CUT = ("feature", "bin", "sum of residuals on the left", "count of rows on the left", "weight on the left")
ENTRIES = {  # what an entry of a stage, or of a field of its, belongs to; other stages have one for each row
    **dict.fromkeys(("leaf_sums", "leaf_values", "step"), "leaf {} from the left"),
    **{"metric": "query {}", "order": "place {}", "start": "output {}", "tree": "node {}"},
    "partition": "cut {} of the tree",
    "partition nodes": "cut {} of the tree: which node is cut",
    "partition rows": "place {} of the rows",
    **{"bins offsets": "offsets [{}]", "histogram nodes": "nodes [{}]", "cut nodes": "nodes [{}]"},
}
FIELDS = {"values": "", "integers": ": integer on the grid", "rows": ": row", "codes": ": bin"}
FITTING = AGREES, FOLLOWS
SECONDS = 5.0  # after which no other mistake is tried
# the rankers that use the files of a folder; those of other folders are used by all
PAPERS: dict[str, type] = {"mcrank": BoostRanker, "igbrt": TreeRanker, "cocr": COCRRanker, "cases": type(None)}


def list_findings(judge: Judge, replay: Replay, has_hints: bool = True) -> Iterator[Judgement]:
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
    rankers = replay.ranker, getattr(replay.ranker, "base", None)
    for mistake in read_table():
        left, kind = {*wrong} - words.keys(), PAPERS.get(mistake.file.split("/")[1], object)
        if not left or time.monotonic() > end:
            break
        if any(isinstance(ranker, kind) for ranker in rankers if ranker is not None):
            suspicion = Suspicion(judge, left)
            with suppress(Exception), warnings.catch_warnings(), plant(mistake):  # a training may end anywhere
                warnings.simplefilter("ignore")
                replay.run(suspicion)
            explained = (key for key in suspicion.left if suspicion.verdicts.get(key) in FITTING)
            words |= dict.fromkeys(explained, mistake.words)
    return words


class Contradicted(Exception):
    """A mistake that the port has not made."""


class Suspicion(Judge):
    """Judges a training with a mistake, until nothing is left of the wrong records that it may explain."""

    def __init__(self, judge: Judge, wrong: Collection[Key]) -> None:
        super().__init__(judge.theirs, {}, judge.ulps)
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


@np.errstate(all="ignore")
def find_pattern(judgement: Judgement, before: NDArray[Any] | None) -> str | None:
    """Describe how the numbers found are like the expected ones, or those of the round before; None if they are not."""
    expected, actual, is_counted = judgement.expected, judgement.actual, judgement.stage in COUNTED
    if expected is None or actual is None:
        return None
    if expected.shape != actual.shape:
        absent = {*expected.ravel().tolist()} - {*actual.ravel().tolist()}
        return f"of node {min(absent)} there is nothing" if judgement.field == "nodes" and absent else None
    if not is_counted and before is not None and np.array_equal(before, actual):
        return "these are the numbers of the round before: they were not renewed"
    if judgement.field == "sums" and not np.array_equal(expected[..., 1], actual[..., 1]):
        return None
    numbers, others = (values.astype(np.float64).ravel() for values in (expected, actual))
    off, used = others - numbers, numbers != 0
    if is_counted and expected.dtype.kind in "iu" and judgement.field != "sums":
        steps = {*off[off != 0].tolist()}
        return f"numbers are 1 too {'high' if 1 in steps else 'low'}: off by one" if steps in ({1}, {-1}) else None
    if not np.isfinite(off).all() or not used.any():
        return None
    ratio = float(np.median(others[used] / numbers[used]))
    is_scaled = np.allclose(others, numbers * ratio, rtol=1e-9, atol=0.0)
    if not is_counted and is_scaled and abs(ratio - 1.0) >= 2.0**-FEWEST_BITS:
        return f"all values are {ratio:.6g} times the expected ones{': the sign is wrong' * (ratio == -1.0)}"
    if np.array_equal(numbers.astype(np.float32), others):
        return "the expected values, rounded to float32"
    share = np.abs(off).max() / np.abs(numbers).max()
    if not 0 < share <= 2.0**-FEWEST_BITS:
        return None
    is_single = np.array_equal(others.astype(np.float32), others)
    return f"the numbers agree to about {int(-np.log2(share))} bits{': float32' * is_single}"


def locate(judgement: Judgement, judge: Judge) -> str:
    """Name the place of the first entry that differs: "round 3, output 0, node 5, feature 2, bin 17: count of rows"."""
    words = judgement.field if judgement.field != "values" else ""
    if judgement.index:
        try:
            words = name_entry(judgement, judgement.index, judge)
        except (KeyError, ValueError, IndexError):  # a port's arrays may not fit together
            words = f"entry {list(judgement.index)}"
    return ", ".join(filter(None, [str(judgement.place), words])) or "the whole training"


def name_entry(judgement: Judgement, index: tuple[int, ...], judge: Judge) -> str:
    """Name an entry within its record."""
    stage, name, (at, *others) = judgement.stage, judgement.field, index
    if f"{stage} {name}" in ENTRIES:
        return ENTRIES[f"{stage} {name}"].format(at)
    offsets = judge.array("bins", Place(), "offsets") if name in ("sums", "cuts") else np.zeros(1, np.int64)
    if name == "cuts":
        return find_slot(offsets - np.arange(len(offsets)), at, "cut")
    if stage in ("histogram", "cut"):
        node = f"node {int(judge.array(stage, judgement.place, 'nodes')[at])}"
        where = ", " + find_slot(offsets, others[0], "bin") if name == "sums" else ""
        words = {"cut": OF_CUT, "sums": COLUMNS}.get(name, (name,))
        return f"{node}{where}: {words[others[-1] if others else 0]}"
    column = f", {'feature' if name == 'codes' else 'column'} {others[0]}" if others else ""
    return ENTRIES.get(stage, "row {}").format(at) + column + FIELDS.get(name, f": {name}")


def find_slot(offsets: Ints, slot: int, kind: str) -> str:
    """Name a slot of all features by the feature, and its place there."""
    feature = int(np.searchsorted(offsets, slot, side="right")) - 1
    return f"feature {feature}, {kind} {slot - int(offsets[feature])}"
