"""The verdict on one record of a port.

agrees     the numbers of the golden trace
follows    other numbers, which follow from the port's own earlier records: the difference began earlier
lawful     another choice where the papers leave it open: a cut, a node or a row that ties with refrank's
differs    neither: an original difference
unclear    other numbers, and the traces lack the input from which they should follow
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.trees.numbers.ulps import find_different
from yardstick.divergence.consequences import binning, boosting, forest, growth, models, ranking
from yardstick.divergence.consequences.evidence import MISFITS, Arrays, Evidence
from yardstick.divergence.lawful import is_lawful, is_same_as
from yardstick.numbers.digest import digest
from yardstick.traces.models import TracedModel
from yardstick.traces.stages import STAGES, Field, Place, Record

AGREES, FOLLOWS, LAWFUL, DIFFERS, UNCLEAR = VERDICTS = "agrees", "follows", "lawful", "differs", "unclear"

CONSEQUENCES: Mapping[str, Callable[[Evidence, Place], Arrays]] = {
    "bins": binning.bins,
    "start": boosting.start,
    "draws": forest.draws,
    "proba": boosting.proba,
    "residual": boosting.residual,
    "grid": binning.grid,
    "histogram": growth.histogram,
    "cut": growth.cut,
    "partition": growth.partition,
    "leaf_sums": boosting.leaf_sums,
    "leaf_values": boosting.leaf_values,
    "step": boosting.step,
    "scores": boosting.scores,
    "tree": forest.tree,
    "prediction": ranking.prediction,
    "order": ranking.order,
    "metric": ranking.metric,
}


@dataclass(frozen=True, eq=False)
class Judgement:
    """The verdict on a record, and the field that differs from the expected one."""

    stage: str
    place: Place
    verdict: str
    field: str = ""
    expected: NDArray[Any] | None = None  # None: the trace lacks its entries
    actual: NDArray[Any] | None = None
    index: tuple[int, ...] | None = None  # of the first entry that differs; None if the shapes differ


def judge(golden: Record, theirs: Record, evidence: Evidence, ulps: int = 0) -> Judgement:
    """Judge a record of a port.

    Parameters
    ----------
    golden, theirs : Record
        Of one stage and place.
    evidence : Evidence
        The records of both traces.
    ulps : int, default 0
        Floats at most this many units in the last place apart count as equal.

    Returns
    -------
    Judgement
    """
    stage, place = golden.stage, golden.place
    theirs = leave_out_others(golden, theirs)
    shared = [name for name in STAGES[stage].fields if name in golden.fields and name in theirs.fields]
    if not shared:  # a port agrees only if it reports at least one compared field
        return Judgement(stage, place, UNCLEAR)
    if all(is_same(golden.fields[name], theirs.fields[name], ulps) for name in shared):
        return Judgement(stage, place, AGREES)
    try:
        consequences = models.CONSEQUENCES if isinstance(evidence.ranker, TracedModel) else CONSEQUENCES
        expected = consequences[stage](evidence, place) if stage in consequences else None
    except MISFITS:
        expected = None
    if expected is None:
        return point_out(golden, theirs, {}, shared, UNCLEAR, ulps)
    expected = leave_out_same(golden, expected)
    wrong = [name for name in shared if name in expected and not is_same_as(expected[name], theirs.fields[name], ulps)]
    if not wrong:
        others = [name for name in shared if name not in expected]  # such as ERR, undefined for some labels of a port
        unclear = [name for name in others if not is_same(golden.fields[name], theirs.fields[name], ulps)]
        return point_out(golden, theirs, {}, unclear, UNCLEAR, ulps) if unclear else Judgement(stage, place, FOLLOWS)
    verdict = LAWFUL if is_lawful(evidence, place, expected, theirs) else DIFFERS
    return point_out(golden, theirs, expected, wrong, verdict, ulps)


def leave_out_others(golden: Record, theirs: Record) -> Record:
    """Leave out nodes that a port evaluated although they could never be cut."""
    wanted, nodes = golden.values("nodes"), theirs.values("nodes")
    if golden.stage not in ("histogram", "cut") or wanted is None or nodes is None or nodes.ndim != 1:
        return theirs
    at = {node: i for i, node in enumerate(nodes.tolist())}
    per_node = {
        name: field for name, field in theirs.fields.items() if name in STAGES[golden.stage].fields or name == "sums"
    }
    fits = all(field.values is not None and len(field.values) == len(nodes) for field in per_node.values())
    if len(nodes) == len(wanted) or not fits or not all(node in at for node in wanted.tolist()):
        return theirs
    own = [at[node] for node in wanted.tolist()]
    return replace(theirs, fields={name: make_field(field.values[own]) for name, field in per_node.items()})  # type: ignore[index]


def leave_out_same(golden: Record, expected: Arrays) -> Arrays:
    """Leave out the same nodes of the expected record, which covers all nodes that the port evaluated."""
    if golden.stage not in ("histogram", "cut"):
        return expected
    fields = {name: make_field(np.asarray(values)) for name, values in expected.items()}
    left = leave_out_others(golden, Record(golden.stage, golden.place, fields))
    return {name: field.values for name, field in left.fields.items() if field.values is not None}


def make_field(values: NDArray[Any]) -> Field:
    """Make a field from an array."""
    return Field(str(values.dtype), values.shape, digest(values), values)


def is_same(golden: Field, theirs: Field, ulps: int) -> bool:
    """Return whether two fields hold the same numbers."""
    if golden.shape != theirs.shape:
        return False
    if golden.digest == theirs.digest:
        return True
    if ulps == 0 or golden.values is None or theirs.values is None:
        return False
    return not find_different(golden.values, theirs.values, ulps).any()


def point_out(
    golden: Record, theirs: Record, expected: Arrays, names: Sequence[str], verdict: str, ulps: int
) -> Judgement:
    """Find the first entry that differs, in the first field whose entries are kept."""
    stage, place = golden.stage, golden.place
    beside = [name for name in STAGES[stage].beside if name in expected and theirs.values(name) is not None]
    # the other fields depend on the nodes
    for name in (*(name for name in names if name == "nodes"), *beside, *names):
        wanted, actual = expected.get(name, golden.values(name)), theirs.values(name)
        if wanted is None or actual is None:
            continue
        wanted = np.asarray(wanted)
        if wanted.shape != actual.shape:
            return Judgement(stage, place, verdict, name, wanted, actual)
        different = find_different(wanted, actual, ulps)
        if different.any():
            index = tuple(int(i) for i in np.argwhere(different)[0]) if different.ndim else ()
            return Judgement(stage, place, verdict, name, wanted, actual, index)
    return Judgement(stage, place, verdict, names[0] if names else "")
