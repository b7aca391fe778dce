"""`refrank predict`: gzipped files, readers who leave. Its scores are tested with the training, in test_train.py."""

import gzip
import subprocess

import pytest

from tests.cli.command_line import COMMAND, ENVIRONMENT, run


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
