"""COCR Sec. 5: `rankers` (training), `tables`, `figures`, `claims`."""
