"""COCR Sec. 5: `rankers` (what trains), `tables`, `figures`."""
