"""Statements on training losses: class probabilities, LambdaRank, least squares and softmax boosting."""
