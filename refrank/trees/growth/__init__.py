"""Growing: roots, nodes, cuts, and the order in which trees are grown."""
