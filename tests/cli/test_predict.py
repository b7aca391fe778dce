"""`refrank predict`: gzipped files, readers who leave. Its scores are tested with the training, in test_train.py."""

import gzip
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from refrank.estimators import RandomForestRanker
from refrank.models import save_model
from tests.cli.command_line import COMMAND, ENVIRONMENT, run
from tests.models.members import HEAD, take_apart, write


def test_gz_files_are_read(capsys, tmp_path, folder):
    zipped, model = tmp_path / "train.txt.gz", folder / "m.refrank"
    zipped.write_bytes(gzip.compress((folder / "train.txt").read_bytes()))
    plain = run(capsys, "predict", folder / "train.txt", "--model", model)
    assert run(capsys, "predict", zipped, "--model", model) == plain
    zipped.write_bytes(zipped.read_bytes()[:-20])
    code, out, errors = run(capsys, "predict", zipped, "--model", model)
    assert (code, out, len(errors)) == (2, [], 1)
    assert "train.txt.gz" in errors[0]


@pytest.mark.parametrize(("n_copies", "n_read"), [(60, 1), (1, 0)])
def test_a_reader_who_leaves_is_no_error(tmp_path, folder, n_copies, n_read):
    """`refrank predict ... | head -1`, with more than a pipe holds, and with little, which stays in a buffer."""
    many = tmp_path / "many.txt"
    many.write_text((folder / "train.txt").read_text() * n_copies)
    words, pipe = [*COMMAND, "predict", many, "--model", folder / "m.refrank"], subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, env=ENVIRONMENT) as process:
        for _ in range(n_read):
            float(process.stdout.readline())
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_a_small_model_that_states_many_features_is_refused_in_bounded_memory_and_time(tmp_path):
    """Half a billion columns of two rows would take 4 GB."""
    rng = np.random.default_rng(0)
    save_model(RandomForestRanker(n_trees=1).fit(rng.random((20, 2)), np.arange(20) % 3), tmp_path / "m")
    members = take_apart(tmp_path / "m")
    head = json.dumps(members[HEAD])
    assert head.count('"n_features_in_": 2') == 1
    members[HEAD] = json.loads(head.replace('"n_features_in_": 2', '"n_features_in_": 500000000'))
    write(tmp_path / "m", members)
    (tmp_path / "rows").write_text("1 qid:1 1:0.5\n0 qid:1 2:0.5\n")
    code = "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30,) * 2); "
    code += "resource.setrlimit(resource.RLIMIT_CPU, (60, 60)); "
    code += "import sys; from refrank.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, "predict", str(tmp_path / "rows"), "--model", str(tmp_path / "m")]
    ended = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    assert ended.returncode == 2, ended.stderr
    assert "2 rows x 500000000 columns, as the model states, take 4000000000 bytes: X may take at most" in ended.stderr
