"""Findings of a judge: the verdict on each record, and the first finding of each stage and verdict in full."""

from collections.abc import Iterator, Mapping
from typing import Any

from refrank.estimators import COCRRanker, WekaLinearRegressor
from refrank.estimators.registry import RANKERS
from refrank.trees.numbers.ulps import count_ulps, write_number
from yardstick.divergence.comparison import Divergence, Mode
from yardstick.divergence.hints import Report, find_mistakes
from yardstick.divergence.judging import AGREES, DIFFERS, LAWFUL, Judge, Judgement, Records, list_arrays
from yardstick.divergence.locating import locate
from yardstick.divergence.patterns import find_pattern
from yardstick.divergence.replay import Untold, repeat
from yardstick.numbers.encoding import show
from yardstick.traces.models import MODEL, read_traced_model
from yardstick.traces.records import Key


class Findings:
    """The verdict on each record of a port, and the first judgement of each stage and verdict."""

    def __init__(self, ranker: Any, theirs: Records, golden: Records | None, mode: Mode) -> None:
        self.ranker, self.theirs, self.golden, self.mode = ranker, theirs, golden, mode
        self.records = theirs if golden is None else golden  # which tell the rows
        self.verdicts: dict[Key, str] = {}
        self.first: dict[tuple[str, str], Judgement] = {}
        self.judge = Judge(theirs, golden, mode.ulps, self.report)

    def report(self, judgement: Judgement) -> None:
        """Take a judgement."""
        self.verdicts[judgement.key] = judgement.verdict
        if judgement.verdict != AGREES:
            self.first.setdefault((judgement.stage, judgement.verdict), judgement)

    def judge_all(self) -> bool:
        """Repeat the training in lockstep with the port; return whether the trace keeps the rows that this takes."""
        try:
            repeat(self.ranker, self.records, self.judge, self.mode.arithmetic)
        except Untold:
            return False
        return True

    def compare(self, key: Key) -> None:
        """Compare a record that could not be computed again with the golden one."""
        assert self.golden is not None
        self.judge.is_lost |= self.judge.has_departed
        self.judge.judge_by(*key, self.theirs[key], list_arrays(self.golden[key]), None)

    def describe(self, has_hints: bool) -> Iterator[Divergence]:
        """Yield the full descriptions of the findings; those of new differences and of other choices have hints."""
        wrong = {judged.key: judged for (_, verdict), judged in self.first.items() if verdict in (DIFFERS, LAWFUL)}

        def repeat_with(report: Report) -> None:
            judge = Judge(self.theirs, None, self.mode.ulps, report)
            repeat(self.ranker, self.records, judge, self.mode.arithmetic)

        hints = find_mistakes(self.ranker, wrong, self.verdicts, repeat_with) if has_hints else {}
        for judgement in self.first.values():
            hint = hints.get(judgement.key)
            if hint is None and judgement.key in wrong:
                before = judgement.place._replace(round=(judgement.place.round or 0) - 1)
                hint = find_pattern(judgement, self.judge.read(judgement.stage, before, judgement.field))
            expected, actual, ulps = write_numbers(judgement)
            yield Divergence(judgement, locate(judgement, self.judge), expected, actual, ulps, hint)


def write_numbers(judgement: Judgement) -> tuple[str, str, int | None]:
    """Write the expected number and the one found, and their distance; of fields of different shapes, the sizes."""
    expected, actual, index = judgement.expected, judgement.actual, judgement.index
    if expected is None or actual is None:
        return "", "", None
    if index is None:
        sizes = [f"{' x '.join(map(str, values.shape)) or 1} entries" for values in (expected, actual)]
        return sizes[0], sizes[1], None
    wanted, given = expected[index], actual[index]
    return write_number(wanted), write_number(given), count_ulps(wanted.item(), given.item())


def make_ranker(manifest: Mapping[str, Any], name: str) -> Any:
    """Make the ranker that a manifest states, or read what it says of a model."""
    algorithm, parameters = manifest["algorithm"], manifest.get("parameters", {})
    if algorithm == MODEL:
        return read_traced_model(parameters, name)
    if algorithm not in RANKERS:
        raise ValueError(f"algorithm of {name} is {show(algorithm)}: it must be one of {', '.join(RANKERS)}")
    kind: Any = RANKERS[algorithm]
    ranker = kind(WekaLinearRegressor()) if algorithm == COCRRanker.algorithm else kind()
    own = ranker.get_params(deep=False)
    for parameter, value in parameters.items():
        if parameter not in own:
            raise ValueError(f"{name} has a parameter {show(parameter)}, which {algorithm} has not")
        if isinstance(value, dict) and "algorithm" in value:
            value = make_ranker(value, f"{parameter} of {name}")
        if not isinstance(value, dict):
            ranker.set_params(**{parameter: value})
    ranker.check_parameters()
    return ranker
