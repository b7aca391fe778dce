"""The plan of a bench: everything that its figures depend on, except data, code, and releases of packages."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from refrank.checks import check_choice, check_integer
from refrank.datasets.reading import PLAIN, Reading
from refrank.metrics.measures import Measure, parse_measure
from refrank.metrics.presets import PRESETS

LARGEST_SEED = 2**31 - 1  # that all tools take
RANKERS = ("softmax", "ordinal", "gbrt", "lambdamart")


@dataclass(frozen=True)
class BenchPlan:
    """The folds, the systems, and the budget that each of them has.

    Parameters
    ----------
    folds : str or Path
        A folder as in `refrank.datasets.load_folds`.
    rankers : tuple of str
        Algorithms of `refrank train`.
    peers : tuple of str
        Of "lightgbm", "xgboost", "hgb", "catboost".
    budget : int, default 10
        Configurations that each system tries on each fold; the first is its defaults.
    measures : tuple of str, default ("ndcg@10",)
        Metrics, as `refrank.metrics.parse_measure` reads them without a convention; the first chooses.
    spec : str, default "paper"
        The convention of all measures.
    seed : int, default 0
        Of the configurations and of the trainings, from 0 to 2^31 - 1.
    n_rounds : int, default 500
        Rounds, trees or epochs of a training, at most.
    early_stopping_rounds : int, default 50
        Rounds without a new best on the validation queries that end a training.
    reading : Reading
        How files are read.

    Raises
    ------
    ValueError
        If a value breaks its rule, or a name is given twice.

    Examples
    --------
    >>> plan = BenchPlan("MQ2008", rankers=("gbrt",), peers=("lightgbm",), measures=("ndcg@5",), spec="lightgbm")
    >>> plan.systems, *map(str, plan.list_measures())
    (('gbrt', 'lightgbm'), 'ndcg@5 lightgbm')
    >>> BenchPlan("MQ2008", budget=0)
    Traceback (most recent call last):
    ValueError: budget is 0: it must be an integer of at least 1
    """

    folds: str | Path
    rankers: tuple[str, ...] = RANKERS
    peers: tuple[str, ...] = ()
    budget: int = 10
    measures: tuple[str, ...] = ("ndcg@10",)
    spec: str = "paper"
    seed: int = 0
    n_rounds: int = 500
    early_stopping_rounds: int = 50
    reading: Reading = PLAIN

    def __post_init__(self) -> None:
        """Refuse a value that breaks its rule."""
        for name in ("budget", "n_rounds", "early_stopping_rounds"):
            check_integer(name, getattr(self, name), at_least=1)
        check_integer("seed", self.seed, 0, LARGEST_SEED)
        check_choice("spec", self.spec, PRESETS)
        if not self.systems:
            raise ValueError("rankers is empty, and so is peers: a bench needs a system")
        if not self.measures:
            raise ValueError("measures is empty: the first chooses the configurations")
        names = {"rankers": self.rankers, "peers": self.peers, "measures": tuple(map(str, self.list_measures()))}
        for field, words in names.items():
            if twice := [word for word in words if words.count(word) > 1]:
                raise ValueError(f"{field} names {twice[0]} twice")

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems, ours first."""
        return self.rankers + self.peers

    def list_measures(self) -> tuple[Measure, ...]:
        """List the measures, all of one convention."""
        for name in self.measures:
            if " " in name.strip():
                raise ValueError(f"measures names {name!r}: spec is the convention of all")
        return tuple(parse_measure(f"{name} {self.spec}") for name in self.measures)

    def describe(self, versions: Mapping[str, str]) -> str:
        """Describe in lines how the figures are made, for a reader of the tables."""
        patience = self.early_stopping_rounds
        lines = (
            f"Each system tries {self.budget} configurations on each fold: defaults, and draws of seed {self.seed}.",
            f"A training has at most {self.n_rounds} rounds, and ends {patience} rounds after its best one.",
            f"The validation queries choose configuration and round, by the mean {self.list_measures()[0]}.",
            f"What is chosen is measured once, on the test queries. Reading: {self.reading.describe()}.",
            f"Releases: {', '.join(f'{name} {version}' for name, version in versions.items())}.",
            "bench.toml, beside this, makes each value again: refrank bench --config bench.toml",
        )
        return "\n".join(lines)
