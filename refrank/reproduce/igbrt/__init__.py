"""iGBRT Sec. 7: `reproduction` (folds and cells), `runs` (what trains), `tables`, `figures`, `printed`."""
