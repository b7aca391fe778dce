"""The tasks of the exercises: each is a function of the vectors, with the line of the paper that a student codes.

task        the function of the vectors with its name, without the cases that only an exact port can pass
tolerance   ULPS units in the last place of the largest entry: a student adds floats in any order
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from refrank.checks import check_choice
from yardstick.vectors.case import Case, Signature
from yardstick.vectors.reading import load_own

ULPS = 2**16  # float32 is 2**29 away
LEFT_OUT = frozenset({"order-of-operations", "three-way", "many-bins", "refuse"})  # flags of cases that no task has


@dataclass(frozen=True)
class Exercise:
    """A task."""

    name: str  # of the task, of its function, and of the student's function
    line: str  # the paper's formula

    @property
    def function(self) -> Signature:
        """The task's function of the vectors."""
        return load_own().functions[self.name]

    def list_cases(self) -> list[Case]:
        """List its cases, each followed by the faults that share its input."""
        own = [case for case in load_own().cases if case.function == self.name]
        kept = {case.id for case in own if not LEFT_OUT & {*case.flags}}
        return [case for case in own if (case.of or case.id) in kept]


LINES = {
    "dcg": "DCG = sum over i = 1..k of (2^y_[i] - 1) c_[i], with c_[i] = 1 / log2(1 + i); y_[i] has rank i",
    "ndcg": "NDCG = DCG / DCG_g, where DCG_g is the DCG of all documents sorted by y",
    "err": "ERR = sum over i of 1/i R(y_[i]) times the product over j < i of (1 - R(y_[j])), R(y) = (2^y - 1) / 2^K",
    "softmax": "p_k = exp(F_k) / sum over s of exp(F_s)",
    "expected_relevance": "S_i = sum over k of p_(i,k) T(k)",
    "class_proba": "Pr(y = k) = Pr(y <= k) - Pr(y <= k - 1)",
    "quantize": "bin b holds x where cuts[b - 1] <= x < cuts[b]",
    "histogram": "bucket sort: each row adds its residual, 1, and its weight to the slot of its bin, per feature",
    "best_split": "the cut that takes most off the squared error: (S_l/n_l - S_r/n_r)^2 n_l n_r / (n_l + n_r)",
    "leaf_values": "beta_j = (K-1)/K times sum over R_j of (y~ - p) / sum over R_j of (1 - p) p",
    "softmax_round": "for each class k: p by softmax of F; beta by line 6 in each leaf of its tree; F_k += nu beta",
    "ordinal_round": "for each k = 0..K-2: classes {y <= k} and {y > k}, then Algorithm 1 with two classes",
    "ls_round": "beta_j = mean over R_j of (y~ - S); S += nu beta",
    "median": "the lowest value with half of the weight at or below it; if exactly half, the mean with the next",
    "lad_round": "gamma_j = median over R_j of (y - F); F += nu gamma",
    "bootstrap": "D_t: n of n rows with replacement; row i is (number i of the tree's stream) n / 2^64, rounded down",
    "igbrt_start": "r_i = y_i - F(x_i), where F is the mean of the forest's trees",
    "binary_target": "b^c = 1 if y < c, else 0",
    "oerr_weights": "w^(k) = |c[k] - c[k-1]| for k = 1..K, with c[k] = (2^y - 2^k)^2",
    "reduction": "b^(k) = 1 if y >= k, else 0; w^(k) = |c[k] - c[k-1]|; k = 1..K",
    "hard_rank": "r = sum over k of [h_k >= 1/2]",
    "lambda_gradients": "lambda_ij = -|Delta NDCG_ij| / (1 + exp(s_i - s_j)) for y_i > y_j; add to i, take from j",
}
TASKS: Mapping[str, Exercise] = MappingProxyType({name: Exercise(name, line) for name, line in LINES.items()})


def find_task(name: str) -> Exercise:
    """Return the task of a name.

    >>> find_task("ndgc")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: --task is 'ndgc': it must be one of 'dcg', 'ndcg', 'err', 'softmax', ...
    """
    return TASKS[check_choice("--task", name, TASKS)]


def write_skeleton(task: Exercise) -> str:
    """Write the file with which a student begins.

    >>> print(write_skeleton(TASKS["binary_target"]).splitlines()[3])
    def binary_target(y, c):
    """
    function, name = task.function, task.name
    text = f'''"""The exercise {name}: refrank check {name}.py --task {name}"""


def {name}({", ".join(function.inputs)}):
    """{function.text}

    {function.paper}:

        {task.line}

    Parameters
    ----------
{list_arrays(function.inputs)}

    Returns
    -------
{list_arrays(function.outputs)}
    """
    raise NotImplementedError
'''
    return text.replace("null", "None")


def list_arrays(table: Mapping[str, str]) -> str:
    """List inputs or outputs, one per line."""
    return "\n".join(f"    {name} : {text}" for name, text in table.items())
