"""Models of LightGBM and XGBoost, read: equal to the program in every bit, or within the bound of float32."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from refrank import SoftmaxBoostRanker
from refrank.estimators.registry import RANKERS
from refrank.models import load_model, save_model
from refrank.models.exchange import lightgbm_reader, xgboost_reader
from refrank.models.exchange.formats import FORMATS
from refrank.models.exchange.import_verification import verify_import
from refrank.models.exchange.packing import make_portable
from refrank.models.exchange.rounding import bound_additions
from refrank.models.exchange.verification import verify
from tests.models.exchange.cases import beside, formats, missing_kinds, need, with_cuts
from tests.models.kinds import OTHER, SMALL, X, Y, train

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(240, 4))
ROWS[RNG.random(ROWS.shape) < 0.1] = 0.0
HOLES = np.where(RNG.random(ROWS.shape) < 0.15, np.nan, ROWS)
LABELS = np.clip(np.rint(ROWS[:, 0] + ROWS[:, 1] * ROWS[:, 2] + 1), 0, 2).astype(np.int64)
QUERIES = np.repeat(np.arange(8), 30)
NEW = RNG.normal(size=(500, 4))
NEW[RNG.random(NEW.shape) < 0.2] = np.nan
NEW[::7, 0], NEW[::9, 1], NEW[::11, 2], NEW[::13, 3] = 1e-36, -0.0, 0.0, -1e-36

FOREST = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}
LIGHTGBM = {
    "regression": {"objective": "regression"},
    "absolute": {"objective": "l1"},
    "binary": {"objective": "binary"},
    "classes": {"objective": "multiclass", "num_class": 3},
    "lambdarank": {"objective": "lambdarank"},
    "dart": {"objective": "regression", "boosting": "dart"},
    "forest": {"objective": "regression", **FOREST},
    "forest of classes": {"objective": "multiclass", "num_class": 3, **FOREST},
    "zero as missing": {"objective": "regression", "zero_as_missing": True},
    "no missing": {"objective": "poisson", "use_missing": False},
}


def train_lightgbm(parameters, rows=ROWS):
    import lightgbm

    labels = LABELS > 0 if parameters["objective"] == "binary" else LABELS
    group = [30] * 8 if parameters["objective"] == "lambdarank" else None
    small = {"verbose": -1, "num_leaves": 6, "min_data_in_leaf": 3, "num_threads": 1, "deterministic": True}
    return lightgbm.train(small | parameters, lightgbm.Dataset(rows, labels.astype(float), group=group), 8)


@pytest.mark.parametrize("name", LIGHTGBM)
@pytest.mark.parametrize("rows", [ROWS, HOLES], ids=["whole", "holes"])
def test_lightgbm_is_equal_in_every_bit(tmp_path, name, rows):
    need("lightgbm")
    booster = train_lightgbm(LIGHTGBM[name], rows)
    ranker = lightgbm_reader.read(booster.model_to_string())
    if name == "forest of classes":  # LightGBM's softmax is not ours: another exp
        assert np.abs(booster.predict(NEW) - ranker.predict_proba(NEW)).max() < 1e-15
    else:
        theirs = booster.predict(NEW, raw_score=name != "forest").reshape(len(NEW), -1)
        assert np.array_equal(ranker.predict_outputs(NEW), theirs)
    if name == "classes":
        assert np.allclose(ranker.predict(NEW), booster.predict(NEW) @ [0.0, 1.0, 2.0], rtol=1e-14)
    save_model(ranker, tmp_path / "m")
    assert np.array_equal(load_model(tmp_path / "m").predict(NEW), ranker.predict(NEW))


XGBOOST = {
    "regression": {"objective": "reg:squarederror"},
    "base score": {"objective": "reg:squarederror", "base_score": 0.7},
    "logistic": {"objective": "binary:logistic"},
    "logit": {"objective": "binary:logitraw"},
    "logarithm": {"objective": "count:poisson"},
    "classes": {"objective": "multi:softprob", "num_class": 3},
    "forests": {"objective": "multi:softmax", "num_class": 3, "num_parallel_tree": 2, "subsample": 0.5},
    "ranking": {"objective": "rank:ndcg"},
    "dart": {"objective": "reg:squarederror", "booster": "dart", "rate_drop": 0.5},
    "pruned": {"objective": "reg:squarederror", "tree_method": "exact", "gamma": 2.0},
}


def train_xgboost(parameters, rows=ROWS):
    import xgboost

    name = parameters["objective"]
    labels = LABELS > 0 if name.startswith("binary") else LABELS
    data = xgboost.DMatrix(rows, labels.astype(float), qid=QUERIES if name.startswith("rank") else None)
    return xgboost.train({"nthread": 1, "max_depth": 3, **parameters}, data, 8)


@pytest.mark.parametrize("name", XGBOOST)
@pytest.mark.parametrize("rows", [ROWS, HOLES], ids=["whole", "holes"])
def test_xgboost_is_within_the_bound_of_float32(name, rows):
    need("xgboost")
    import xgboost

    booster = train_xgboost(XGBOOST[name], rows)
    theirs = booster.predict(xgboost.DMatrix(NEW), output_margin=True).reshape(len(NEW), -1)
    both = [xgboost_reader.read(bytes(booster.save_raw(form))) for form in ("json", "ubj")]
    ours = both[0].predict_outputs(NEW)
    assert np.array_equal(ours, both[1].predict_outputs(NEW))
    columns = zip(*both[0].model_.rounds, strict=True)
    for c, (start, trees) in enumerate(zip(both[0].model_.initial, columns, strict=True)):
        bound = bound_additions(start, trees, np.float32, in_order=False) + bound_additions(start, trees)
        assert np.abs(ours[:, c] - theirs[:, c]).max() <= bound < 1e-5


@pytest.mark.parametrize("name", LIGHTGBM)
def test_every_kind_of_lightgbm_model_is_verified(name):
    """Both ways: as it was read, and as it leaves again."""
    need("lightgbm")
    content = train_lightgbm(LIGHTGBM[name], HOLES).model_to_string().encode()
    ranker = lightgbm_reader.read(content.decode())
    assert verify_import(content, ranker, NEW, None).within
    if not any(rule.startswith("zero") for rule in ranker.rules_):
        portable = make_portable(ranker)
        assert verify(FORMATS["lightgbm"].write(portable), "lightgbm", portable, NEW, None).within


def read_back(to, portable):
    content = FORMATS[to].write(portable)
    return lightgbm_reader.read(content.decode()) if to == "lightgbm" else xgboost_reader.read(content)


@pytest.mark.parametrize("name", ["softmax", "ls", "lad", "gbrt", "rf", "cuts midway", "no forest"])
def test_what_leaves_comes_back_to_the_bit_by_lightgbm_and_within_the_bound_by_xgboost(name):
    """Neither program is needed."""
    ranker = train(name)
    portable = make_portable(ranker)
    by_text, by_json = (read_back(to, portable) for to in ("lightgbm", "xgboost"))
    assert np.array_equal(by_text.predict_outputs(OTHER), portable.outputs(OTHER))
    assert np.array_equal(by_text.predict(OTHER), ranker.predict(OTHER))
    narrow = OTHER.astype(np.float32)
    bound = portable.rounding + FORMATS["xgboost"].bound_rounding(portable)
    assert (np.abs(by_json.predict_outputs(narrow) - portable.outputs(narrow)) <= bound).all()
    again = make_portable(by_text)  # and leaves once more
    assert np.array_equal(again.head(again.outputs(OTHER)), ranker.predict(OTHER))
    assert np.array_equal(read_back("lightgbm", again).predict(OTHER), ranker.predict(OTHER))


@st.composite
def fits(draw):
    """Small fits of rankers by trees: features of any size and of two types."""
    name = draw(st.sampled_from(["softmax", "ls", "lad", "gbrt", "rf"]))
    kind = draw(st.sampled_from(["f4", "f8"]))
    value = st.floats(-(2.0**120), 2.0**120, width=32 if kind == "f4" else 64)
    rows = draw(hnp.arrays(kind, (draw(st.integers(3, 9)), 2), elements=value))
    y = np.resize([0, 2, 1], len(rows))
    return RANKERS[name](**{**SMALL[name], "n_classes": 3}).fit(rows, y), rows


@given(fits())
def test_models_of_any_features_come_back_to_the_bit(fit):
    ranker, rows = fit
    portable = make_portable(ranker)
    by_text, by_json = (read_back(to, portable) for to in ("lightgbm", "xgboost"))
    assert np.array_equal(by_text.predict(rows), ranker.predict(by_text.read_features(rows)))
    difference = np.abs(by_json.predict_outputs(rows) - portable.outputs(by_json.read_features(rows)))
    assert (difference <= portable.rounding + FORMATS["xgboost"].bound_rounding(portable)).all()


def test_a_text_with_the_line_ends_of_windows_is_read():
    content = FORMATS["lightgbm"].write(make_portable(train("softmax"))).decode()
    back = lightgbm_reader.read(content.replace("\n", "\r\n"))
    assert np.array_equal(back.predict(OTHER), train("softmax").predict(OTHER))


@pytest.mark.parametrize("case", [*missing_kinds()], ids=lambda case: case[0])
def test_missing_entries_come_back(case):
    _, ranker, rows = case
    marked = rows == ranker.missing_value
    back = read_back("lightgbm", make_portable(ranker))
    assert np.array_equal(back.predict(np.where(marked, np.nan, rows)), ranker.predict(rows))


def test_cuts_come_back_where_they_were():
    ranker, rows = with_cuts(), beside()
    back = read_back("lightgbm", make_portable(ranker))
    assert [trees[0].cut[0] for trees in back.model_.rounds] == [trees[0].cut[0] for trees in ranker.model_.rounds]
    read = back.read_features(rows)
    assert np.array_equal(back.predict(rows), ranker.predict(read))
    assert np.array_equal(back.predict_outputs(rows), make_portable(back).outputs(rows))


def test_an_imported_ranker_only_predicts():
    back = read_back("lightgbm", make_portable(SoftmaxBoostRanker(n_rounds=2).fit(X, Y)))
    before = back.predict(X)
    with pytest.raises(ValueError, match=r"^ImportedRanker only predicts: another program trained its trees"):
        back.fit(X, Y)
    assert np.array_equal(back.predict(X), before)
    assert back.predict_proba(X).shape == (60, 4)
    assert np.array_equal(list(back.staged_predict(X))[-1], before)
    with pytest.raises(ValueError, match="X at row 0, column 1 is inf: every feature must be finite"):
        back.predict([[0.0, np.inf, 0.0, 0.0, 0.0]])
    imported = read_back("lightgbm", make_portable(train("ls")))
    assert not hasattr(imported, "predict_proba")


def test_rules_that_formats_share_leave_again_and_others_are_refused():
    need("lightgbm")
    for rows, rules in ((ROWS, ("nan is zero",)), (HOLES, ("nan right", "nan left"))):
        ranker = lightgbm_reader.read(train_lightgbm(LIGHTGBM["regression"], rows).model_to_string())
        assert ranker.rules_ == rules
        assert np.array_equal(read_back("lightgbm", make_portable(ranker)).predict(NEW), ranker.predict(NEW))
    ranker = lightgbm_reader.read(train_lightgbm(LIGHTGBM["zero as missing"]).model_to_string())
    message = r"^rules_ has 'zero right': it must be a rule for NaN, the only missing entry"
    with pytest.raises(ValueError, match=message):
        make_portable(ranker)


@formats
@pytest.mark.parametrize("source", ["lightgbm", "xgboost"])
def test_an_imported_ranker_leaves_for_every_format(to, source):
    """Cuts move where the other program reads features in another way: rows beside every cut, and NaN."""
    need(to)
    back = read_back(source, make_portable(with_cuts()))
    rows = np.concatenate([beside(), [[np.nan]]])
    limit = np.finfo(np.float32).max * (1 - 2.0**-24) if "xgboost" in (to, source) else np.inf
    rows = rows[~(np.abs(rows[:, 0]) >= limit)]
    portable = make_portable(back)
    result = verify(FORMATS[to].write(portable), to, portable, rows, None)
    assert result.within, result
    assert result.score.largest <= (2.0**-23 if to == "xgboost" else 0.0)


@pytest.mark.parametrize("name", ["classes", "dart"])
@formats
def test_a_trained_xgboost_model_leaves_for_every_format(name, to):
    need("xgboost")
    need(to)
    portable = make_portable(xgboost_reader.read(bytes(train_xgboost(XGBOOST[name], HOLES).save_raw())))
    result = verify(FORMATS[to].write(portable), to, portable, NEW, None)
    assert result.within, result
    assert result.pairs.reversed == 0 or to == "xgboost"
