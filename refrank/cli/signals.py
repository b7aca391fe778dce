"""Signals that end a training: Ctrl-C, SIGTERM (a batch system, a shutdown) and SIGHUP (a terminal that closes).

The first one is raised inside the training; later ones are held back, so that the trained model can be written.
"""

import signal
import threading
from types import FrameType
from typing import Any, Self

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
TAKEN = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


class Signals:
    """Raise the first signal as a KeyboardInterrupt, unless signals are held; keep its number.

    >>> with Signals() as signals:
    ...     signals.hold()
    ...     signal.raise_signal(signal.SIGTERM)
    >>> signals.exit_code  # 128 + 15, as a shell has it
    143
    """

    def __init__(self) -> None:
        self.exit_code = 0  # that a shell gives to a program that a signal ended
        self.holds = False
        self.before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Take over the signals if possible: in the main thread of a program."""
        if threading.current_thread() is threading.main_thread():
            self.before = {number: signal.signal(number, self.notice) for number in TAKEN}
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the earlier handlers."""
        for number, handler in self.before.items():
            signal.signal(number, handler)

    def notice(self, number: int, frame: FrameType | None) -> None:
        """Note a signal; raise it if it is the first."""
        self.exit_code = self.exit_code or 128 + number
        if not self.holds:
            self.holds = True
            raise KeyboardInterrupt

    def hold(self) -> None:
        """Hold signals back from now on."""
        self.holds = True

    def interrupt(self) -> None:
        """Note an interrupt that was raised; hold signals back from now on."""
        self.holds, self.exit_code = True, self.exit_code or 128 + signal.SIGINT
