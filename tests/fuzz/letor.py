"""LETOR files: what the kernel reads or refuses, the specification reads or refuses, bit for bit and word for word."""

import atexit
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import zlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from refrank.datasets import letor_text, load_letor
from tests.fuzz.target import Refusal, Target, flip, pick

LABELS = [
    *("0", "1", "2", "4", "-1", "+2", "-0", "003", "1.0", "2.5", "x", "", "nan"),
    *("9007199254740993", "1e3", "99999999999"),
]
QIDS = [
    *("qid:1", "qid:2", "qid:10", "qid:-3", "qid:9223372036854775807", "qid:9223372036854775808"),
    *("qid:", "qid:x", "1", "QID:1"),
]
INDICES = [
    *("1", "2", "3", "7", "12", "0", "-1", "+1", "01", "13"),
    *("4294967297", "2147483647", "99999999999999999999", "x", ""),
]
NUMBERS = [
    *("0", "1", "0.5", "-0", ".5", "5.", "1e5", "1E-3", "-2.25e+1", "3.4028235e38", "1e39", "1e-46", "1e309", "1e-400"),
    *("4.9406564584124654e-324", "9007199254740993", "0.1000000000000000055511151231257827"),
    *("nan", "inf", "-inf", "1_0", "0x1", "", ".", "e5", "1e", "--1"),
    *("1" * 400, "0." + "0" * 300 + "1", "1e99999999999999999999", "\u0661"),
]
BLANKS = [" ", " ", " ", "\t", "  ", "", "\x0b", "\u00a0", "\r"]
ENDS = ["\n", "\n", "\n", "\r\n", "\r", "\n\n", "", "\x0c", "\x85"]
COMMENTS = ["", "", "#", "# docid = GX0", "#a # b", "# \x00\xe9\ud7ff", "#" + "c" * 300]
PIECES = (b"\n", b"#", b"qid:", b":", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\x1a", b"inf", b"nan", b"_", b" 1:1")
OPTIONS: list[dict[str, Any]] = [
    {"n_features": n_features, "absent": absent, "dtype": dtype, "unlabelled": unlabelled}
    for n_features, absent, dtype, unlabelled in (
        *((None, 0.0, "float32", "error"), (12, 0.0, "float32", "error"), (12, -1.5, "float64", "zero")),
        *((None, float("nan"), "float64", "drop"), (3, 0.0, "float32", "drop")),
    )
]
LARGE = re.compile(rb"\d{4,}(?=\s*:)")
MOST_COLUMNS = 1 << 10  # without n_features: X is as wide as the highest index says, and may take 256 MiB at any size


def digest(data: Any) -> str:
    """Every bit of what was read."""
    arrays = [
        part for array in (data.X, data.y, data.qid) for part in (str(array.dtype), str(array.shape), array.tobytes())
    ]
    return hashlib.sha256(repr((arrays, data.comments)).encode()).hexdigest()


def read(path: str, options: dict[str, Any]) -> str:
    """The bits of a file, or the words of its refusal."""
    try:
        return digest(load_letor(path, **options))
    except ValueError as fault:
        return str(fault)


@cache
def start_specification() -> subprocess.Popen[str]:
    """A process without the kernel, which answers questions like those of `read`."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.fuzz.letor"]
    other = {"cwd": Path(__file__).parents[2], "env": os.environ | {"REFRANK_NO_EXTENSION": "1"}}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **other)
    atexit.register(process.__exit__, None, None, None)  # closes its pipes, at which it ends, and waits for it
    return process


def read_by_definition(path: str, options: dict[str, Any]) -> str:
    """Ask the process without the kernel."""
    asked = start_specification()
    assert asked.stdin is not None
    assert asked.stdout is not None
    asked.stdin.write(json.dumps([path, options]) + "\n")
    asked.stdin.flush()
    return str(json.loads(asked.stdout.readline()))


class Letor(Target):
    """`refrank.datasets.load_letor`, on the kernel and on the specification."""

    name = "letor"

    def make(self, rng: np.random.Generator) -> bytes:
        """Write lines by a grammar that knows what is nearly right, or change a file of the corpus."""
        if rng.integers(0, 3) == 0:
            content = pick(rng, self.seeds)
        else:
            rare = rng.integers(0, 20) ** 2 / 400  # how often a line is other than common
            content = "".join(make_line(rng, rare) for _ in range(rng.integers(0, 9))).encode("utf-8", "surrogatepass")
        if rng.integers(0, 2):
            content = flip(content, rng, PIECES)
        if rng.integers(0, 12) == 0:
            content = gzip.compress(content, mtime=0)
            content = flip(content, rng) if rng.integers(0, 2) else content
        return content

    def check(self, content: bytes) -> None:
        """Read it by both."""
        self.path = self.path.with_suffix(".gz") if content[:2] == b"\x1f\x8b" else self.path.with_suffix("")
        self.path.write_bytes(content)
        options = OPTIONS[sum(content[:64]) % len(OPTIONS)]
        text = content
        with suppress(OSError, EOFError, zlib.error):
            text = gzip.decompress(content)
        if any(int(index) > MOST_COLUMNS for index in LARGE.findall(text)):
            options = options | {"n_features": 12}
        data = self.refuse_or_return(lambda: load_letor(self.path, **options))
        if not isinstance(data, Refusal):
            assert data.X.shape == (len(data.y), options["n_features"] or data.X.shape[1])
            assert len(data.qid) == len(data.comments) == len(data.y)
        if letor_text.COMPILED is not None:
            answer = data if isinstance(data, Refusal) else digest(data)
            expected = read_by_definition(str(self.path), options)
            assert answer == expected, f"the kernel: {answer}; the specification: {expected}"


def make_line(rng: np.random.Generator, rare: float) -> str:
    """A line: label, query, features in order, comment; each of them now and then another one."""

    def choose(texts: list[str], n_common: int) -> str:
        return str(pick(rng, texts if rng.random() < rare else texts[:n_common]))

    indices = sorted(rng.choice(np.arange(1, 13), rng.integers(0, 8), replace=False).tolist())
    items = [choose(LABELS, 4), choose(QIDS, 3)]
    for index in indices:
        items.append(f"{choose(INDICES, 5) if rng.random() < rare else index}:{choose(NUMBERS, 9)}")
    return "".join(item + choose(BLANKS, 3) for item in items) + choose(COMMENTS, 4) + choose(ENDS, 3)


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(read(*json.loads(line))), flush=True)
