"""A look inside a ranker that is a sum of trees: the methods that all rankers inherit."""

from collections.abc import Sequence

from sklearn.utils.validation import check_is_fitted

from refrank.arrays import Matrix
from refrank.checks import check_integer
from refrank.inspection.named_tree import NamedTree
from refrank.inspection.sums import TreeSum


class Inspected:
    """A ranker's trees, by number."""

    def tree(self, m: int, k: int = 0, forest: bool = False) -> NamedTree:
        """Return the tree T_{m,k} with the names of the features; `print` writes it.

        Parameters
        ----------
        m : int
            The round, or the number of a forest's tree, from 1.
        k : int, default 0
            The output, from 0: a class, a problem, or the one score.
        forest : bool, default False
            Whether to take a tree of the forest that iGBRT starts from, not one of its boosting.

        Returns
        -------
        NamedTree

        Raises
        ------
        ValueError
            If there is no such tree.
        """
        check_is_fitted(self, "model_")
        sums = self.list_sums()
        if forest and len(sums) < 2:
            raise ValueError(f"forest is True: {type(self).__name__} has one sum of trees, and m counts them all")
        part = sums[0 if forest else -1]
        rounds = part.ensemble.rounds
        check_integer("m", m, 1, len(rounds))
        check_integer("k", k, 0, len(part.ensemble.initial) - 1)
        where = f"tree {m}{' of the forest' if forest else ''}, output {k}, of {type(self).__name__}"
        return NamedTree(rounds[m - 1][k], f"{where}; it adds {part.factor:.6g} times a value", *self._name_columns())

    def list_sums(self) -> tuple[TreeSum, ...]:
        """List the sums of trees that make the outputs; a ValueError says which rankers have none."""
        raise ValueError(f"{type(self).__name__} is not a sum of trees")

    def _name_columns(self) -> tuple[Sequence[str] | None, Matrix | None]:
        """Return the names of the columns that trees cut on, and the substitutes of missing entries, if any."""
        return getattr(self, "feature_names_in_", None), None
