"""The statements that are new here, of a port: DCG by thresholds and by pairing, ERR below RR-DCG, ERR by oERR."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import sqrt

import numpy as np

from proofs_check.engine.discounts import reciprocal, swap_gain
from proofs_check.engine.exact import gain_difference, unit
from proofs_check.engine.instances import Rankings, batch
from proofs_check.engine.strategies import some_ranking
from proofs_check.new.dcg_threshold import crossings, thresholds
from proofs_check.new.err_below_rr_dcg import rr_error
from proofs_check.new.err_oerr import pairing_squared
from proofs_check.new.min_pairing import pairing
from proofs_check.ports.check import Claim, PortCheck
from proofs_check.ports.mcrank import dcg_error, discounts_of, one_document
from refrank.cocr.costs import oerr

EXCHANGED = batch(np.array([[0, 0, 4, 4]]), np.array([[4, 4, 0, 0]]))  # attains the threshold bound
REVERSED = batch(np.array([[0, 4]]), np.array([[0, 0]]))
SHARED = batch(np.array([[0, 4]]), np.array([[3, 3]]))  # within .3% of the bound by oERR
# DCG errors of at most 24 documents are sums of at most 24 products, each off by a few roundings of numbers up to 15
ROUNDING = 24 * 15 * 10 * 2.0**-53


def dcg_threshold(dcg: Callable, r: Rankings) -> Iterator[Claim]:
    yield one_document(dcg)
    error, c = dcg_error(dcg, r), discounts_of(dcg, r.n)
    right = sum(2 ** (t - 1) * swap_gain(c, crossings(r, t))[0] for t in thresholds(r))
    yield Claim(0, "<=", error, ROUNDING, "0 and DCG_g - DCG_pi")
    yield Claim(error, "<=", right, ROUNDING, "DCG_g - DCG_pi")


def min_pairing(dcg: Callable, r: Rankings) -> Iterator[Claim]:
    yield one_document(dcg)
    right = sqrt(pairing(discounts_of(dcg, r.n)) * float((gain_difference(r) ** 2).sum()))
    # the root is of a sum of 24 squares up to 15^2, each rounded as above
    yield Claim(dcg_error(dcg, r), "<=", right, 15 * ROUNDING, "DCG_g - DCG_pi")


def err_below_rr(err: Callable, r: Rankings) -> Iterator[Claim]:
    error, room = err_error(err, r), rounding_of_err(r.n)
    yield Claim(0, "<=", error, room, "0 and ERR_g - ERR_pi")
    right = float(Fraction(int(rr_error(r)[0]), unit(r.n, r.scale)))
    yield Claim(error, "<=", right, room, "ERR_g - ERR_pi")


def err_oerr(err: Callable, r: Rankings) -> Iterator[Claim]:
    y, y_hat = r.y[0].astype(np.int64), r.y_hat[0].astype(np.int64)  # (n,)
    cost = int(oerr(np.arange(5), 4)[y, y_hat].sum())
    constant = Fraction(pairing_squared(r.n), int(reciprocal(r.n)[0]) ** 2)
    yield Claim(err_error(err, r), "<=", sqrt(constant * cost) / 16, rounding_of_err(r.n), "ERR_g - ERR_pi")


def err_error(err: Callable, r: Rankings) -> float:
    """Compute ERR_g - ERR_pi by a port."""
    y = r.y[0].astype(np.int64)  # (n,), in the order of pi
    return err(y, y.astype(float)) - err(y, -np.arange(r.n, dtype=float))


def rounding_of_err(n: int) -> float:
    """Bound the rounding of ERR_g - ERR_pi.

    ERR <= 1 is a sum of n products of at most n factors, each rounded: 4 n^2 roundings for each of the two.
    """
    return 8 * n**2 * 2.0**-53


CHECKS = (
    PortCheck(
        "new.dcg_threshold",
        "the DCG error is not negative, and within the threshold bound",
        ("dcg",),
        {"r": some_ranking(min_n=2, max_n=24)},
        dcg_threshold,
        first=({"r": EXCHANGED},),
    ),
    PortCheck(
        "new.min_pairing",
        "the DCG error is within the bound by pairing",
        ("dcg",),
        {"r": some_ranking(min_n=2, max_n=24)},
        min_pairing,
        first=({"r": EXCHANGED},),
    ),
    PortCheck(
        "new.err_below_rr_dcg",
        "the ERR error is not negative, and at most the DCG error with gains R and discounts 1/i",
        ("err",),
        {"r": some_ranking(min_n=2, max_n=40)},
        err_below_rr,
        first=({"r": REVERSED},),
    ),
    PortCheck(
        "new.err_oerr",
        "the ERR error is within the bound by the sum of the oERR costs",
        ("err",),
        {"r": some_ranking(min_n=2, max_n=40)},
        err_oerr,
        first=({"r": SHARED},),
    ),
)
