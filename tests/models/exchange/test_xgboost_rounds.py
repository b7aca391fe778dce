"""The rounds, order and weights of XGBoost's trees: as XGBoost takes them, and a choice where its programs differ."""

import json

import numpy as np
import pytest

from refrank import SoftmaxBoostRanker
from refrank.models.exchange import lightgbm_reader, xgboost_reader
from refrank.models.exchange.formats import FORMATS
from refrank.models.exchange.import_verification import verify_import
from refrank.models.exchange.importing import import_model
from refrank.models.exchange.packing import make_portable
from tests.models.exchange.cases import need
from tests.models.exchange.test_hostile import write_ubjson
from tests.models.exchange.test_readers import HOLES, LABELS, NEW, QUERIES, XGBOOST, train_xgboost
from tests.models.kinds import OTHER, X, Y

RNG = np.random.default_rng(2)
FORMS = {"json": lambda model: json.dumps(model).encode(), "ubj": write_ubjson}
forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def get_model(model):
    """The part of a document that holds the trees."""
    booster = model["learner"]["gradient_booster"]
    return (booster["gbtree"] if booster["name"] == "dart" else booster)["model"]


def write_model():
    """A document of refrank's own: four rounds of four classes."""
    ranker = SoftmaxBoostRanker(n_rounds=4, n_leaves=3).fit(X, Y)
    return json.loads(FORMATS["xgboost"].write(make_portable(ranker)))


def stop_early(model, best):
    """The document with the attribute of early stopping."""
    model["learner"]["attributes"] = {"best_iteration": best, "best_score": ".5"}
    return model


def predict(model, rows=OTHER, form=FORMS["json"], **choice):
    return xgboost_reader.read(form(model), **choice).predict_outputs(rows)


# Without the program


@forms
def test_trees_are_taken_by_their_ids(form):
    model = write_model()
    expected = predict(model)
    held = get_model(model)
    held["trees"] = [held["trees"][place] for place in RNG.permutation(len(held["trees"]))]
    assert np.array_equal(predict(model, form=form), expected)
    for number, tree in enumerate(held["trees"]):
        tree["id"] = number
    assert not np.array_equal(predict(model), expected)


@forms
def test_the_best_rounds_are_the_first(form):
    model = write_model()
    held = get_model(model)
    n_kept = held["iteration_indptr"][2]
    kept = {"trees": held["trees"][:n_kept], "tree_info": held["tree_info"][:n_kept]}
    best = predict(model | {"learner": model["learner"] | {"gradient_booster": {"name": "gbtree", "model": kept}}})
    every = predict(model)
    stop_early(model, "1")
    assert np.array_equal(predict(model, form=form, rounds="best"), best)
    assert np.array_equal(predict(model, form=form, rounds="all"), every)
    assert not np.array_equal(best, every)
    del held["iteration_indptr"]  # as in models of old releases
    assert np.array_equal(predict(model, rounds="best"), best)


def test_the_choice_is_asked_for_where_it_matters():
    model = write_model()
    n_rounds = len(get_model(model)["iteration_indptr"]) - 1
    said = rf"^best_iteration is 1 of {n_rounds} rounds: choose --rounds best \(the first 2, .*\) or all \("
    with pytest.raises(ValueError, match=said):
        predict(stop_early(model, "1"))
    stop_early(model, str(n_rounds - 1))  # the best is the last: both choices are one
    assert np.array_equal(predict(model), predict(model, rounds="best"))


@pytest.mark.parametrize(
    ("best", "fault"),
    [
        ("4", "best_iteration is 4: it must be below 4, the number of rounds"),
        ("-1", "best_iteration is '-1': it must be a string of digits"),
        (3, "best_iteration is 3: it must be of type str"),
        (None, "it has no best_iteration, which early stopping writes: --rounds must be all"),
    ],
)
def test_a_best_iteration_that_is_none_is_refused(best, fault):
    model = write_model() if best is None else stop_early(write_model(), best)
    with pytest.raises(ValueError, match=f"^{fault}"):
        predict(model, rounds="best")


def test_a_best_iteration_beyond_the_rounds_is_not_offered():
    with pytest.raises(ValueError, match=r"^best_iteration is 4: it must be below 4, the number of rounds$"):
        predict(stop_early(write_model(), "4"))


def test_a_model_of_an_old_release_without_trees_is_refused():
    model = stop_early(write_model(), "0")
    held = get_model(model)
    held.pop("iteration_indptr", None)
    held["trees"], held["tree_info"] = [], []
    with pytest.raises(ValueError, match=r"^it has no trees$"):
        predict(model)


@pytest.mark.parametrize("starts", [[], [0], [0, 4, 8], [0, 8, 4, 20], [4, 20], [0, 20.0], 3])
def test_numbers_of_rounds_that_are_none_are_refused(starts):
    model = stop_early(write_model(), "0")
    get_model(model)["iteration_indptr"] = starts
    with pytest.raises(ValueError, match=r"^iteration_indptr (is|has) "):
        predict(model, rounds="best")


def test_weights_beside_the_trees_are_factors():
    """XGBoost 3.4 writes them there, whatever the booster's name; those of dart before it lie beside the booster."""
    model = write_model()
    held = get_model(model)
    weights = (np.arange(len(held["trees"])) % 3 / 4).tolist()
    dart = {"name": "dart", "gbtree": {"name": "gbtree", "model": held}, "weight_drop": weights}
    before = predict(model | {"learner": model["learner"] | {"gradient_booster": dart}})
    plain = predict(model)
    held["weight_drop"] = weights
    assert np.array_equal(predict(model), before)
    assert not np.array_equal(before, plain)


def test_a_word_for_the_rounds_is_checked(tmp_path):
    (tmp_path / "m").write_bytes(FORMS["json"](write_model()))
    with pytest.raises(ValueError, match="--rounds is 'first': it must be one of 'best', 'all'"):
        import_model(tmp_path / "m", "xgboost", rounds="first")


def test_the_text_of_lightgbm_holds_the_best_rounds_already(tmp_path):
    need("lightgbm")
    import lightgbm

    small = {"objective": "regression", "verbose": -1, "num_leaves": 6, "num_threads": 1, "learning_rate": 0.3}
    data = lightgbm.Dataset(HOLES[:120], LABELS[:120].astype(float))
    held_out = lightgbm.Dataset(HOLES[120:], LABELS[120:].astype(float), reference=data)
    stop = [lightgbm.early_stopping(8, verbose=False)]
    booster = lightgbm.train(small, data, 60, valid_sets=[held_out], callbacks=stop, keep_training_booster=True)
    assert booster.best_iteration < booster.current_iteration()
    booster.save_model(tmp_path / "best")
    booster.save_model(tmp_path / "all", num_iteration=-1)
    for name, n_rounds in (("best", booster.best_iteration), ("all", booster.current_iteration())):
        ranker = import_model(tmp_path / name, "lightgbm")
        assert ranker.n_rounds_ == n_rounds
        assert np.array_equal(ranker.predict(NEW), lightgbm.Booster(model_file=tmp_path / name).predict(NEW))
        assert np.array_equal(ranker.predict(NEW), booster.predict(NEW, num_iteration=n_rounds))
    assert import_model(tmp_path / "all", "lightgbm", "all").n_rounds_ == booster.current_iteration()
    with pytest.raises(ValueError, match="it does not name a best iteration: --rounds must be all"):
        import_model(tmp_path / "best", "lightgbm", "best")


def test_trees_of_lightgbm_in_another_order_are_refused():
    """LightGBM reads them in the order of the file."""
    text = FORMATS["lightgbm"].write(make_portable(SoftmaxBoostRanker(n_rounds=2, n_leaves=3).fit(X, Y))).decode()
    head, first, second, *more = text.split("Tree=")
    with pytest.raises(ValueError, match=r"^tree 0 is called '1'"):
        lightgbm_reader.read("Tree=".join([head, second, first, *more]))


# With XGBoost


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["ranking", "forests", "dart"])
def test_both_choices_predict_as_xgboost(name, form):
    need("xgboost")
    import xgboost

    parameters = {"learning_rate": 1.0, "nthread": 1, "max_depth": 3, **XGBOOST[name]}
    parts = [
        xgboost.DMatrix(HOLES[rows], LABELS[rows].astype(float), qid=QUERIES[rows] if name == "ranking" else None)
        for rows in (slice(0, 120), slice(120, 240))
    ]
    stops = {"early_stopping_rounds": 6, "verbose_eval": False}
    booster = xgboost.train(parameters, parts[0], 40, evals=[(parts[1], "valid")], **stops)
    assert booster.best_iteration + 1 < booster.num_boosted_rounds()
    content = bytes(booster.save_raw(form))
    with pytest.raises(ValueError, match="choose --rounds best"):
        xgboost_reader.read(content)
    for rounds, n_rounds in (("best", booster.best_iteration + 1), ("all", 0)):
        ranker = xgboost_reader.read(content, rounds)
        theirs = booster.predict(xgboost.DMatrix(NEW), output_margin=True, iteration_range=(0, n_rounds))
        assert np.abs(ranker.predict_outputs(NEW) - theirs.reshape(len(NEW), -1)).max() < 1e-5
        assert verify_import(content, ranker, NEW, best=rounds == "best").within
        assert not verify_import(content, ranker, NEW, best=rounds != "best").within


def test_shuffled_trees_predict_as_xgboost_or_both_refuse_them():
    need("xgboost")
    import xgboost

    model = json.loads(bytes(train_xgboost(XGBOOST["forests"]).save_raw("json")))
    held = get_model(model)
    held["trees"] = [held["trees"][place] for place in RNG.permutation(len(held["trees"]))]
    content = FORMS["json"](model)
    try:
        theirs = xgboost.Booster(model_file=bytearray(content)).predict(xgboost.DMatrix(NEW), output_margin=True)
    except xgboost.core.XGBoostError:  # releases after 3.2
        assert [int(part) for part in xgboost.__version__.split(".")[:2]] > [3, 2]
    else:
        assert np.abs(xgboost_reader.read(content).predict_outputs(NEW) - theirs).max() < 1e-5
