"""iGBRT Sec. 7: `reproduction` (folds, cells, figures), `runs` (what trains), `tables`, `comparisons`, `printed`."""
