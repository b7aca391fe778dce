"""McRank's claims about Table 1 on the training sets of several polynomials."""

from dataclasses import replace

from refrank.reproduce.artificial import describe_queries, make_artificial_fold
from refrank.reproduce.mcrank.claims import measure_claims
from refrank.reproduce.mcrank.rankers import join_queries
from refrank.reproduce.mcrank.table_1 import WIDE, TableSetting
from refrank.reproduce.replication import Study
from refrank.reproduce.run import Reproduction
from refrank.reproduce.verdicts import Differences


def make_study(setting: TableSetting = WIDE) -> Study:
    """Make the study of these sizes; a seed is a polynomial."""

    def measure(seed: int, run: Reproduction) -> Differences:
        fold = make_artificial_fold(setting.n_queries, seed)
        cells = replace(setting.parameters, seed=seed).measure_rankers(fold, run)
        return measure_claims(join_queries([cells], "test"))

    measured = "NDCG in percent, at L = 10 if nothing else is said"
    sizes = f"{describe_queries(setting.n_queries)}, {measured}; {setting.parameters.describe()}"
    return Study("mcrank", sizes, measure, digits=2)
