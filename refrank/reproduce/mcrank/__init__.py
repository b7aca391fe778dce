"""McRank Sec. 6 and App. II: `table_1` (and Figure 1), `studies` (Figures 2 and 3), `rankers`, `figures`."""
