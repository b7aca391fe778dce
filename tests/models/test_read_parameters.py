"""Parameters that are read are checked as `fit` checks them."""

import copy

import pytest
from sklearn.linear_model import RidgeCV

from tests.models.members import HEAD, fault_of, write


@pytest.mark.parametrize(
    ("name", "key", "value", "message"),
    [
        ("m5p", "min_instances", 1, "min_instances is 1: it must be a number of at least 2"),
        ("cocr over m5p", "base.min_instances", 1, "base.min_instances is 1: it must be a number of at least 2"),
        ("cocr over gbrt", "base.random_state", -1, "base.random_state is -1: it must be an integer from 0 to"),
        ("cocr over gbrt", "base.n_classes", 1, "base.n_classes is 1: it must be an integer from 2 to 1024"),
        ("cocr over gbrt", "base.missing_value", 10**400, "base.missing_value is 1000"),
        ("cocr over ridge", "base.alpha_per_target", 10**400, "base.parameters are not those of a RidgeCV: "),
        ("cocr over bagged ridge", "base.estimator", None, "base.estimator is None: a bag in a file says its own"),
        ("softmax", "growth", 1.0, "growth is 1.0: it must be a number of at least 1.001"),
        ("softmax", "n_classes", 1, "n_classes is 1"),
        ("softmax", "learning_rate", 10**400, "learning_rate is 1000"),
        ("softmax", "relevance", [0.0], "relevance has shape (1,)"),
        ("softmax", "relevance", [0.0, 1.0, 2.0, 2.0, 3.0, 4.0], "relevance at row 3 is 2.0: values must increase"),
        ("softmax", "relevance", [10**400] * 6, "relevance is [1000"),
        ("own target", "target", {"float": "nan"}, "target is nan"),
        ("cocr", "cost", [[0.0, 1.0], [1.0, 0.0]], "cost has shape (2, 2)"),
        ("igbrt of classes", "max_features", 6, "max_features is 6: it must be at most 5"),
        ("igbrt of classes", "max_features", 0.0, "max_features is 0.0"),
        ("cocr", "n_jobs", True, "n_jobs is True"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_parameter_that_fit_refuses_is_refused(tmp_path, parts, name, key, value, message):
    head = copy.deepcopy(parts[name][HEAD])
    inner = head["model"]["parameters"]
    for step in key.split(".")[:-1]:
        inner = inner[step]["parameters"]
    inner[key.split(".")[-1]] = value
    write(tmp_path / "m", {**parts[name], HEAD: head})
    fault_of(tmp_path / "m", message)


def test_whatever_scikit_learn_raises_of_its_parameters_is_about_them(tmp_path, parts, monkeypatch):
    def fail(_):
        raise TypeError("'<' not supported")

    write(tmp_path / "m", parts["cocr over ridge"])
    monkeypatch.setattr(RidgeCV, "_validate_params", fail)
    fault_of(tmp_path / "m", "base.parameters are not those of a RidgeCV: '<' not supported")
