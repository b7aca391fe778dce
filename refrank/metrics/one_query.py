"""A warning where many rows get no query ids, and so are ranked as one query."""

import sys
import warnings

from numpy.typing import ArrayLike

MOST_ROWS = 200  # more than these are rarely one query
ONE_QUERY = (
    "{}: more than {} rows are taken as one query. If they are several queries, this {} is wrong. {}. "
    "If they are one query, pass qid=np.zeros(len(y))"
)
SHOWN: set[str] = set()  # messages that were shown in this process


class OneQueryWarning(UserWarning):
    """Many rows are ranked as one query, because no ids were given."""


def warn_of_many_rows(
    qid: ArrayLike | None,
    n_samples: int,
    what: str = "a metric got no qid",
    wrong: str = "value",
    recipe: str = "Pass the query of each row",
) -> None:
    """Warn of rows without ids, qid None, if they are many.

    The warning says what got no ids, what is wrong if the rows are several queries, and a recipe, a sentence.

    >>> warn_of_many_rows(None, 3)
    """
    if qid is None and n_samples > MOST_ROWS:
        warn_once(ONE_QUERY.format(what, MOST_ROWS, wrong, recipe), OneQueryWarning)


def warn_once(message: str, category: type[Warning]) -> None:
    """Warn the line that called refrank: once per process, unless a filter asks for an error or for every time.

    Python forgets what it has shown when filters change, as they do in scikit-learn for each fold.
    """
    filters = (action for action, _, of, *_ in warnings.filters if issubclass(category, of))
    action = next(filters, "default")
    if action in ("always", "all", "error") or message not in SHOWN:
        if action != "ignore":
            SHOWN.add(message)
        frame, level = sys._getframe(1), 2
        while frame.f_back and frame.f_globals["__name__"].startswith("refrank."):
            frame, level = frame.f_back, level + 1
        warnings.warn(message, category, stacklevel=level)
