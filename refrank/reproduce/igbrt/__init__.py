"""iGBRT Sec. 7: `reproduction` (folds, cells), `figures`, `runs` (training), `tables`, `comparisons`, `printed`."""
