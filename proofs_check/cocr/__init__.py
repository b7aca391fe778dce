"""Statements of COCR (Ruan, Lin, Tsai 2014) and the reduction that it uses."""
