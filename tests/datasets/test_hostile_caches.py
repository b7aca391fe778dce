"""Caches that are damaged, false or planted: none gives rows that its file does not hold, or asks for memory."""

import io
import json
import re
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.datasets import letor, letor_cache, load_letor
from refrank.datasets.array_file import read_arrays
from refrank.datasets.letor_cache import describe, read_cache, write_cache
from refrank.datasets.letor_cache import place_cache as cache_of
from tests.datasets.caches import JUDGED, ask, contents

pytestmark = pytest.mark.usefixtures("own_caches")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A request, what its cache was made with, the rows of it, and its bytes."""
    path = tmp_path_factory.mktemp("whole") / "data.txt"
    cache = path.with_name("cache.npz")
    path.write_bytes((JUDGED + b"\n") * 800)  # arrays that are longer than what zipfile reads ahead
    with ask(path) as request:
        made_with = describe(request)
        write_cache(cache, made_with, letor._read_rows(request))
    return cache, made_with, cache.read_bytes()


def bits(rows):
    return rows and (*((array.dtype, array.shape, array.tobytes()) for array in rows[:3]), rows[3])


@given(data=st.data())
def test_a_damaged_cache_is_true_or_not_used(whole, data):
    cache, made_with, content = whole
    cache.write_bytes(content)
    expected = bits(read_cache(cache, made_with))
    assert expected is not None
    place, length = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(0, 4))
    damage = data.draw(st.binary(max_size=4) | st.just(content[place : place + length][::-1]))
    cache.write_bytes(content[:place] + damage + content[place + length :])
    assert bits(read_cache(cache, made_with)) in (None, expected)
    cache.write_bytes(content[:place])
    assert read_cache(cache, made_with) is None


def test_a_damaged_head_of_an_array_is_seen(whole):
    """An array of fewer rows or columns than were written would end before its checksum is compared."""
    cache, made_with, content = whole
    cache.write_bytes(content)
    expected = bits(read_cache(cache, made_with))
    heads = [*re.finditer(rb"\{'descr'[^}]*\}", content)]
    assert len(heads) == len(letor_cache.NAMES)
    for place in (place for head in heads for place in range(*head.span())):
        cache.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert bits(read_cache(cache, made_with)) in (None, expected)


def test_a_foreign_cache_is_read_anew(path):
    expected = contents(load_letor(path))
    with ask(path) as request:
        made_with = np.array(describe(request))
    objects = np.array([json], dtype=object)[:0]
    foreign = (
        {"X": np.zeros((1, 1))},
        {name: objects for name in letor_cache.NAMES} | {"made_with": made_with},
        {name: np.zeros(1) for name in letor_cache.NAMES},
    )
    for arrays in foreign:
        np.savez(cache_of(path), **arrays)
        assert contents(load_letor(path, cache=True)) == expected
    cache_of(path).write_bytes(b"")
    assert contents(load_letor(path, cache=True)) == expected


def test_a_link_beside_the_data_is_neither_followed_nor_read(tmp_path, path):
    keys = tmp_path / "keys"
    keys.write_text("mine")
    path.with_name("data.txt.refrank-cache.npz").symlink_to(keys)
    load_letor(path, cache=True)
    assert keys.read_text() == "mine"


def test_a_link_in_place_of_a_cache_goes_and_what_it_names_stays(tmp_path, path):
    keys = tmp_path / "keys"
    keys.write_text("mine")
    cache_of(path).symlink_to(keys)
    load_letor(path, cache=True)
    assert keys.read_text() == "mine"
    assert cache_of(path).is_file()
    assert not cache_of(path).is_symlink()


def test_a_folder_of_caches_that_others_write_to_is_not_used(path, tmp_path):
    true, cache = load_letor(path, cache=True).y.tolist(), cache_of(path)
    folder = cache.parent
    assert folder.stat().st_mode & 0o777 == 0o700
    with ask(path) as request:
        X, y, qid, comments = read_cache(cache, describe(request))
        write_cache(cache, describe(request), (X, y.max() - y, qid, comments))  # planted, and with its own digest
    assert load_letor(path, cache=True).y.tolist() != true  # only the user can write there
    folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="must be a folder of the user"):
        assert load_letor(path, cache=True).y.tolist() == true
    folder.chmod(0o700)
    folder.symlink_to(folder.rename(tmp_path / "theirs"))
    before = cache.read_bytes()
    with pytest.warns(RuntimeWarning, match="must be a folder of the user"):
        assert load_letor(path, cache=True).y.tolist() == true
    assert cache.read_bytes() == before


FALSE = {  # rows that differ from those of the file in one way, beside a digest of their own
    "labels below 0": lambda X, y, qid: (X, y - 9, qid),
    "labels above 2^53": lambda X, y, qid: (X, y + 2**60, qid),
    "labels that are floats": lambda X, y, qid: (X, y + 0.5, qid),
    "a feature that is not a number": lambda X, y, qid: (np.where(X.max() == X, np.float32(np.nan), X), y, qid),
    "an infinite feature": lambda X, y, qid: (np.where(X.max() == X, np.float32(np.inf), X), y, qid),
    "features that are words": lambda X, y, qid: (X.astype("U8"), y, qid),
    "features of another type": lambda X, y, qid: (X.astype(np.float64), y, qid),
    "half of the rows": lambda X, y, qid: (X[::2], y[::2], qid[::2]),
    "no column": lambda X, y, qid: (X[:, :0], y, qid),
    "columns first": lambda X, y, qid: (np.asfortranarray(X), y, qid),
    "half of the labels": lambda X, y, qid: (X, y[::2], qid),
    "half of the ids": lambda X, y, qid: (X, y, qid[::2]),
    "ids that are floats": lambda X, y, qid: (X, y, qid.astype(float)),
}


def plant(path, change, digest_of):
    """Plant the cache of a file with other rows, and a digest of these or of the true ones; return the true rows."""
    with ask(path) as request:
        made_with = np.array(describe(request))
        X, y, qid, comments = letor._read_rows(request)
    text = np.frombuffer("\n".join(comments).encode(), np.uint8)
    arrays = (*change(X, y, qid), text)
    digest = np.array(letor_cache.digest_arrays(*(arrays if digest_of == "false" else (X, y, qid, text))))
    with open(cache_of(path), "wb") as file:
        np.savez(file, **dict(zip(letor_cache.NAMES, (*arrays, digest, made_with), strict=True)))


@pytest.mark.parametrize("what", FALSE)
def test_what_text_may_not_hold_is_not_taken_from_a_cache(path, what):
    expected = contents(load_letor(path))
    plant(path, FALSE[what], "false")
    assert contents(load_letor(path, cache=True)) == expected


def test_other_labels_beside_the_digest_of_the_true_ones_are_not_taken(path):
    expected = contents(load_letor(path))
    plant(path, lambda X, y, qid: (X, y.max() - y, qid), "true")
    assert contents(load_letor(path, cache=True)) == expected


def test_a_header_asks_for_no_memory_that_its_bytes_do_not_fill(path):
    with zipfile.ZipFile(cache_of(path), "w", zipfile.ZIP_DEFLATED) as file:
        for name in letor_cache.NAMES:
            member = io.BytesIO()
            np.lib.format.write_array(member, np.zeros(2**24, np.uint8))
            file.writestr(f"{name}.npy", member.getvalue())
    assert cache_of(path).stat().st_size < 2**20
    tracemalloc.start()
    load_letor(path, cache=True)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**23


def test_arrays_that_share_their_bytes_are_refused():
    """A small file could ask for the memory of many: its list names one array again and again."""
    stored = io.BytesIO()
    np.savez(stored, a=np.arange(999))
    content = bytearray(stored.getvalue())
    first, last = content.index(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    end, entry = content[last:], content[first:last]
    end[8:12], end[12:16] = (2).to_bytes(2, "little") * 2, (2 * len(entry)).to_bytes(4, "little")
    with pytest.raises(ValueError, match="each array must have bytes of its own"):
        read_arrays(bytes(content[:first] + 2 * entry + end))
    assert read_arrays(bytes(content))["a"].tolist() == [*range(999)]
