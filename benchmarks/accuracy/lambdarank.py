"""Test figures of LambdaRank and RankNet, as printed in docs/learn/lambdarank.md.

python -m benchmarks.accuracy.lambdarank artificial    # McRank Sec. 6.1, some minutes
REFRANK_DATA=... python -m benchmarks.accuracy.lambdarank mq2008    # fold 1, five seeds per objective
"""

import argparse
import os
from pathlib import Path

from refrank.datasets import cubic_polynomial, load_folds
from refrank.estimators.lambdarank import LambdaRanker
from refrank.metrics import err, ndcg

NETS = (("ndcg", 10, 0.001), ("ranknet", 10, 0.0001), ("ndcg", 50, 0.003), ("ranknet", 50, 0.0001))


def train_on_artificial() -> None:
    """Train on artificial data: McRank Table 1, first row, last column, has 74.9 (12.6)."""
    train, val, test = (cubic_polynomial(n, random_state=seed) for seed, n in enumerate((10_000, 2_000, 2_000)))
    print("objective  hidden  learning_rate  best epoch  NDCG@10 (standard deviation), %")
    for objective, hidden, learning_rate in NETS:
        ranker = LambdaRanker(hidden=hidden, learning_rate=learning_rate, n_epochs=40, objective=objective)
        ranker.fit(train.X, train.y, train.qid, X_val=val.X, y_val=val.y, qid_val=val.qid)
        values = ndcg(test.y, ranker.predict(test.X), test.qid, k=10, spec="paper", per_query=True)
        figure = f"{100 * values.mean():.1f} ({100 * values.std(ddof=1):.1f})"
        print(f"{objective:9}  {hidden:6}  {learning_rate:13}  {ranker.best_round_:10}  {figure}", flush=True)


def train_on_mq2008() -> None:
    """Train on fold 1 of MQ2008: train S1+S2+S3, validation S4, test S5."""
    fold = next(load_folds(Path(os.environ["REFRANK_DATA"], "mq2008"), n_features=46))
    train, val, test = fold.train, fold.valid, fold.test
    print("objective  seed  best epoch  NDCG@10     ERR  (no relevant document: 0; ERR max grade 2)")
    for objective in ("ndcg", "err", "ranknet"):
        for seed in range(5):
            ranker = LambdaRanker(objective=objective, random_state=seed)
            ranker.fit(train.X, train.y, train.qid, X_val=val.X, y_val=val.y, qid_val=val.qid)
            ranking = test.y, ranker.predict(test.X), test.qid
            by_ndcg, by_err = ndcg(*ranking, k=10, spec="paper"), err(*ranking, spec="paper", max_grade=2)
            print(f"{objective:9}  {seed:4}  {ranker.best_round_:10}  {by_ndcg:7.4f}  {by_err:6.4f}", flush=True)


if __name__ == "__main__":
    tables = {"artificial": train_on_artificial, "mq2008": train_on_mq2008}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=tables)
    tables[parser.parse_args().table]()
