"""Error and bound of each new statement of `proofs_check` on a real ranking, as printed in the chapters on bounds.

REFRANK_DATA=... python -m benchmarks.theory.run [TOPIC ...]    # MQ2008, fold 1

One line per statement: the mean error, the mean bound, their ratio, and the share of queries for which the bound is
below the largest error that the labels allow.
"""

import sys
from importlib import import_module

from benchmarks.theory.data import read_fold

TOPICS = ("isotonic", "losses", "ndcg", "regret", "rounds")


def main(topics: list[str]) -> None:
    data = read_fold()
    print("DCG: gain 2^y - 1, discount 1/log2(1+i), no cutoff; ERR: K = 2; ties in the order of the file")
    print(f"{'statement':50} {'error':>10} {'bound':>10} {'ratio':>8} {'informative':>11}")
    for topic in topics or TOPICS:
        for figure in import_module(f"benchmarks.theory.{topic}").list_figures(data):
            print(figure, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
