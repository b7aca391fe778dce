"""Cuts of the labels that fit McRank Table 1: the paper prints none (Sec. 6.1), only a deviation beside each mean.

To simulate a ranker of NDCG m, documents are ranked by F plus enough normal noise to bring the mean to m. The deviation
over the queries then depends on the shares of the labels, and hardly on F.
"""

import numpy as np

from refrank.arrays import Floats
from refrank.metrics import ndcg, summarize
from refrank.reproduce.mcrank.rankers import CONVENTION
from refrank.reproduce.tables import Row, write_table

# McRank Table 1, artificial data: mean and standard deviation
PRINTED = ((85.0, 9.5), (83.7, 9.9), (82.9, 10.2), (74.9, 12.6))
CUTS = {"cuts at .5, .75, .9, .97": (0.5, 0.75, 0.9, 0.97), "equal fifths": (0.2, 0.4, 0.6, 0.8)}
N_HALVINGS = 12  # bisections of the interval of the noise


def simulate_deviation(
    quantiles: tuple[float, ...], mean: float, n_queries: int = 4_000, n_documents: int = 50, seed: int = 0
) -> float:
    """Compute the deviation over queries, in percent, of a noisy ranker whose mean NDCG at L = 10 is `mean`.

    `quantiles` are the shares of documents below each cut, (n_classes - 1,).
    """
    # McRank Sec. 6.1: five labels, of which it prints no shares
    rng = np.random.default_rng(seed)
    F, noise = rng.normal(size=(2, n_queries * n_documents))
    y = np.searchsorted(np.quantile(F, quantiles), F)
    qid = np.repeat(np.arange(n_queries), n_documents)

    def measure(amount: float) -> Floats:
        return 100 * ndcg(y, F + amount * noise, qid, 10, CONVENTION, per_query=True)

    low, high = 0.0, 4.0  # in standard deviations of F
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if measure(middle).mean() > mean else (low, middle)
    return summarize(measure(low)).sd


def write_labels() -> list[str]:
    """Write the simulated deviations at Table 1's means, and the printed ones."""
    rows: list[Row] = [("  mean", [f"{mean}" for mean, _ in PRINTED])]
    rows += [
        (f"  {name}", [f"{simulate_deviation(cuts, mean):.1f}" for mean, _ in PRINTED]) for name, cuts in CUTS.items()
    ]
    rows.append(("  paper, Table 1", [f"{deviation}" for _, deviation in PRINTED]))
    title = "Sec. 6.1: standard deviations over queries of rankers by noise, at Table 1's means, by cuts of the labels"
    return [title, *write_table(rows, 28, 10)]
