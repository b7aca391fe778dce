"""What the tests of the command line share."""

import pytest

from refrank import SoftmaxBoostRanker
from refrank.model_file import save_model
from tests.cli.command_line import DATA, write_letor


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A file of 8 queries, a ranker trained on it, and its scores; no test writes here."""
    place = tmp_path_factory.mktemp("cli")
    write_letor(place / "train.txt", DATA.X, DATA.y, DATA.qid)
    ranker = SoftmaxBoostRanker(n_rounds=3, n_leaves=4).fit(DATA.X, DATA.y, DATA.qid)
    save_model(ranker, place / "m.refrank")
    (place / "scores.txt").write_text("".join(f"{score!r}\n" for score in ranker.predict(DATA.X).tolist()))
    return place
