"""A regression tree in a model file: an object of equally long lists, the fields of `refrank.trees.tree.Tree` (`layout`)."""

from typing import Any

import numpy as np

from refrank.model_file.fields import entry, read_array
from refrank.model_file.layout import TREE_TYPES
from refrank.model_file.paths import check_paths_end
from refrank.trees.tree import Tree


def written_tree(tree: Tree) -> dict[str, list[Any]]:
    """Turn a tree into JSON: one list a field, one entry a node."""
    return {name: getattr(tree, name).tolist() for name in TREE_TYPES}


def read_tree(value: Any, where: str, n_features: int) -> Tree:
    """Read a tree whose every path ends; a fault is a ValueError that names the field, which stands at `where`."""
    if not isinstance(value, dict):
        raise ValueError(f'"{where}" must be an object, a tree')
    columns = {
        name: read_array(entry(value, name, f"{where}."), f'"{where}.{name}"', kind)
        for name, kind in TREE_TYPES.items()
    }
    n_nodes = len(columns["feature"])
    short = next((name for name, column in columns.items() if len(column) != n_nodes or n_nodes == 0), None)
    if short is not None:
        raise ValueError(f'"{where}.{short}" has {len(columns[short])} entries: each node, at least one, needs one')
    check_paths_end(columns, np.array([n_nodes]), n_features, f'"{where}.{{}}"')
    return Tree(**columns)
