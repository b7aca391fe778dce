"""A file is whole while others write and read it, and after its writer is killed."""

import os
import subprocess
import sys
import time

from refrank.datasets.whole_file import PREFIX
from tests.datasets.saves import write

WRITER = """
import sys, time
from refrank.datasets.whole_file import replace_file
path, letter, end, number = sys.argv[1], sys.argv[2].encode(), time.monotonic() + float(sys.argv[3]), 0
print("begun", flush=True)
while time.monotonic() < end:
    number += 1
    with replace_file(path) as file:
        for _ in range(number % 7 + 1):
            file.write(letter * 1000)
"""


def start_writer(path, letter, seconds):
    """Start a process that writes files of one letter, thousands long; return it once it writes."""
    words = [sys.executable, "-c", WRITER, path, letter, str(seconds)]
    writer = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert writer.stdout.readline() == b"begun\n"
    return writer


def is_whole(content):
    return len(content) >= 1000 and len(content) % 1000 == 0 and content == content[:1] * len(content)


def test_two_writers_and_a_reader_see_whole_files_only(tmp_path):
    path, seconds = tmp_path / "m", float(os.environ.get("REFRANK_WRITERS_SECONDS", "1"))
    write(path, b"a" * 1000)
    writers = [start_writer(path, letter, seconds) for letter in "ab"]
    seen, n_read = set(), 0
    while any(writer.poll() is None for writer in writers):
        content = path.read_bytes()
        assert is_whole(content)
        seen.add((content[:1], len(content)))
        n_read += 1
    assert [writer.communicate()[0] for writer in writers] == [b"", b""]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert n_read > 10
    assert len(seen) > 2
    assert os.listdir(tmp_path) == ["m"]


def test_a_process_that_is_killed_leaves_a_whole_file(tmp_path):
    path = tmp_path / "m"
    for pause in (0.0, 0.003, 0.007, 0.02):
        write(path, b"a" * 1000)
        writer = start_writer(path, "a", 60)
        time.sleep(pause)
        writer.kill()
        writer.communicate()
        assert is_whole(path.read_bytes())
        assert all(name == "m" or name.startswith(PREFIX) for name in os.listdir(tmp_path))
