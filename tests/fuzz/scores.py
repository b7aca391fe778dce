"""Files of scores: one number per line."""

import numpy as np

from refrank.datasets.scores import read_scores
from tests.fuzz.letor import ENDS, NUMBERS, PIECES
from tests.fuzz.target import Refusal, Target, flip, pick


class Scores(Target):
    """`refrank.datasets.scores.read_scores`: what is read are the numbers of the lines."""

    name = "scores"

    def make(self, rng: np.random.Generator) -> bytes:
        """Write numbers in lines, or change a file of the corpus."""
        common = rng.integers(0, 3) > 0
        lines = [
            pick(rng, NUMBERS[:14] if common else NUMBERS) + pick(rng, ENDS[:4]) for _ in range(rng.integers(0, 30))
        ]
        content = "".join(lines).encode() if rng.integers(0, 4) else pick(rng, self.seeds)
        return content if rng.integers(0, 3) == 0 else flip(content, rng, PIECES)

    def check(self, content: bytes) -> None:
        """Read it; written again, it is the same."""
        scores = self.refuse_or_return(read_scores, self.path)
        if not isinstance(scores, Refusal):
            assert (scores.dtype, scores.ndim) == (np.float64, 1)
            if all(ord(c) < 128 and (c.isprintable() or c == "\n") for c in content.decode("latin-1")):
                expected = [float(line) for line in content.decode().removesuffix("\n").split("\n")] if content else []
                assert scores.tobytes() == np.array(expected).tobytes(), "other numbers than those of the lines"
