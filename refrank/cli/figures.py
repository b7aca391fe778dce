"""The figures of one ranking by every convention, as text, as JSON and by query."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from refrank.cli.evaluation import format_figure, replace_nan
from refrank.metrics import MetricSpec, PresetValue


@dataclass(frozen=True)
class Ranking:
    """The input of the figures: the columns of `compare_presets`, (n_samples,), and sentences about them."""

    title: str
    notes: list[str]
    columns: dict[str, Any]

    @property
    def queries(self) -> list[str]:
        """Ids of the queries, in the order of every column of values."""
        return [str(query) for query in dict.fromkeys(self.columns["qid"])]


@dataclass(frozen=True)
class Figures:
    """The figures of a ranking: of each measure, by each convention."""

    ranking: Ranking
    base: MetricSpec
    values: dict[str, list[PresetValue]]

    def find_base(self, name: str) -> PresetValue:
        """Find the figure of a measure by the convention from which the others are reached."""
        return next(value for value in self.values[name] if value.spec.name == self.base.name)


def count(number: int, what: str) -> str:
    """Write a number of things.

    >>> count(1, "ranked query"), count(2, "ranked query")
    ('1 ranked query', '2 ranked queries')
    """
    return f"{number} {what if number == 1 else what.removesuffix('y') + 'ies'}"


def list_columns(figures: Figures) -> dict[str, Any]:
    """List the values of the queries, (n_queries,), by measure and convention."""
    pairs = ((name, preset) for name, presets in figures.values.items() for preset in presets)
    return {f"{name} {preset.spec.name}": preset.values for name, preset in pairs if preset.problem is None}


def as_lines(figures: Figures) -> Iterator[str]:
    """Write the figures, then for each measure the rules that lead from the base to the others."""
    yield f"{figures.ranking.title}: {count(len(figures.ranking.queries), 'query')}"
    yield from figures.ranking.notes
    widths = {name: max(10, len(name) + 2) for name in figures.values}
    yield ""
    yield f"{'convention':12}" + "".join(f"{name:>{width}}" for name, width in widths.items()) + f"{'queries':>10}"
    for of in zip(*figures.values.values(), strict=True):
        cells = zip(of, widths.values(), strict=True)
        row = "".join(f"{format_figure(preset.value):>{width}}" for preset, width in cells)
        yield f"{of[0].spec.name:12}{row}{of[0].n_counted:10}"
    for name, presets in figures.values.items():
        base = figures.find_base(name)
        yield from ["", f"{name}: from {format_figure(base.value)} ({base.spec.name}) to"]
        for preset in presets:
            if preset.needed:
                yield f"  {preset.spec.name:12}{format_figure(preset.value):>10}   {describe_rules(preset)}"
        same = (preset.spec.name for preset in presets if not (preset.problem or preset.needed or preset is base))
        yield f"  the same: {', '.join(same) or '-'}"
        for problem in dict.fromkeys(preset.problem for preset in presets if preset.problem):
            names = (preset.spec.name for preset in presets if preset.problem == problem)
            yield f"  none, {problem}: {', '.join(names)}"


def describe_rules(preset: PresetValue) -> str:
    """Write the rules that are needed, and what each of them does alone."""
    effects = [effect for effect in preset.effects if effect.rule in preset.needed]
    alone = (f" (alone {format_figure(effect.value)})" if len(effects) > 1 else "" for effect in effects)
    pairs = zip(effects, alone, strict=True)
    return " and ".join(f"{effect.rule} {effect.preset_choice}{words}" for effect, words in pairs)


def as_document(figures: Figures) -> dict[str, Any]:
    """Write the figures as a JSON object, with null for a missing one."""
    measures = {
        name: {
            preset.spec.name: {
                "value": replace_nan(preset.value),
                "n_counted": preset.n_counted,
                "problem": preset.problem,
                "needed": preset.needed,
                "alone": {effect.rule: replace_nan(effect.value) for effect in preset.effects},
            }
            for preset in presets
        }
        for name, presets in figures.values.items()
    }
    presets = next(iter(figures.values.values()))
    return {
        "ranking": figures.ranking.title,
        "notes": figures.ranking.notes,
        "n_queries": len(figures.ranking.queries),
        "from": str(figures.base),
        "conventions": {preset.spec.name: str(preset.spec) for preset in presets},
        "measures": measures,
    }
