"""A flag that the chosen algorithm does not have is an error, not ignored."""

from collections.abc import Collection, Iterable


def check_known(given: Iterable[str], known: Collection[str], of: str) -> None:
    """Check the names of the parameters that flags gave; `of` says what has them.

    Raises
    ------
    ValueError
        For the first that is not known; the message names the flag.

    Examples
    --------
    >>> check_known(["n_rounds", "max_depth"], ["n_rounds"], "--algorithm ls")
    Traceback (most recent call last):
    ValueError: --max-depth is no parameter of --algorithm ls
    """
    for name in given:
        if name not in known:
            raise ValueError(f"--{name.replace('_', '-')} is no parameter of {of}")
