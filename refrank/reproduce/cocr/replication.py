"""COCR's claims about its tables on several artificial training sets; without bagging, which no table has."""

from collections import defaultdict
from dataclasses import replace

from refrank.reproduce.artificial import make_heavy_tailed_fold
from refrank.reproduce.cocr.claims import CLAIMS
from refrank.reproduce.cocr.rankers import MEASURES, CocrSetting, Results, run_fold
from refrank.reproduce.cocr.tables import SMALL, collect_tables
from refrank.reproduce.replication import Study
from refrank.reproduce.run import Reproduction
from refrank.reproduce.verdicts import Differences


def make_study(setting: CocrSetting = SMALL) -> Study:
    """Make the study of these sizes; a seed draws the weights of the features and the documents."""
    setting = replace(setting, n_bags=0)

    def measure(seed: int, run: Reproduction) -> Differences:
        results = Results(setting, defaultdict(list))
        for base, way, arrays in run_fold(setting, make_heavy_tailed_fold(setting.n_queries, seed), run):
            results.cells[base, way].append(arrays)
        return {
            f"{base}: {high} above {low}, {MEASURES[claim.measure]}": (
                table[claim.measure][high] - table[claim.measure][low]
            )
            for base, table in collect_tables(results).items()
            for claim in CLAIMS
            for high, low in claim.pairs
        }

    train, _, test = setting.n_queries
    sizes = f"{train:,} training and {test:,} test queries of 16 documents; {setting.n_rounds} rounds of GBRT"
    return Study("cocr", sizes, measure)
