"""Statements on the losses that are trained: class probabilities, LambdaRank, least squares and softmax boosting."""
