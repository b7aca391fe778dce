"""COCR (Ruan, Lin, Tsai 2014): cost-sensitive ordinal classification via regression.

Reading order: `costs` (Eq. 3, 4, 13), what it costs to predict grade k for a document of grade y.
"""
