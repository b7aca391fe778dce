"""RankLib's ensemble, which it and the search engines that embed it read: a comment, then XML.

RankLib reads features, thresholds, leaves and weights in float32, and adds in float32:

    refrank                  in the file
    feature f                feature f + 1: RankLib counts from 1
    x < cut goes left        x <= threshold goes left, threshold = the greatest float32 below the cut: the same, for
                             every float32 x
    value * learning_rate    output, rounded to float32; each tree has weight 1
    start of the sum         a first tree, a single leaf
    mean of a forest         leaves are divided by the number of trees, then rounded
    names of the features    a comment, since RankLib knows numbers alone
    missing entry            none: RankLib reads what a row leaves out as 0

An ensemble is one sum. So a ranker whose score is a sum of trees can leave: a regression, or COCR over one. Missing
entries can leave, if each cut sends them where it sends 0. RankLib is a Java program, which refrank does not run.
"""

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Matrix
from refrank.models.exchange import xgboost
from refrank.models.exchange.heads import Identity, Total
from refrank.models.exchange.portable import DirectedTree, Portable
from refrank.trees.model.tree import LEAF, Tree

RUNTIME = ""  # none that refrank runs
IN_ORDER = False  # additions round to float32
READS = "read in float32"
read_as, bound_rounding = xgboost.read_as, xgboost.bound_rounding


def write(portable: Portable) -> bytes:
    """Write the text of a model.

    Raises a ValueError if the score is not one sum of trees, if missing entries do not go where 0 goes, or if a sum
    may exceed float32.

    Examples
    --------
    >>> from refrank import LSBoostRanker
    >>> from refrank.models.exchange.packing import make_portable
    >>> ranker = LSBoostRanker(n_rounds=1, learning_rate=0.5).fit([[0.0], [1.0]], [0, 1])
    >>> print(write(make_portable(ranker)).decode().split('<tree id="2" weight="1.0">')[1])
    <BLANKLINE>
        <split>
          <feature> 1 </feature>
          <threshold> 0.49999997 </threshold>
          <split pos="left">
            <output> -0.25 </output>
          </split>
          <split pos="right">
            <output> 0.25 </output>
          </split>
        </split>
      </tree>
    </ensemble>
    <BLANKLINE>
    """
    if not isinstance(portable.head, Identity | Total):
        kind = type(portable.head).__name__.lower()
        raise ValueError(f"the score is a {kind} of several sums of trees: RankLib's ensemble must be one sum")
    xgboost.check_magnitude(portable)
    trees = portable.rounds
    check_missing(portable, trees)
    lines = ["## LambdaMART", f"## No. of trees = {len(trees)}"]
    if portable.names is not None:
        lines += [f"## feature {f} = {' '.join(name.split())}" for f, name in enumerate(portable.names, start=1)]
    lines += ["", "<ensemble>"]
    for number, directed in enumerate(trees, start=1):
        tree = xgboost.share(directed.tree, portable)
        lines += [f'  <tree id="{number}" weight="1.0">', *write_nodes(tree), "  </tree>"]
    return "\n".join([*lines, "</ensemble>", ""]).encode()


def check_missing(portable: Portable, trees: list[DirectedTree]) -> None:
    """Refuse cuts that send missing entries elsewhere than 0."""
    for number, (tree, left_if_missing) in enumerate(trees if portable.missing_value is not None else ()):
        inner = tree.feature != LEAF
        if (left_if_missing[inner] != (tree.cut[inner] > 0)).any():
            rule = "missing entries must go where 0 goes, which RankLib reads in their place"
            raise ValueError(f"tree {number} sends missing entries elsewhere than 0: {rule}")


def write_nodes(tree: Tree) -> list[str]:
    """Write the nodes of a tree, a line per tag."""
    thresholds = round_down(tree.cut)
    values = tree.value.astype(np.float32)
    lines: list[str] = []
    waiting: list[tuple[int, int, str, bool]] = [(0, 2, "<split>", False)]  # node, depth, tag, whether it ends
    while waiting:
        node, depth, tag, ends = waiting.pop()
        margin = "  " * depth
        if ends:
            lines.append(f"{margin}</split>")
            continue
        lines.append(margin + tag)
        waiting.append((node, depth, tag, True))
        if tree.feature[node] == LEAF:
            lines.append(f"{margin}  <output> {write_number(values[node])} </output>")
            continue
        lines.append(f"{margin}  <feature> {tree.feature[node] + 1} </feature>")
        lines.append(f"{margin}  <threshold> {write_number(thresholds[node])} </threshold>")
        waiting.append((int(tree.right[node]), depth + 1, '<split pos="right">', False))
        waiting.append((int(tree.left[node]), depth + 1, '<split pos="left">', False))
    return lines


def round_down(cut: Floats) -> NDArray[np.float32]:
    """Round cuts down to the greatest float32 below each, (n_nodes,).

    >>> round_down(np.array([0.5, 0.1])) == np.nextafter(np.float32([0.5, 0.1]), np.float32(0))
    array([ True,  True])
    """
    with np.errstate(over="ignore"):  # below the lowest float32 is -inf
        return np.nextafter(xgboost.round_up(cut), np.float32(-np.inf))


def write_number(value: np.float32) -> str:
    """Write a float32 in the fewest digits that identify it, as Java reads it.

    >>> write_number(np.float32(0.1)), write_number(np.float32(-np.inf))
    ('0.1', '-Infinity')
    """
    return str(value).replace("inf", "Infinity")


def score(content: bytes, X: Matrix, portable: Portable) -> tuple[Floats, Floats | None]:
    """Refuse to score: the command asks no program of this format."""
    raise ValueError("RankLib is a Java program, which refrank does not run")
