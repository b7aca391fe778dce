"""Reader of RankLib's ensembles: MART, LambdaMART, and random forests, which are several ensembles in a file.

    in the file                  in refrank
    feature f, from 1            feature f - 1
    x <= threshold goes left     x < cut, cut the next float32 above the threshold: the same, for every float32 x
    output, weight of its tree   a leaf holds their product, which float64 holds exactly
    a feature that a row lacks   0
    several ensembles            a forest: the mean of their sums
    comments "## feature f = "   names of features, as refrank writes them

RankLib reads features and numbers in float32. It adds the trees of an ensemble in float32, and the ensembles of a
forest in float64, as refrank adds all: so the scores of a forest of one tree per ensemble are equal in every bit, and
others within the bound of additions in float32. The file does not say how many features there are.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from refrank.estimators.imported import ImportedRanker
from refrank.models.exchange.foreign_trees import NAMES, ForeignTree, make_ranker
from refrank.models.foreign_bytes import refuse, require
from refrank.trees.model.tree import LEAF

TAG = re.compile(r"<(/?)([a-z]+)([^<>]*)>([^<]*)")
WEIGHT = re.compile(r"""(?: id="[0-9]{1,9}")? weight="([^"]*)\"""")
SIDES = ' pos="left"', ' pos="right"'
NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]{1,3})?|Infinity)")
INDEX = re.compile(r"[1-9][0-9]{0,8}")
NAME = re.compile(r"## feature ([0-9]{1,9}) = (.*)")
MOST_DIGITS = 60  # characters of a number; Java writes at most 24
WITHIN = {"ensemble": ("",), "tree": ("ensemble",), "split": ("tree", "split")}  # tag -> where it stands
WITHIN |= dict.fromkeys(("feature", "threshold", "output"), ("split",))
BLANK = "ensemble", "tree", "split"  # tags that no text follows


class Tag(NamedTuple):
    """A tag, and the text after it."""

    line: int
    ends: bool
    name: str
    attributes: str
    text: str


class FileSplit(NamedTuple):
    """A split of a file: its number in the tree, its parts by their tags, and the numbers of its splits."""

    number: int
    parts: dict[str, float]
    children: list[int]


def read(content: bytes, n_features: int | None = None) -> ImportedRanker:
    """Read a model of n_features features; None: as many as are named, and at least the highest that is cut.

    Raises a ValueError, which names the line, if the text is not a model.
    """
    lines = str(content, "utf-8").splitlines()
    named = {int(hit[1]): hit[2] for hit in map(NAME.fullmatch, lines) if hit is not None}
    places = range(1, len(named) + 1)
    names = [named[f] for f in places] if {*named} == {*places} else []
    ensembles = list(read_ensembles(list_tags(lines)))
    trees = [tree for held in ensembles for tree in held]
    highest = 1 + max((int(tree.feature.max()) for tree in trees), default=0)
    averages = 1 < len(ensembles) == len(trees)
    for tree in trees if len(ensembles) > 1 else ():
        tree.value[:] = tree.value.astype(np.float32) if averages else tree.value / len(ensembles)
    width = max(1, highest, len(names)) if n_features is None else n_features
    return make_ranker([[tree] for tree in trees], width, "ranklib", (0.0,), averages, names)


def list_tags(lines: list[str]) -> Iterator[Tag]:
    """List the tags of all lines that are not comments; a text ends with its line."""
    for number, line in enumerate(lines, start=1):
        text = "" if line.startswith("#") else line.strip()
        place = 0
        while place < len(text):
            hit = TAG.match(text, place)
            if hit is None or hit[2] not in WITHIN:
                refuse(f"line {number}", text[place : place + 40], f"one of the tags {', '.join(WITHIN)}")
            place = hit.end()
            yield Tag(number, hit[1] == "/", hit[2], hit[3].rstrip(), hit[4].strip())


def read_ensembles(tags: Iterator[Tag]) -> Iterator[list[ForeignTree]]:
    """Read the trees of each ensemble."""
    waiting, trees = [""], list[ForeignTree]()  # tags that have not ended
    nodes, path, weight = list[FileSplit](), list[FileSplit](), np.float32(1)  # of the tree; those that have not ended
    for tag in tags:
        place = f"line {tag.line}: "
        if tag.ends:
            require(waiting.pop() == tag.name, f"{place}</{tag.name}> ends what has not begun, or not last")
        else:
            require(waiting[-1] in WITHIN[tag.name], f"{place}<{tag.name}> stands within <{waiting[-1]}>")
            waiting.append(tag.name)
        require(not tag.text or (tag.name not in BLANK and not tag.ends), f"{place}a text follows {tag.name}")
        match tag.ends, tag.name:
            case False, "tree":
                hit = WEIGHT.fullmatch(tag.attributes)
                require(hit is not None, f"{place}a tree must have a weight")
                nodes, weight = [], read_float32(hit[1] if hit else "", f"{place}weight")
            case False, "split":
                add_node(tag, nodes, path, place)
            case False, "feature" | "threshold" | "output":
                parts = path[-1].parts
                require(tag.name not in parts and not path[-1].children, f"{place}{tag.name} is given twice, or late")
                if tag.name == "feature":
                    require(INDEX.fullmatch(tag.text), f"{place}feature is {tag.text[:40]!r}: it must be at least 1")
                parts[tag.name] = (
                    float(read_float32(tag.text, place + tag.name)) if tag.name != "feature" else int(tag.text)
                )
            case True, "split":
                node = path.pop()
                is_whole = {*node.parts} == ({"feature", "threshold"} if node.children else {"output"})
                rule = "a split must have an output, or a feature, a threshold and two splits"
                require(is_whole and len(node.children) in (0, 2), f"{place}{rule}")
            case True, "tree":
                require(nodes, f"{place}a tree must have a split")
                trees.append(make_tree(nodes, weight))
            case True, "ensemble":
                yield trees
                trees = []
    require(waiting == [""], f"it ends within <{waiting[-1]}>")


def add_node(tag: Tag, nodes: list[FileSplit], path: list[FileSplit], place: str) -> None:
    """Add a node: the root, or a child of the node that has not ended, left before right."""
    node = FileSplit(len(nodes), {}, [])
    if path:
        n_before = len(path[-1].children)
        is_next = n_before < 2 and tag.attributes == SIDES[n_before]
        require(is_next, f"{place}a split must have two splits, of pos left and right, in this order")
        path[-1].children.append(node.number)
    else:
        require(not nodes and not tag.attributes, f"{place}a tree must have one split, without pos")
    nodes.append(node)
    path.append(node)


def make_tree(nodes: list[FileSplit], weight: np.float32) -> ForeignTree:
    """Make the tree of the nodes of a file."""
    feature = np.array([int(node.parts.get("feature", LEAF + 1)) - 1 for node in nodes])
    threshold = np.array([node.parts.get("threshold", 0.0) for node in nodes], np.float32)
    output = np.array([node.parts.get("output", 0.0) for node in nodes])
    children = np.array([node.children or (0, 0) for node in nodes])
    none = np.zeros(len(nodes))
    with np.errstate(over="ignore"):  # above the largest float32 is inf
        cut = np.nextafter(threshold, np.float32(np.inf)).astype(np.float64)
    rule = np.full(len(nodes), NAMES.index("nan is zero"))
    value = output * np.float64(weight)
    return ForeignTree(feature, rule, cut, children[:, 0], children[:, 1], value, none, none.astype(np.int64))


def read_float32(text: str, where: str) -> np.float32:
    """Read a number as Java does: the float32 next to its decimals, not to the float64 next to them.

    >>> read_float32("1.000000059604644775390626", "x"), float("1.000000059604644775390626") == 1 + 2**-24
    (np.float32(1.0000001), True)
    """
    if not NUMBER.fullmatch(text) or len(text) > MOST_DIGITS:
        refuse(where, text, "a number")
    number = np.float64(text.replace("Infinity", "inf"))
    if np.isfinite(number) and number.view(np.int64) % 2 == 0:  # it may lie midway between two float32
        exact = Fraction(text)
        if exact != Fraction(float(number)):
            number = np.nextafter(number, np.inf if exact > Fraction(float(number)) else -np.inf)
    with np.errstate(over="ignore"):
        return np.float32(number)
