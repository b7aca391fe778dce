"""ONNX: a float64 graph of the trees and of the score's computation, run by ONNX Runtime.

    input     "X"          (n, n_features), float64; NaN is missing, if the ranker handles missing entries
    output    "outputs"    (n, n_outputs), sums of trees
    output    "score"      (n,), what `predict` returns
    metadata  "feature_names"    a JSON list, if the ranker knows them

A TreeEnsemble node of ai.onnx.ml 5 computes the sums: x < cut goes left, and leaves and cuts are in float64. The rest
are the nodes of ai.onnx that the head needs (`refrank.models.exchange.heads`), including Eq. 5:

    every ranker       Div by the divisor
    Identity, Total    ReduceSum
    Softmax            Softmax, MatMul with T
    Ordinal            MatMul or Mul for F_0 - F_1, and Sigmoid; then as Cumulative
    Cumulative         Clip, if the ranker clips; T(K-1) minus the MatMul of the P_k with T(k+1) - T(k)

ONNX Runtime may add the trees in any order and has its own exp, so outputs and scores agree within bounds. The bound of
the outputs holds for every order of additions. The bound of the score assumes an exp that is right to a few units in
the last place (`refrank.models.exchange.heads.EXP_ULPS`).
"""

import json
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Matrix
from refrank.inspection.sums import read_unchanged
from refrank.models.exchange.heads import Identity, Ordinal, Softmax, Total
from refrank.models.exchange.portable import (
    DirectedTree,
    Portable,
    bound_outputs,
    direct_right,
    make_leaf,
)
from refrank.models.exchange.runtimes import load_runtime
from refrank.trees.model.tree import LEAF, Tree

RUNTIME = "onnxruntime"
IN_ORDER = False  # ONNX Runtime chooses the order
READS = ""
read_as = read_unchanged
LESS, SUM = 1, 1  # values of nodes_modes and aggregate_function
OPSETS = {"": 18, "ai.onnx.ml": 5}
IR_VERSION = 10  # that of ONNX 1.16, the first with this opset


def write(portable: Portable) -> bytes:
    """Write the protocol buffer of a model."""
    onnx = load_runtime("onnx", "--to onnx")
    helper, kind = onnx.helper, onnx.TensorProto.DOUBLE
    graph = Graph(onnx)
    graph.add("TreeEnsemble", ["X"], "sums", domain="ai.onnx.ml", **list_attributes(portable, graph))
    graph.add("Div", ["sums", graph.hold("divisor", np.array(float(portable.divisor)))], "outputs")
    add_head(portable, graph)
    n_outputs = len(portable.sums.initial)
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "refrank",
            [helper.make_tensor_value_info("X", kind, ["n", portable.n_features])],
            [
                helper.make_tensor_value_info("outputs", kind, ["n", n_outputs]),
                helper.make_tensor_value_info("score", kind, ["n"]),
            ],
            graph.held,
        ),
        opset_imports=[helper.make_opsetid(domain, version) for domain, version in OPSETS.items()],
        ir_version=IR_VERSION,
        producer_name="refrank",
    )
    if portable.names is not None:
        helper.set_model_props(model, {"feature_names": json.dumps(portable.names)})
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


class Graph:
    """The nodes of a graph, and its arrays."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.held: list[Any] = []

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add a node; return the name of its output."""
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def hold(self, name: str, values: NDArray[Any]) -> str:
        """Add an array; return its name."""
        self.held.append(self.make_tensor(name, values))
        return name

    def make_tensor(self, name: str, values: NDArray[Any]) -> Any:
        """Make a tensor from an array."""
        return self.onnx.numpy_helper.from_array(values, name)


def list_attributes(portable: Portable, graph: Graph) -> dict[str, Any]:
    """List the attributes of the TreeEnsemble node, which numbers inner nodes and leaves across all trees."""
    outputs = [(c, with_cut(directed)) for c, trees in enumerate(portable.trees) for directed in trees]
    columns: defaultdict[str, list[Any]] = defaultdict(list)
    n_inner = n_leaves = 0
    for c, (tree, left_if_missing) in outputs:
        inner = tree.feature != LEAF
        place = np.where(inner, np.cumsum(inner) - 1 + n_inner, np.cumsum(~inner) - 1 + n_leaves)
        left, right = tree.left[inner], tree.right[inner]
        columns["nodes_featureids"] += tree.feature[inner].tolist()
        columns["nodes_splits"] += tree.cut[inner].tolist()
        columns["nodes_missing_value_tracks_true"] += left_if_missing[inner].astype(int).tolist()
        columns["nodes_truenodeids"] += place[left].tolist()
        columns["nodes_falsenodeids"] += place[right].tolist()
        columns["nodes_trueleafs"] += (~inner[left]).astype(int).tolist()
        columns["nodes_falseleafs"] += (~inner[right]).astype(int).tolist()
        columns["leaf_weights"] += tree.value[~inner].tolist()
        columns["leaf_targetids"] += [c] * int(np.count_nonzero(~inner))
        columns["tree_roots"].append(n_inner)
        n_inner, n_leaves = len(columns["nodes_splits"]), len(columns["leaf_weights"])
    tensors = {name: np.array(columns[name]) for name in ("nodes_splits", "leaf_weights")}
    tensors["nodes_modes"] = np.full(n_inner, LESS, np.uint8)
    return {
        "aggregate_function": SUM,
        "n_targets": len(portable.sums.initial),
        "post_transform": 0,
        **columns,
        **{name: graph.make_tensor(name, values) for name, values in tensors.items()},
    }


def with_cut(directed: DirectedTree) -> DirectedTree:
    """Give a tree of one leaf a cut between two leaves of the same value, since ONNX needs a cut in the root."""
    if len(directed.tree.feature) > 1:
        return directed
    leaf = make_leaf(float(directed.tree.value[0]))
    triple = {name: np.tile(getattr(leaf, name), 3) for name in vars(leaf)}
    triple["feature"][0], triple["left"][0], triple["right"][0], triple["value"][0] = 0, 1, 2, 0.0
    return direct_right(Tree(**triple))


def add_head(portable: Portable, graph: Graph) -> None:
    """Add the nodes that compute the score from the outputs."""
    head = portable.head
    if isinstance(head, Identity | Total):
        graph.add("ReduceSum", ["outputs", graph.hold("axis", np.array([1]))], "score", keepdims=0)
    elif isinstance(head, Softmax):
        graph.add("Softmax", ["outputs"], "proba", axis=1)
        graph.add("MatMul", ["proba", graph.hold("relevance", head.relevance)], "score")
    elif isinstance(head, Ordinal):
        add_cumulative(graph, add_logistic(head, graph, len(portable.sums.initial)), *split_steps(head))
    else:
        n_problems = len(portable.sums.initial)
        proba = "outputs"
        if head.clip:
            bounds = [graph.hold(name, np.array(value)) for name, value in (("zero", 0.0), ("one", 1.0))]
            proba = graph.add("Clip", ["outputs", *bounds], "proba")
        add_cumulative(graph, proba, float(n_problems), np.ones(n_problems))


def add_logistic(head: Ordinal, graph: Graph, n_outputs: int) -> str:
    """Add the nodes that compute Pr(y <= k) of each two-sided problem: the logistic function of F_0 - F_1."""
    n_problems = head.constants.count(None)
    if n_outputs == n_problems:  # F_1 = -F_0
        graph.add("Mul", ["outputs", graph.hold("two", np.array(2.0))], "margin")
    else:
        contrast = np.kron(np.eye(n_problems), [[1.0], [-1.0]])  # (n_outputs, n_problems)
        graph.add("MatMul", ["outputs", graph.hold("contrast", contrast)], "margin")
    return graph.add("Sigmoid", ["margin"], "proba")


def split_steps(head: Ordinal) -> tuple[float, Floats]:
    """Return T(K-1) minus the part of one-sided problems, and the steps of T at the others."""
    steps = np.diff(head.relevance)
    start, held = float(head.relevance[-1]), []
    for step, constant in zip(steps.tolist(), head.constants, strict=True):
        if constant is None:
            held.append(step)
        else:
            start -= constant * step
    return start, np.array(held)


def add_cumulative(graph: Graph, proba: str, start: float, steps: Floats) -> None:
    """Add the nodes of S = start - sum_k P_k * step_k."""
    graph.add("MatMul", [proba, graph.hold("steps", steps)], "lost")
    graph.add("Sub", [graph.hold("highest", np.array(start)), "lost"], "score")


def bound_rounding(portable: Portable) -> Floats:
    """Bound how far ONNX Runtime's outputs are from the exact sums, (n_outputs,), in any order of additions."""
    return bound_outputs(portable.sums, portable.divisor, in_order=False)


def score(content: bytes, X: Matrix, portable: Portable) -> tuple[Floats, Floats]:
    """Compute ONNX Runtime's outputs, (n_samples, n_outputs), and its scores, (n_samples,), for the rows of X."""
    onnxruntime = load_runtime(RUNTIME, "--verify")
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    outputs, scores = session.run(["outputs", "score"], {"X": np.ascontiguousarray(X, np.float64)})
    return outputs, scores
