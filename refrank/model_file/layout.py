"""A trained ranker as documented JSON: no pickle, nothing that runs when it is read, the same bits after a round trip.

    {
      "format": "refrank model", "version": 1,
      "algorithm": "softmax" | "ordinal" | "ls" | "lad",
      "parameters": {...},          what the estimator was made with, but n_threads and verbose, which are the reader's
                                    own; a function is written as its table
      "n_features": int, "n_classes": int,
      "feature_names": [...] or null,
      "table": [...],               T(k) of Eq. 5, or the target of Algorithm 2, one value a class
      "model": {...}                the fields of SoftmaxModel, OrdinalModel or LSModel (of "lad" too); "rounds" nests
                                    trees as they do
    }

A tree is an object of equally long lists, the fields of `refrank.trees.tree.Tree`: a row at node v goes to left[v] where
x[feature[v]] < cut[v], else to right[v], from node 0 until feature[v] is -1; there value[v] is the leaf's beta. Scores
start at 0 (or at "initial") and add learning_rate * beta, tree after tree. Floats are written with the fewest digits
that bring back the same float64. What stands in the file of a net, "lambdarank", is said in `nets`; in that of COCR, in
`cocr`.
"""

from typing import get_args, get_type_hints

from refrank.estimators import LADBoostRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.trees.tree import Tree

FORMAT, VERSION = "refrank model", 1
RANKERS: dict[str, type[BoostRanker]] = {
    "softmax": SoftmaxBoostRanker,
    "ordinal": OrdinalBoostRanker,
    "ls": LSBoostRanker,
    "lad": LADBoostRanker,
}
TABLES = {
    "softmax": "relevance",
    "ordinal": "relevance",
    "ls": "target",
    "lad": "target",
}  # the parameter that "table" belongs to
NOT_WRITTEN = ("n_threads", "verbose")  # they change no bit, and belong to the machine and the person
TREE_TYPES = {
    name: get_args(get_args(hint)[1])[0]  # the scalar type of NDArray[...]
    for name, hint in get_type_hints(Tree).items()
}
