"""The driver of shards: what it raises, what it does again, and what it keeps."""

import time

import pytest

from refrank.cluster import ClusterError, JoinError, driver
from refrank.cluster.driver import Driver, Lost
from refrank.cluster.joins import Message
from refrank.cluster.member import NOTHING
from refrank.cluster.threads import ThreadLine
from refrank.estimators.watching import MonitoredTurns
from tests.cluster.programs import N_TURNS, add_turns, expect_sums, run_on, watch_nothing
from tests.cluster.schedules import Schedule

CALLS = []


@pytest.fixture(autouse=True)
def forget_calls():
    CALLS.clear()


def raises_at(fault, place, turn, times=99):
    """Make a function that raises on one shard in one turn, so many times."""
    return Raises(fault, place, turn, times)


class Raises:
    def __init__(self, *how):
        self.how = how

    def __call__(self, n_done, place):
        fault, at, turn, times = self.how
        if (n_done, place) == (turn, at) and len(CALLS) < times:
            CALLS.append(place)
            raise fault

    def __reduce__(self):
        return Raises, self.how


@pytest.mark.parametrize("kind", [ValueError, OSError, JoinError])
def test_a_fault_of_the_input_ends_at_once_and_names_the_first_shard(kind):
    sources = [1, (2, raises_at(kind("row 3 is bad"), 1, 2)), (3, raises_at(kind("row 4 is bad"), 2, 2))]
    with pytest.raises(kind, match=r"^shard 1 \(.*\): row 3 is bad$"):
        run_on(ThreadLine, add_turns, sources)
    assert sorted(CALLS) == [1, 2]


def test_a_fault_of_the_input_goes_before_a_loss():
    start = Schedule({(0, 0, 5): "receive"}).start
    with pytest.raises(ValueError, match="shard 1"):
        run_on(start, add_turns, [1, (2, raises_at(ValueError("bad"), 1, 2))])


def test_a_fault_of_all_shards_keeps_its_words():
    sources = [(1, raises_at(ValueError("bad"), place, 2)) for place in (0, 1)]
    with pytest.raises(ValueError, match=r"^bad$"):
        run_on(ThreadLine, add_turns, sources)


@pytest.mark.parametrize("fault", [MemoryError("no room"), RuntimeError("a bug"), KeyError("a")])
def test_another_fault_is_a_loss(fault):
    sources = [1, (2, raises_at(fault, 1, 2, times=3))]
    assert run_on(ThreadLine, add_turns, sources) == [expect_sums(1, 2)] * 2
    CALLS.clear()
    with pytest.raises(
        ClusterError, match=rf"^shard 1 .* raised {type(fault).__name__}: .*; shards were lost 4 times$"
    ) as lost:
        run_on(ThreadLine, add_turns, [1, (2, raises_at(fault, 1, 2))])
    assert lost.value.state == expect_sums(1, 2)[:2]


def test_a_fault_of_all_shards_keeps_their_turns():
    sources = [(1, raises_at(MemoryError(), place, 5)) for place in (0, 1)]
    with pytest.raises(ClusterError, match="shard 0") as lost:
        run_on(ThreadLine, add_turns, sources, most_losses=0)
    assert lost.value.state == expect_sums(1, 1)[:5]


@pytest.mark.parametrize("number", [*range(20)])
@pytest.mark.parametrize("kind", ["receive", "after receive", "send", "after send"])
def test_the_watch_sees_each_turn_once_and_ends_the_training_where_it_says(number, kind):
    seen = []

    def monitor(n_done, so_far):
        seen.append(n_done)
        return n_done == 5

    schedule, watch = Schedule({(0, 1, number): kind, (1, 0, 2): kind}), MonitoredTurns(monitor, 0, False).notice
    assert run_on(schedule.start, add_turns, [1, 2], watch=watch) == [expect_sums(1, 2)[:5]] * 2
    assert seen == [1, 2, 3, 4, 5]


def lose_both(*numbers):
    return {(0, place, number): "receive" for place, number in enumerate(numbers)}


def test_where_all_are_lost_the_last_model_seen_is_kept(monkeypatch):
    begun = []

    def watch(n_done, so_far, progress):
        begun.append(n_done)
        if n_done == 3:
            assert so_far() == so_far() == expect_sums(1, 2)[:3]

    with pytest.raises(ClusterError, match=r"shard 0 .* is lost; shards were lost 1 times") as lost:
        run_on(Schedule(lose_both(9, 8)).start, add_turns, [1, 2], watch=watch, most_losses=0)
    assert (begun, lost.value.state) == ([1, 2, 3, 4], expect_sums(1, 2)[:3])
    monkeypatch.setattr(driver, "RARELY", -1e9)
    monkeypatch.setattr(driver, "SHARE", 1e9)
    for numbers in (12, 8), (13, 9):  # the driver's own, after turn 4
        with pytest.raises(ClusterError) as lost:
            run_on(Schedule(lose_both(*numbers)).start, add_turns, [1, 2], most_losses=0)
        assert lost.value.state == expect_sums(1, 2)[:4]


def test_the_driver_fetches_seldom():
    assert driver.RARELY >= 10
    assert driver.SHARE <= 0.01
    asked = []

    class Asked(ThreadLine):
        def send(self, answer):
            asked.append(answer if isinstance(answer, str) else "")
            super().send(answer)

    run_on(Asked, add_turns, [1, 2])
    assert "show" not in asked


def test_a_model_that_is_older_never_replaces_a_newer_one(monkeypatch):
    class Line:
        name = "shard"

        def __init__(self, saved):
            self.saved = saved

        def send(self, answer):
            pass

        def receive(self, limit):
            if self.saved is None:
                raise Lost("lost")
            return Message("state", self.saved)

    for given, kept in [
        ([(2, "older"), (3, "other")], (3, "newest")),
        ([None, NOTHING, (4, "newer")], (4, "newer")),
        ([None, NOTHING], (3, "newest")),
    ]:
        talk = Driver(watch_nothing, 0.1, None)
        talk.saved, talk.n_reported = (3, "newest"), 4
        talk.living = talk.waiting = [Line(saved) for saved in given]
        talk.rescue()
        assert talk.saved == kept or (kept[1] == "newest" and talk.saved == (3, "other"))


def test_a_model_that_is_asked_for_too_late_is_the_last_seen():
    kept = []

    def watch(n_done, so_far, progress):
        kept.append(so_far)
        return n_done == 4 and so_far() == expect_sums(1)[:4]

    assert run_on(ThreadLine, add_turns, [1], watch=watch) == [expect_sums(1)[:4]]
    assert kept[1]() == expect_sums(1)[:4]


def test_a_watch_that_does_not_mind_a_loss_changes_nothing():
    def watch(n_done, so_far, progress):
        try:
            so_far()
        except Lost:
            so_far()

    for number in range(1, 20):
        for kind in ("receive", "send"):
            assert (
                run_on(Schedule({(0, 0, number): kind}).start, add_turns, [1, 2], watch=watch)
                == [expect_sums(1, 2)] * 2
            )


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt])
def test_a_fault_of_the_watch(fault):
    """It goes through; an interrupt keeps the finished turns."""

    def watch(n_done, so_far, progress):
        if n_done == 3:
            raise fault

    with pytest.raises(ClusterError if fault is KeyboardInterrupt else fault) as raised:
        run_on(ThreadLine, add_turns, [1, 2], watch=watch)
    if fault is KeyboardInterrupt:
        assert raised.value.state == expect_sums(1, 2)[:3]
        assert isinstance(raised.value.__cause__, KeyboardInterrupt)


def freeze(n_done, place):
    if (n_done, place) == (2, 0) and not CALLS:
        CALLS.append(place)
        time.sleep(3)


def test_a_frozen_shard_is_lost_after_the_limit():
    began = time.monotonic()
    assert run_on(ThreadLine, add_turns, [(1, freeze), 2, 3], limit=0.3) == [expect_sums(1, 2, 3)] * 3
    assert 0.3 < time.monotonic() - began < 2.5
    CALLS.clear()
    with pytest.raises(ClusterError, match=r"^shard 0 \(.*\) has not answered for 0.3 s; shards were lost 1 times$"):
        run_on(ThreadLine, add_turns, [(1, freeze), 2, 3], limit=0.3, most_losses=0)


def test_an_interrupt_while_a_shard_is_frozen_keeps_the_finished_turns(monkeypatch):
    class Interrupted(ThreadLine):
        def receive(self, limit):
            try:
                return super().receive(min(limit, 0.5))
            except Lost:
                if limit > 1:
                    raise KeyboardInterrupt from None
                raise

    monkeypatch.setattr(driver, "MOMENT", 0.2)
    began = time.monotonic()
    with pytest.raises(ClusterError, match="interrupted") as raised:
        run_on(Interrupted, add_turns, [(1, freeze), 2])
    assert raised.value.state == expect_sums(1, 2)[:2]
    assert time.monotonic() - began < 2.5


def test_a_shard_that_cannot_be_made_again_keeps_the_finished_turns():
    """A file that is gone when it is read again, or a scheduler."""

    class Gone(ThreadLine):
        attempts = 0

        def __init__(self, place, *given):
            Gone.attempts += place == 0
            if Gone.attempts > 1:
                raise OSError("the file is gone")
            super().__init__(place, *given)

        def receive(self, limit):
            message = super().receive(limit)
            if message.kind == "turn" and message.value[0] == 6:
                raise Lost(self.name)
            return message

    with pytest.raises(ClusterError, match=r"^the file is gone$") as raised:
        run_on(lambda place, *given: (Gone if place == 0 else ThreadLine)(place, *given), add_turns, [1, 2])
    assert raised.value.state == expect_sums(1, 2)[:6]
    with pytest.raises(OSError, match=r"^the file is gone$"):
        run_on(Gone, add_turns, [1, 2])


def test_a_training_that_continues_reports_no_earlier_turn_as_one_of_its_own():
    """Shards that start with finished turns report them: `MonitoredTurns` passes the later ones on."""
    reported = []
    state = expect_sums(1, 2)[:3]
    results = run_on(ThreadLine, add_turns, [1, 2], state, lambda n_done, so_far, progress: reported.append(n_done))
    assert (results, reported) == ([expect_sums(1, 2)] * 2, [*range(3, N_TURNS + 1)])
