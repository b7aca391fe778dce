"""The verdict on each record of a port: a judge takes the stages of a training, and compares them with the port's.

The judge is a `Taker`: the specification computes a stage, the judge compares it, and the training goes on with the
port's own numbers, so each stage is computed from the port's earlier ones, and an early difference hides no later one.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Bools, Ints
from refrank.trees.model.tree import Tree, check_trees
from refrank.trees.numbers.ulps import find_different
from yardstick.traces.stages import STAGES, Field, Key, Place, Record, Taker, make_field

# docs/port/conformance.md says what they mean
AGREES, FOLLOWS, LAWFUL, DIFFERS, UNCLEAR = "agrees", "follows", "lawful", "differs", "unclear"
LARGEST = 1e100  # in size, of numbers to go on with where they differ: their squares can be summed
MOST_EXPONENT = 2**12  # of a grid, in size: float64 has powers of two from 2**-1074 to 2**1023
NONE: Mapping[str, Any] = {}
Arrays = Mapping[str, NDArray[Any]]
Records = Mapping[Key, Record]


@dataclass(frozen=True, eq=False)
class Judgement:
    """The verdict on a record, and the field that differs from the expected one."""

    stage: str
    place: Place
    verdict: str
    field: str = ""
    expected: NDArray[Any] | None = None  # None: nothing is pointed at
    actual: NDArray[Any] | None = None  # None: the trace lacks its entries
    index: tuple[int, ...] | None = None  # of the first entry that differs; None if the shapes differ
    where: str = ""  # this entry, in words
    hint: str | None = None

    @property
    def key(self) -> Key:
        """The stage and the place."""
        return self.stage, self.place


class Judge(Taker):
    """Compares stages with a port's records, and has the training go on with the port's numbers.

    `golden` are the records of refrank's own training: what equals them agrees. Where there are none, what equals the
    expected numbers agrees up to the first difference, and follows after it. Floats may be `ulps` apart.
    """

    def __init__(self, theirs: Records, golden: Records, ulps: int) -> None:
        self.theirs, self.golden, self.ulps = theirs, golden, ulps
        self.verdicts: dict[Key, str] = {}
        self.first: dict[tuple[str, str], Judgement] = {}  # by stage and verdict, other than `agrees`
        self.expected: dict[Key, Arrays] = {}  # what the specification computed
        # what a port's arithmetic allows, by field: arrays, or functions of the expected numbers
        self.errors: dict[Key, dict[str, Any]] = {}
        self.has_departed = False  # the training goes on with other numbers than refrank's own
        self.has_untold_choice = False  # the port chose among what ties, and the next record is the first to show it
        self.is_lost = False  # the port had other numbers, and did not tell them
        self.lost_at: Key | None = None  # the record that does not tell them

    def report(self, judgement: Judgement) -> None:
        """Keep a judgement."""
        self.verdicts[judgement.key] = judgement.verdict
        if judgement.verdict != AGREES:
            self.first.setdefault((judgement.stage, judgement.verdict), judgement)

    def read(self, stage: str, place: Place, name: str) -> NDArray[Any] | None:
        """Read a field of the port; None if it has none, or keeps no entries."""
        record = self.theirs.get((stage, place))
        return None if record is None else record.values(name)

    def array(self, stage: str, place: Place, name: str) -> NDArray[Any]:
        """Return a field of the port, else as the specification computed it; a KeyError if there is neither."""
        values, expected = self.read(stage, place, name), self.expected.get((stage, place), {})
        if values is None or (name in expected and values.shape != expected[name].shape) or not is_usable(values):
            return expected[name]
        return values

    def adopt(
        self, stage: str, place: Place, name: str, values: NDArray[Any], below: int | None = None
    ) -> NDArray[Any]:
        """Return the port's numbers if it tells them and they can be computed with, else those of the specification."""
        record = self.theirs.get((stage, place))
        if record is None or name not in record.fields or not find_wrong(values, record.fields[name], 0).any():
            return values
        own, most = record.values(name), MOST_EXPONENT if name == "exponent" else LARGEST
        limits = (-most, most) if below is None else (0, below - 1)
        if own is None or own.shape != np.shape(values) or not is_usable(own, *limits):
            self.lost_at = self.lost_at if self.is_lost else (stage, place)
            self.is_lost = True
            return values
        self.is_lost &= stage != "scores"  # all that follows is computed from them
        return own.astype(np.asarray(values).dtype)

    def adopt_tree(self, place: Place, tree: Tree, n_features: int) -> Tree:
        """Return the port's tree if rows can be sent down, else that of the specification."""
        record = self.theirs.get(("tree", place))
        if record is None:
            return tree
        arrays = vars(tree) | {name: own for name, own in list_arrays(record).items() if name in vars(tree)}
        with suppress(ValueError):
            adopted = Tree(**{name: values.astype(getattr(tree, name).dtype) for name, values in arrays.items()})
            check_trees([adopted], n_features)
            if not np.isnan(arrays.pop("cut")).any() and all(map(is_usable, arrays.values())):
                return adopted
        self.is_lost = True
        return tree

    def take(self, stage: str, place: Place, **arrays: Any) -> None:
        """Judge a port's record of a stage, if it has one."""
        arrays = {name: np.array(values) for name, values in arrays.items()}
        record = self.theirs.get((stage, place))
        choice = None if stage != "order" or record is None else self.find_order(arrays["rows"], record, place)
        self.judge_by(stage, place, record, arrays if choice is None else choice, None if choice is None else arrays)

    def judge_by(self, stage: str, place: Place, record: Record | None, expected: Arrays, usual: Arrays | None) -> None:
        """Judge a record of a port, if it has one.

        `expected` is what follows from its earlier records, and from its own choices; `usual` the same by refrank's
        choices, if the port chose otherwise where it may.
        """
        self.expected[stage, place] = expected
        if record is None:
            return
        golden = self.golden[stage, place].fields if (stage, place) in self.golden else {}
        names = [name for name in STAGES[stage].fields if name in record.fields and name in {**expected, **golden}]
        beside = [name for name in STAGES[stage].beside if name in record.fields and name in expected]
        wrong = mark_wrong(record, names, expected, self.ulps, self.errors.get((stage, place), NONE))
        if not names:  # a port agrees only if it reports at least one compared field
            self.report(Judgement(stage, place, UNCLEAR))
        elif golden and not mark_wrong(record, names, golden, self.ulps):
            self.report(Judgement(stage, place, AGREES))
        elif wrong:
            verdict = UNCLEAR if self.is_lost and self.lost_at != (stage, place) else DIFFERS
            self.report(point_out(record, expected, mark_wrong(record, beside, expected) | wrong, verdict))
            self.has_departed = True
            self.is_lost |= stage == "data"  # the port trained on other rows
        elif usual is not None or self.has_untold_choice:
            usual = usual or {name: field.values for name, field in golden.items() if field.values is not None}
            names = [name for name in names if name in usual]
            self.report(point_out(record, usual, mark_wrong(record, names, usual), LAWFUL))
            self.has_departed, self.has_untold_choice = True, False
        else:
            self.report(Judgement(stage, place, FOLLOWS if self.has_departed else AGREES))

    def judge_rest(self) -> None:
        """Judge the records that could not be computed again by the golden ones."""
        for key, golden in self.golden.items():
            if key in self.theirs and key not in self.verdicts:
                self.is_lost |= self.has_departed
                self.judge_by(*key, self.theirs[key], list_arrays(golden), None)

    def find_order(self, rows: Ints, record: Record, place: Place) -> Arrays | None:
        """Return the order of a port, if it only trades places of rows with equal scores in their query."""
        own, scores = record.values("rows"), self.array("prediction", place, "values")
        data = self.expected["data", Place()]
        qid = data["qid"] if len(rows) == len(data["qid"]) else data["qid"][data["weight"] > 0]
        if own is None or own.shape != rows.shape or sorted(own.tolist()) != sorted(rows.tolist()):
            return None
        near = np.zeros(len(scores))
        if self.read("prediction", place, "values") is None:
            near = self.errors.get(("prediction", place), {}).get("values", near)
        ties = np.abs(scores[own] - scores[rows]) <= near[own] + near[rows]
        holds = (qid[own] == qid[rows]).all() and ties.all()
        return {"rows": own} if holds and (own != rows).any() else None


def list_arrays(record: Record) -> dict[str, NDArray[Any]]:
    """List the fields of a record whose entries are kept."""
    return {name: values for name in record.fields if (values := record.values(name)) is not None}


def is_usable(values: NDArray[Any], lowest: float = -LARGEST, highest: float = LARGEST) -> bool:
    """Return whether a training can go on with these numbers."""
    wide = values.astype(np.float64)  # float32 has no 1e100
    return bool(((wide >= lowest) & (wide <= highest)).all())


def mark_wrong(
    record: Record, names: Iterable[str], expected: Mapping[str, Any], ulps: int = 0, errors: Mapping[str, Any] = NONE
) -> dict[str, Bools]:
    """Mark the entries of a port's fields that are not the expected ones, in each field that has such entries."""
    marks = {name: find_wrong(expected.get(name), record.fields[name], ulps, errors.get(name)) for name in names}
    return {name: wrong for name, wrong in marks.items() if wrong.any()}


def find_wrong(expected: NDArray[Any] | Field | None, theirs: Field, ulps: int, error: Any = None) -> Bools:
    """Mark the entries of a port's field that differ; one mark stands for a field of another shape, or without entries.

    They may be off by some ulps, or by an error: a number, one per entry, or a function of the expected numbers.
    """
    values = expected.values if isinstance(expected, Field) else expected
    if values is None or theirs.values is None or values.shape != theirs.shape:
        own = None if expected is None else expected if isinstance(expected, Field) else make_field(expected)
        return np.array(own is None or own[1:3] != theirs[1:3])
    different = find_different(values, theirs.values, ulps)
    if error is not None:
        different &= ~(np.abs(theirs.values - values) <= (error(values) if callable(error) else error))
    return different


def point_out(record: Record, expected: Arrays, wrong: Mapping[str, Bools], verdict: str) -> Judgement:
    """Make a judgement of the first wrong entry, in the first field whose entries are kept."""
    stage, place = record.stage, record.place
    for name in sorted(wrong, key=lambda name: name != "nodes"):  # the others depend on the nodes
        actual = record.values(name)
        if actual is not None and name in expected:
            at = tuple(np.argwhere(wrong[name])[0].tolist()) if actual.shape == expected[name].shape else None
            return Judgement(stage, place, verdict, name, expected[name], actual, at)
    return Judgement(stage, place, verdict, next(iter(wrong), ""))
