"""`refrank predict`: the scores to the bit, gzipped files, readers who leave."""

import gzip
import os
import subprocess

import numpy as np

from refrank.model_file import load_model
from tests.cli.command_line import COMMAND, DATA, ENVIRONMENT, run


def test_predict_prints_the_scores_to_the_bit(capsys, folder):
    code, out, errors = run(capsys, "predict", folder / "train.txt", "--model", folder / "m.refrank")
    assert (code, errors) == (0, [])
    expected = load_model(folder / "m.refrank").predict(DATA.X)
    assert np.array([float(line) for line in out]).tobytes() == expected.tobytes()


def test_gz_files_are_read(capsys, tmp_path, folder):
    zipped = tmp_path / "train.txt.gz"
    zipped.write_bytes(gzip.compress((folder / "train.txt").read_bytes()))
    model = folder / "m.refrank"
    plain = run(capsys, "predict", folder / "train.txt", "--model", model)
    assert run(capsys, "predict", zipped, "--model", model) == plain
    zipped.write_bytes(zipped.read_bytes()[:-20])
    code, out, errors = run(capsys, "predict", zipped, "--model", model)
    assert (code, out, len(errors)) == (2, [], 1)
    assert "train.txt.gz" in errors[0]


def test_a_model_of_other_features_is_refused(capsys, tmp_path, folder):
    wider = tmp_path / "wide.txt"
    wider.write_text("1 qid:1 1:1 7:2\n")
    code, out, errors = run(capsys, "predict", wider, "--model", folder / "m.refrank")
    assert (code, out, len(errors)) == (2, [], 1)
    assert "wide.txt, line 1" in errors[0]


def test_a_reader_who_leaves_is_no_error(tmp_path, folder):
    """`refrank predict ... | head -1`, with more output than a pipe holds."""
    many = tmp_path / "many.txt"
    many.write_text((folder / "train.txt").read_text() * 60)
    process = subprocess.Popen(
        [*COMMAND, "predict", str(many), "--model", str(folder / "m.refrank")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    float(process.stdout.readline())
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 1


def test_a_reader_who_left_before_the_first_line_is_no_error(folder):
    """Little output stays in a buffer: the pipe is found broken only when it is emptied."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, "predict", str(folder / "train.txt"), "--model", str(folder / "m.refrank")],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")
