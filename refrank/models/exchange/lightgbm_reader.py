"""Reader of LightGBM's text model: the ranker's outputs are LightGBM's raw scores, to the bit.

    in the file                  in refrank
    x <= threshold goes left     x < cut, cut = nextafter(threshold, inf): the same x
    leaf_value                   value; LightGBM starts at 0 and adds the trees in order, in float64, as refrank does
    average_output               sums divided by the number of rounds: a forest's predictions, not its raw scores
    missing type (none, zero,    a rule of `refrank.estimators.imported.RULES` per cut
      NaN), default direction
    dart                         its weights are already in the leaves
    one output                   the score, whatever the objective: each turns it into a prediction that rises with it
    several outputs              classes 0..K-1 of objective multiclass; other objectives are refused

Categorical cuts and linear trees are refused. Training parameters are not kept.
"""

import re
from collections.abc import Iterator

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.estimators.imported import ImportedRanker
from refrank.models.exchange.foreign_trees import NAMES, ForeignTree, deal_out, make_ranker
from refrank.models.foreign_bytes import prefix_faults, refuse, require
from refrank.trees.model.tree import LEAF

VERSIONS = ("v2", "v3", "v4")
INTEGER = re.compile(r"-?[0-9]{1,18}")
FLOAT = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]{1,4})?|inf|nan)")
MOST_DIGITS = 40  # characters of a number; LightGBM writes 17
CATEGORICAL, DEFAULT_LEFT = 1, 2  # bits of decision_type; the two above encode the missing type
RULE_OF = {  # missing type and default direction -> rule
    (0, False): "nan is zero",
    (0, True): "nan is zero",
    (1, False): "zero right",
    (1, True): "zero left",
    (2, False): "nan right",
    (2, True): "nan left",
}
Fields = dict[str, str]


def read(text: str) -> ImportedRanker:
    """Read a model.

    Raises a ValueError, which names the place, if the text is not a model or has features that refrank lacks.
    """
    lines = iter(text.split("\n"))
    require(next(lines).rstrip("\r") == "tree", "it does not begin with the line 'tree'")
    head, blocks = split_blocks(lines)
    version = head.get("version")
    require(version in VERSIONS, f"version is {version!r}: it must be one of {', '.join(VERSIONS)}")
    n_outputs = read_integer(head, "num_tree_per_iteration")
    require(n_outputs >= 1, f"num_tree_per_iteration is {n_outputs}: it must be at least 1")
    n_features = read_integer(head, "max_feature_idx") + 1
    names = head.get("feature_names", "").split()
    require(n_features == len(names), f"max_feature_idx is {n_features - 1}: feature_names has {len(names)} names")
    if names == [f"Column_{f}" for f in range(n_features)]:  # which LightGBM writes where it was given none
        names = []
    check_objective(head.get("objective", ""), n_outputs)
    require(len(blocks) % n_outputs == 0, f"it has {len(blocks)} trees: they must be rounds of {n_outputs}")
    trees = [read_tree(number, block) for number, block in enumerate(blocks)]
    outputs = [number % n_outputs for number in range(len(trees))]
    rounds = deal_out(trees, outputs, n_outputs) if trees else []
    starts = (0.0,) * n_outputs if trees else (0.0,)
    return make_ranker(rounds, n_features, "lightgbm", starts, "average_output" in head, names)


def split_blocks(lines: Iterator[str]) -> tuple[Fields, list[Fields]]:
    """Split the lines into the fields of the head and those of each tree, up to the line that ends the trees."""
    head: Fields = {}
    blocks: list[Fields] = []
    held = head
    for line in map(str.strip, lines):
        if line == "end of trees":
            return head, blocks
        name, _, value = line.partition("=")
        if name == "Tree":
            require(value == str(len(blocks)), f"tree {len(blocks)} is called {value[:20]!r}")
            held = {}
            blocks.append(held)
        elif line:
            require(name not in held, f"{name[:40]!r} is given twice{f' in tree {len(blocks) - 1}' if blocks else ''}")
            held[name] = value
    raise ValueError("it ends before the line 'end of trees'")


def check_objective(objective: str, n_outputs: int) -> None:
    """Refuse several outputs, unless they are the classes of a softmax."""
    name = objective.split(" ", 1)[0]
    rule = f"with {n_outputs} outputs it must be multiclass, the classes of a softmax, to be a ranking"
    require(n_outputs == 1 or name == "multiclass", f"objective is {objective[:60]!r}: {rule}")


def read_tree(number: int, block: Fields) -> ForeignTree:
    """Read a tree: inner nodes come first, then leaves."""
    with prefix_faults(f"tree {number}: "):
        n_leaves = read_integer(block, "num_leaves")
        require(n_leaves >= 1, f"num_leaves is {n_leaves}: it must be at least 1")
        n_categorical = read_integer(block, "num_cat")
        require(n_categorical == 0, f"num_cat is {n_categorical}: refrank has no categorical cuts")
        linear = block.get("is_linear", "0")
        require(linear == "0", f"is_linear is {linear[:20]!r}: refrank has no linear leaves")
        value = read_floats(block, "leaf_value", n_leaves)
        n_inner = n_leaves - 1
        feature, decision, left, right = (
            read_integers(block, name, n_inner)
            for name in ("split_feature", "decision_type", "left_child", "right_child")
        )
        threshold = read_floats(block, "threshold", n_inner)
        require(not np.isnan(threshold).any(), "threshold must be a number")
        require((feature >= 0).all(), "split_feature must be at least 0")
        counts = {
            name: read_integers(block, name, n) if name in block else np.zeros(n, np.int64)
            for name, n in (("internal_count", n_inner), ("leaf_count", n_leaves if n_inner else 0))
        }
        gain = read_floats(block, "split_gain", n_inner) if "split_gain" in block else np.zeros(n_inner)
        rule = np.array([read_rule(kind) for kind in decision.tolist()], np.int64)
        children = [np.where(child >= 0, child, n_inner - 1 - child) for child in (left, right)]
        with np.errstate(over="ignore"):  # the cut above the largest float64 is inf
            cut = np.nextafter(threshold, np.inf)
        reached = np.sort(np.concatenate(children))
        nodes = np.arange(1, n_inner + n_leaves)
        require(np.array_equal(reached, nodes), "its children must be each node but the root, once")
    leaves = np.zeros(n_leaves)
    of_leaves = leaves.astype(np.int64)
    counted = counts["leaf_count"] if n_inner else of_leaves
    return ForeignTree(
        feature=np.concatenate([feature, np.full(n_leaves, LEAF)]),
        rule=np.concatenate([rule, of_leaves]),
        cut=np.concatenate([cut, leaves]),
        left=np.concatenate([children[0], of_leaves]),
        right=np.concatenate([children[1], of_leaves]),
        value=np.concatenate([np.zeros(n_inner), value]),
        split_gain=np.concatenate([gain, leaves]),
        n_node_samples=np.concatenate([counts["internal_count"], counted]),
    )


def read_rule(kind: int) -> int:
    """Return the index in NAMES of the rule of a decision_type."""
    missing, left = kind >> 2, bool(kind & DEFAULT_LEFT)
    if kind < 0 or kind & CATEGORICAL or (missing, left) not in RULE_OF:
        refuse("decision_type", kind, "an ordered cut, with one of the missing types none, zero and NaN")
    return NAMES.index(RULE_OF[missing, left])


def read_integer(fields: Fields, name: str) -> int:
    """Read a field that is one integer."""
    return int(read_integers(fields, name, 1)[0])


def read_integers(fields: Fields, name: str, n: int) -> Ints:
    """Read a field that is n integers, (n,)."""
    return np.array([int(word) for word in list_words(fields, name, n, INTEGER)], np.int64)


def read_floats(fields: Fields, name: str, n: int) -> Floats:
    """Read a field that is n numbers, (n,)."""
    return np.array([float(word) for word in list_words(fields, name, n, FLOAT)], np.float64)


def list_words(fields: Fields, name: str, n: int, form: re.Pattern[str]) -> list[str]:
    """List the n words of a field, each of a given form; n = 0 needs no field."""
    require(name in fields or n == 0, f"{name} is not there")
    words = fields.get(name, "").split(" ") if n else []
    require(len(words) == n, f"{name} has {len(words)} numbers: it must have {n}")
    for word in words:
        if len(word) > MOST_DIGITS or not form.fullmatch(word):
            refuse(name, word, "a number")
    return words
