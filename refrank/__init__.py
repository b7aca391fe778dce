"""refrank: McRank, iGBRT and COCR, each beside its paper."""
