"""COCR Sec. 5: `reproduction`, `rankers` (what trains), `tables`, `figures`, `proxies`, `printed`."""
