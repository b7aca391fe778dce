"""One small trained model of every kind that a file holds."""

import warnings
from functools import cache

import numpy as np
from sklearn.ensemble import BaggingRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV, SGDRegressor

from refrank import (
    COCRRanker,
    GBRTRanker,
    IGBRTRanker,
    ImportedRanker,
    LambdaRanker,
    M5PRegressor,
    RandomForestRanker,
    WekaLinearRegressor,
)
from refrank.estimators import registry
from refrank.models.codec import find_kind
from refrank.models.exchange.lightgbm import write
from refrank.models.exchange.lightgbm_reader import read
from refrank.models.exchange.packing import make_portable

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
Y = np.clip(np.rint(X[:, 0] + X[:, 1] + 2), 1, 3).astype(np.int64)  # of 0..5: some problems are one-sided
QID = np.arange(60) // 10
HOLES = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
OTHER = RNG.normal(size=(40, 5))
BOOSTER = {"n_rounds": 2, "n_leaves": 3, "learning_rate": 0.5, "n_classes": 6}  # of McRank's, and of new ones
SMALL = {
    **dict.fromkeys(registry.RANKERS, BOOSTER),
    "rf": {"n_trees": 3, "max_features": 2, "random_state": 2**40},
    "gbrt": {"n_rounds": 3, "initial": "mean"},
    "igbrt": {"n_trees": 2, "n_rounds": 2},
    "lambdarank": {"hidden": 2, "n_epochs": 3, "learning_rate": 0.02},
    "cocr": {"base": LinearRegression(), "cost": "squared", "n_classes": 6},
}
BAG = {"n_estimators": 3, "random_state": 0}
BASES = {
    "m5p": M5PRegressor(min_instances=8, variant="published"),
    "bagged m5p": BaggingRegressor(M5PRegressor(), max_samples=0.3, **BAG),
    "bagged ridge": BaggingRegressor(Ridge(), max_features=0.5, bootstrap_features=True, n_jobs=1, **BAG),
    "gbrt": GBRTRanker(n_rounds=2, max_depth=2, learning_rate=0.5, random_state=2**31),
    "classification": GBRTRanker(n_rounds=2, setting="classification"),
    "forest of refrank": RandomForestRanker(n_trees=2, random_state=None),
    "net": LambdaRanker(hidden=2, n_epochs=1),
    "weka-linear": WekaLinearRegressor(),
    "ridge": RidgeCV(alphas=np.logspace(-1, 1, 3)),
    "sgd": SGDRegressor(random_state=3),
}


def weigh_sides(grades, _):
    """Costs that are not symmetric, in the order of Fortran."""
    below = grades[:, None] - grades
    return np.maximum(below, -1.5 * below).T


THREE_WAY = {"missing": "three-way", "setting": "classification"}
KINDS = {
    **{name: kind(**SMALL[name]) for name, kind in registry.RANKERS.items()},
    "m5p": M5PRegressor(),
    "weka-linear": WekaLinearRegressor(),
    "mirrored": registry.RANKERS["ordinal"](**SMALL["ordinal"], update="simultaneous", relevance=lambda k: k**2 + 0.1),
    "cut in three": registry.RANKERS["softmax"](**SMALL["softmax"], missing="three-way"),
    "own target": registry.RANKERS["ls"](**SMALL["ls"], target=np.array([0, 1, 2, 4, 8, 16])),
    "ranknet": LambdaRanker(**SMALL["lambdarank"], objective="ranknet"),
    "forest of classes": RandomForestRanker(**SMALL["rf"], **THREE_WAY, oob_score=True),
    "gbrt like rt-rank": GBRTRanker(**SMALL["gbrt"], **THREE_WAY, three_way="rt-rank", clip="each-round"),
    "gbrt of classes": GBRTRanker(**SMALL["gbrt"], **THREE_WAY, clip=True),
    "igbrt of classes": IGBRTRanker(**SMALL["igbrt"], **THREE_WAY),
    "means for holes": GBRTRanker(**SMALL["gbrt"], missing="mean"),
    "cuts midway": GBRTRanker(**SMALL["gbrt"], binning="exact", cut_at="midpoint"),
    "no forest": IGBRTRanker(n_trees=0, n_rounds=2),
    "own cost": COCRRanker(LinearRegression(), cost=weigh_sides),
    **{f"cocr over {name}": COCRRanker(base, cost="absolute") for name, base in BASES.items()},
    **dict.fromkeys(("imported", "imported classes"), ImportedRanker()),
    "cocr over cocr": COCRRanker(COCRRanker(LinearRegression(), cost=[[0, 2], [1, 0]])),
}
VALIDATED = ("lambdarank", "ordinal")
IMPORTED = {"imported": "means for holes", "imported classes": "softmax"}


@cache
def train(name):
    """The model of that kind, trained once; of an imported one, read from what another of refrank leaves."""
    if name in IMPORTED:
        return read(write(make_portable(train(IMPORTED[name]))).decode())
    estimator = KINDS[name] if name in KINDS else COCRRanker(find_kind(name, "base")(), n_classes=4)
    rows = HOLES if getattr(estimator, "missing", None) else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "base|Some inputs do not have OOB", UserWarning)
        if name in VALIDATED:
            return estimator.fit(rows, Y, QID, X_val=OTHER, y_val=Y[:40], qid_val=QID[:40])
        return estimator.fit(rows, Y, QID) if name not in ("m5p", "weka-linear") else estimator.fit(rows, Y)


def rows_for(name):
    takes_holes = name in IMPORTED or getattr(KINDS.get(name), "missing", None)
    return np.where(OTHER > 1, np.nan, OTHER) if takes_holes else OTHER
