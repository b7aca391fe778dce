"""The results of joblib's calls, in their order; a training that ends early does not need all."""

import warnings
from collections.abc import Generator, Iterator
from typing import TypeVar

T = TypeVar("T")


def read_results(results: Generator[T, None, None]) -> Iterator[T]:
    """Yield the results; where the reader ends before them, drop the others without joblib's warning.

    >>> from joblib import Parallel, delayed
    >>> results = read_results(Parallel(return_as="generator")(delayed(abs)(number) for number in [-1, -2]))
    >>> next(results), results.close()
    (1, None)
    """
    try:
        for result in results:  # noqa: UP028  it would close them first
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()
