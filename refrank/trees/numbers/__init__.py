"""Numbers of the contract: grids, draws, exp and softmax."""
