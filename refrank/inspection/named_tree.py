"""A tree with the names of its features, as text: what `ranker.tree(m, k)` returns, and `export_text`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from refrank.arrays import Matrix
from refrank.inspection.layout import PlacedNode, lay_out
from refrank.inspection.page import write_note, write_page
from refrank.inspection.style import shorten
from refrank.inspection.svg import draw_tree
from refrank.trees.model.tree import LEAF, Tree

MOST_SHOWN = 24  # leaves, or ends, of a tree in a notebook


@dataclass(frozen=True, eq=False, repr=False)
class NamedTree:
    """A tree of a ranker; `print` writes it, and a notebook draws it."""

    tree: Tree
    title: str = ""  # where it stands in its ranker
    names: Sequence[str] | None = None  # (n_features,), by default x0, x1, ...
    fill: Matrix | None = None  # (n_features,): substitutes of missing entries

    def lay_out(self, max_depth: int | None = None) -> list[PlacedNode]:
        """List the nodes in their places in a drawing, to a depth of max_depth cuts; long names are shortened."""
        names = None if self.names is None else [*map(shorten, self.names)]
        return lay_out(self.tree, names, self.fill, max_depth)

    def __str__(self) -> str:
        """Return the tree as text, a line per node."""
        return "\n".join([self.title] * bool(self.title) + write_lines(lay_out(self.tree, self.names, self.fill)))

    def __repr__(self) -> str:
        """Return the title and the size."""
        return f"<{self.title or 'tree'}: {self.tree!r}>"

    def _repr_html_(self) -> str:
        """Draw the tree, or its first levels if it is large."""
        depth = choose_depth(self.tree)
        note = "" if depth is None else write_note(f"the nodes below {depth} cuts are left out")
        return write_page(self.title, draw_tree(self.lay_out(depth)), note)


def choose_depth(tree: Tree) -> int | None:
    """Choose the most cuts that a drawing shows below each other; None if it shows the whole tree."""
    depth, nodes = 0, np.zeros(1, np.int32)
    while len(nodes) <= MOST_SHOWN:
        inner = nodes[tree.feature[nodes] != LEAF]
        if not len(inner):
            return None
        depth += 1
        nodes = np.concatenate([nodes[tree.feature[nodes] == LEAF], tree.left[inner], tree.right[inner]])
    return depth - 1


def export_text(tree: Tree | NamedTree, feature_names: Sequence[str] | None = None) -> str:
    """Write a tree as text, a line per node: the question of each cut, values of leaves, rows and gains.

    Parameters
    ----------
    tree : Tree or NamedTree
        A tree of a model, or what `ranker.tree(m, k)` returns.
    feature_names : sequence of str, optional
        The names of all features; by default those of the ranker, or x0, x1, ...

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If a feature of the tree has no name.

    Examples
    --------
    >>> from refrank import LSBoostRanker
    >>> ranker = LSBoostRanker(n_rounds=1, n_leaves=3).fit([[0.0, 3.0], [1.0, 4.0], [1.0, 9.0]], [0, 1, 3])
    >>> print(export_text(ranker.model_.rounds[0][0], ["match", "links"]))
    links < 6.5  (3 rows, gain 28.17)
    |-- yes: match < 0.5  (2 rows, gain 0.5)
    |   |-- yes: -2.66667  (1 row)
    |   '-- no:  -1.66667  (1 row)
    '-- no:  4.33333  (1 row)
    """
    named = tree if isinstance(tree, NamedTree) else NamedTree(tree)
    return str(named if feature_names is None else replace(named, names=feature_names))


def write_lines(places: Sequence[PlacedNode]) -> list[str]:
    """Write the nodes in their places, a line each; those below a cut are indented."""
    lines: list[str] = []
    margins = [""] * len(places)  # of the lines below each node
    seen: set[int] = set()
    for number, place in enumerate(places):
        text = f"{place.heading}  ({', '.join(place.details)})"
        if place.above >= 0:
            is_last = place.above in seen
            seen.add(place.above)
            lead, indent = ("'-- ", "    ") if is_last else ("|-- ", "|   ")
            text = f"{margins[place.above]}{lead}{place.answer + ':':4} {text}"
            margins[number] = margins[place.above] + indent
        lines.append(text)
    return lines
