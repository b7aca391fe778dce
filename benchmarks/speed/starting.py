"""W15: imports and the start of a command, each in a fresh process of Python, from its start to its end.

`import refrank` loads neither NumPy nor scikit-learn, which its first ranker needs; so that is a row of its own.
"""

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.side_by_side import Contestant, Pairing, Settings, compare, load_peer, time_call

OURS = {
    "import refrank": ("-c", "import refrank"),
    "first ranker": ("-c", "from refrank import GBRTRanker"),
    "refrank --version": ("-m", "refrank", "--version"),
    "refrank --help": ("-m", "refrank", "--help"),
}
PEERS = ("lightgbm", "xgboost", "sklearn.ensemble")
TARGETS = [("first ranker", "import", 1.0), ("", "import", 0.8)]  # a ranker loads scikit-learn, as the peers do


def compare_starts(settings: Settings) -> Iterator[Pairing]:
    """Compare imports and starts (W15)."""
    installed = [name for name in PEERS if load_peer(name.partition(".")[0])[0]]
    peers = [enter_process(f"import {name}", "-c", f"import {name}") for name in installed]
    peers.append(enter_process("python -c pass", "-c", "pass"))
    ours = [enter_process(name, *arguments) for name, arguments in OURS.items()]
    yield from compare("W15", "a fresh process", ours, peers, settings.turns, TARGETS)


def enter_process(name: str, *arguments: str) -> Contestant:
    """Time a process of Python; the first run fills the caches of files."""
    command = [sys.executable, *arguments]

    def run() -> float:
        return time_call(lambda: subprocess.run(command, check=True, capture_output=True))[0]

    run()
    return Contestant(name, run)
