"""Stand-in."""

from collections.abc import Mapping
from pathlib import Path

from refrank.reproduce.bench.result import BenchResult


def write_report(result: BenchResult, folder: Path, sections: Mapping[str, str] = {}) -> str:
    """Write it."""
    return "\n".join(f"{name} {of.mean(axis=1)}" for name, of in result.values.items())
