"""COCR (Ruan, Lin and Tsai 2014): cost-sensitive ordinal classification via regression.

Reading order: `costs` (Eq. 3, 4, 13), `user_costs` (user-defined costs), `reduction` (Eq. 1 and 5, Algorithm 1),
`rankers` (Eq. 2 and 6), `m5p` (model trees, a base learner of Sec. 5.2).
"""
