"""TREC files: runs and judgments."""

import numpy as np

from refrank.datasets import TrecFile, judge_run, read_qrels, read_run
from tests.fuzz.letor import ENDS, NUMBERS, PIECES
from tests.fuzz.target import Refusal, Target, flip, pick

IDS = ["q1", "q2", "d1", "d2", "d3", "1", "é", "#", "a" * 300, "\ud7ff", "<b>", '"', ","]


class Trec(Target):
    """`read_run`, `read_qrels` and `judge_run` of `refrank.datasets`: an input is read as both kinds."""

    name = "trec"

    def make(self, rng: np.random.Generator) -> bytes:
        """Write lines of a run or of judgments, or change a file of the corpus."""
        run = rng.integers(0, 2)
        lines = (make_line(rng, bool(run), rng.integers(0, 9) == 0) for _ in range(rng.integers(0, 20)))
        content = "".join(lines).encode() if rng.integers(0, 4) else pick(rng, self.seeds)
        return content if rng.integers(0, 3) == 0 else flip(content, rng, PIECES)

    def check(self, content: bytes) -> None:
        """Read it; what is read is unique, lawful, and as many rows as have a form."""
        for read in (read_run, read_qrels):
            file = self.refuse_or_return(read, self.path)
            if isinstance(file, Refusal):
                continue
            assert isinstance(file, TrecFile)
            assert len(file.values) == len({*zip(file.qid, file.doc_id, strict=True)})
            assert np.isfinite(file.values).all()
            judged = judge_run(file, file) if read is read_qrels else judge_run(file, empty_judgments(file))
            assert len(judged.y) == len(file.qid)
            assert judged.y.min() >= 0


def empty_judgments(run: TrecFile) -> TrecFile:
    """Judgments of the same documents."""
    return TrecFile("judgments", run.qid, run.doc_id, np.ones(len(run.qid), np.int64))


def make_line(rng: np.random.Generator, run: bool, rare: bool) -> str:
    """A line, which may have a number that is none."""
    number = pick(rng, NUMBERS if rare else NUMBERS[:8]) if run else str(rng.integers(-2, 60 if rare else 5))
    fields = [pick(rng, IDS[:2]), "Q0", pick(rng, IDS), *(["1", number, "t"] if run else [number])]
    return " ".join(fields) + pick(rng, ENDS[:4])
