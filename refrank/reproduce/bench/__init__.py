"""A bench: rankers of refrank and of other tools over the folds of a collection, each tuned with the same budget."""
