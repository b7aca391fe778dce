"""The verdict on each record of a port: a judge takes the stages of a training, and compares them with the port's.

agrees     the numbers of refrank
follows    other numbers, which follow from the port's own earlier records: the difference began earlier
lawful     another choice where the papers leave it open: a cut, a node or a row that ties with refrank's
differs    neither: an original difference
unclear    other numbers, and the port does not tell the numbers from which they should follow

The judge is a `Taker`: the specification computes a stage, the judge compares it, and the training goes on with the
port's own numbers, so each stage is computed from the port's earlier ones, and an early difference hides no later one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Ints
from refrank.trees.model.tree import Tree, check_trees
from refrank.trees.numbers.ulps import find_different
from yardstick.numbers.digest import digest
from yardstick.traces.records import Key
from yardstick.traces.stages import STAGES, Field, Place, Record, Taker

AGREES, FOLLOWS, LAWFUL, DIFFERS, UNCLEAR = VERDICTS = "agrees", "follows", "lawful", "differs", "unclear"
LARGEST = 1e100  # in size, of numbers to go on with where they differ: their squares can be summed
MOST_EXPONENT = 2**12  # of a grid, in size: float64 has powers of two from 2**-1074 to 2**1023
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


class Judge(Taker):
    """Compares stages with a port's records, and has the training go on with the port's numbers.

    Parameters
    ----------
    theirs : mapping of Record
        The port's, by stage and place.
    golden : mapping of Record, optional
        Those of refrank's own training: what equals them agrees. Without them, what equals the expected numbers agrees
        up to the first difference, and follows after it.
    ulps : int, default 0
        Floats at most this many units in the last place apart count as equal.
    report : function
        Takes each judgement.
    """

    def __init__(
        self, theirs: Records, golden: Records | None, ulps: int, report: Callable[[Judgement], object]
    ) -> None:
        self.theirs, self.golden, self.ulps, self.report = theirs, golden, ulps, report
        self.expected: dict[Key, Arrays] = {}  # what the specification computed
        # what a port's arithmetic allows, by field: arrays, or functions of the expected numbers
        self.errors: dict[Key, dict[str, Any]] = {}
        self.inputs: dict[str, Any] = {}  # of the last stage, where no record has them
        self.has_departed = False  # the training goes on with other numbers than refrank's own
        self.has_untold_choice = False  # the port chose among what ties, and the next record is the first to show it
        self.is_lost = False  # the port had other numbers, and did not tell them

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
        if record is None or name not in record.fields or is_same(np.asarray(values), record.fields[name], 0):
            return values
        own = record.values(name)
        lowest, highest = (0, below - 1) if below is not None else (-MOST_EXPONENT, MOST_EXPONENT)
        bounded = below is not None or name == "exponent"
        if (
            own is None
            or own.shape != np.shape(values)
            or not is_usable(own)
            or (bounded and not ((own >= lowest) & (own <= highest)).all())
        ):
            self.is_lost = True
            return values
        self.is_lost &= stage != "scores"  # all that follows is computed from them
        return own.astype(np.asarray(values).dtype)

    def adopt_tree(self, place: Place, tree: Tree, n_features: int) -> Tree:
        """Return the port's tree if rows can be sent down, else that of the specification."""
        record = self.theirs.get(("tree", place))
        if record is None:
            return tree
        arrays = {
            name: values if name not in record.fields or (own := record.values(name)) is None else own
            for name, values in vars(tree).items()
        }
        try:
            adopted = Tree(**{name: values.astype(getattr(tree, name).dtype) for name, values in arrays.items()})
            check_trees([adopted], n_features)
        except ValueError:
            self.is_lost = True
            return tree
        usable = not np.isnan(arrays.pop("cut")).any() and all(map(is_usable, arrays.values()))
        self.is_lost |= not usable
        return adopted if usable else tree

    def take(self, stage: str, place: Place, **arrays: Any) -> None:
        """Judge a port's record of a stage, if it has one."""
        arrays = {name: np.array(values) for name, values in arrays.items()}
        record = self.theirs.get((stage, place))
        choice = None if stage != "order" or record is None else self.find_order(arrays["rows"], record)
        self.judge_by(stage, place, record, arrays if choice is None else choice, None if choice is None else arrays)

    def judge_by(self, stage: str, place: Place, record: Record | None, expected: Arrays, usual: Arrays | None) -> None:
        """Judge a record.

        Parameters
        ----------
        stage, place : str, Place
        record : Record, optional
            The port's; None if it has none.
        expected : mapping of array
            What follows from its earlier records, and from its own choices.
        usual : mapping of array, optional
            The same by refrank's choices, if the port chose otherwise where it may.
        """
        self.expected[stage, place] = expected
        if record is None:
            return
        names = [name for name in STAGES[stage].fields if name in expected and name in record.fields]
        allowed = self.errors.get((stage, place), {})
        wrong = [
            name
            for name in names
            if not is_same(expected[name], record.fields[name], self.ulps)
            and (name not in allowed or not is_near(expected[name], record.values(name), allowed[name]))
        ]
        golden = None if self.golden is None else self.golden.get((stage, place))
        if not names:  # a port agrees only if it reports at least one compared field
            self.report(Judgement(stage, place, UNCLEAR))
        elif golden is not None and all(
            name in golden.fields and has_same(golden.fields[name], record.fields[name], self.ulps) for name in names
        ):
            self.report(Judgement(stage, place, AGREES))
        elif wrong:
            verdict = UNCLEAR if self.is_lost else DIFFERS
            self.report(point_out(record, expected, wrong, verdict, self.ulps, allowed))
            self.has_departed = True
            self.is_lost |= stage == "data"  # the port trained on other rows
        elif usual is not None or self.has_untold_choice:
            if usual is None and golden is not None:
                usual = {name: values for name in golden.fields if (values := golden.values(name)) is not None}
            names = [name for name in names if usual is not None and name in usual]
            self.report(point_out(record, usual or {}, names, LAWFUL, 0))
            self.has_departed, self.has_untold_choice = True, False
        else:
            self.report(Judgement(stage, place, FOLLOWS if self.has_departed else AGREES))

    def find_order(self, rows: Ints, record: Record) -> Arrays | None:
        """Return the order of a port, if it only trades places of rows with equal scores in their query."""
        own, scores = record.values("rows"), self.array("prediction", Place(), "values")
        qid = self.expected["data", Place()]["qid"]
        if own is None or own.shape != rows.shape or sorted(own.tolist()) != sorted(rows.tolist()):
            return None
        near = np.zeros(len(scores))
        if self.read("prediction", Place(), "values") is None:
            near = self.errors.get(("prediction", Place()), {}).get("values", near)
        ties = np.abs(scores[own] - scores[rows]) <= near[own] + near[rows]
        holds = (qid[own] == qid[rows]).all() and ties.all()
        return {"rows": own} if holds and (own != rows).any() else None


def is_usable(values: NDArray[Any]) -> bool:
    """Return whether a training can go on with these numbers."""
    with np.errstate(all="ignore"):
        return values.dtype.kind != "f" or bool((np.abs(values) <= LARGEST).all())


def is_same(expected: NDArray[Any], theirs: Field, ulps: int) -> bool:
    """Return whether a field holds the expected numbers."""
    if np.shape(expected) != theirs.shape:
        return False
    if digest(expected) == theirs.digest:
        return True
    return ulps > 0 and theirs.values is not None and not find_different(expected, theirs.values, ulps).any()


def find_far(expected: NDArray[Any], theirs: NDArray[Any], error: Any) -> NDArray[np.bool_]:
    """Find the numbers of a port beyond an error: a number, one per entry, or a function of the expected numbers."""
    return np.asarray(~(np.abs(theirs - expected) <= (error(expected) if callable(error) else error)))


def has_same(golden: Field, theirs: Field, ulps: int) -> bool:
    """Return whether two fields hold the same numbers."""
    if golden.shape != theirs.shape or golden.digest == theirs.digest:
        return golden.shape == theirs.shape
    return golden.values is not None and is_same(golden.values, theirs, ulps)


def is_near(expected: NDArray[Any], theirs: NDArray[Any] | None, error: Any) -> bool:
    """Return whether a port's numbers are within an error."""
    return theirs is not None and theirs.shape == expected.shape and not find_far(expected, theirs, error).any()


def point_out(
    record: Record,
    expected: Arrays,
    names: Sequence[str],
    verdict: str,
    ulps: int,
    errors: Mapping[str, Any] = MappingProxyType({}),
) -> Judgement:
    """Find the first entry that differs by more than it may, in the first field whose entries are kept."""
    stage, place = record.stage, record.place
    beside = [name for name in STAGES[stage].beside if name in expected and record.values(name) is not None]
    # the other fields depend on the nodes
    for name in (*(name for name in names if name == "nodes"), *beside, *names):
        actual = record.values(name)
        if actual is None:
            continue
        if expected[name].shape != actual.shape:
            return Judgement(stage, place, verdict, name, expected[name], actual)
        different = find_different(expected[name], actual, ulps)
        if name in errors:
            different &= find_far(expected[name], actual, errors[name])
        if different.any():
            index = tuple(int(i) for i in np.argwhere(different)[0]) if different.ndim else ()
            return Judgement(stage, place, verdict, name, expected[name], actual, index)
    return Judgement(stage, place, verdict, names[0] if names else "")
