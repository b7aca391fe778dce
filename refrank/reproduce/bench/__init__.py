"""A bench: rankers of refrank and of other tools over the folds of a collection, each tuned with the same budget.

Reading order: `plan` (what the figures depend on), `search` (the configurations), `systems` and `peers` (how one is
trained), `run` (every configuration on every fold, in cells), `result` (the values of each query), `comparisons` (all
pairs of systems, and what the queries resolve), `rows` (cells and sentences of the tables), `tables`, `csv_files`,
`latex`, `page` and `drawings` (the files), `report` (all of them), `record` (the same again, to the bit).
"""
