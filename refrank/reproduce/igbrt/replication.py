"""iGBRT's claims about Table 3 on several artificial training sets."""

from refrank.reproduce.artificial import make_heavy_tailed_fold, remove_features
from refrank.reproduce.igbrt.comparisons import PAIRS
from refrank.reproduce.igbrt.reproduction import ARTIFICIAL, run_fold
from refrank.reproduce.igbrt.runs import Sizes
from refrank.reproduce.replication import Study
from refrank.reproduce.run import Reproduction
from refrank.reproduce.verdicts import Differences


def make_study(sizes: Sizes = ARTIFICIAL) -> Study:
    """Make the study of these sizes; a seed draws the weights of the features and the documents."""

    def measure(seed: int, run: Reproduction) -> Differences:
        fold = remove_features(make_heavy_tailed_fold(sizes.n_queries, seed), 0.4)
        queries = run_fold(fold, sizes, run, shown=False, only=("table-3",)).queries
        return {
            f"{' '.join(above)} above {' '.join(below)}, {metric}": queries[above][place] - queries[below][place]
            for above, below in PAIRS
            for place, metric in enumerate(("ERR", "NDCG@10"))
        }

    words = f"forests of {sizes.forest_sizes[-1]} trees; {sizes.n_queries[0]:,} training queries; {sizes.describe()}"
    return Study("igbrt", words, measure)
