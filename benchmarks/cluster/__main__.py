"""The tables of the model of time: `python -m benchmarks.cluster`, and --rows for the rows of the trainings."""

import argparse

from benchmarks.cluster.measuring import write_measured

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    write_measured(parser.parse_args().rows)
