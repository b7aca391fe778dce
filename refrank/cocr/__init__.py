"""COCR (Ruan, Lin and Tsai 2014): cost-sensitive ordinal classification via regression."""
