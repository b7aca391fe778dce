"""McRank Sec. 6 and App. II: `table_1` and `folds` (Table 1, Figure 1), `studies` (Figures 2 and 3), `printed`."""
