"""Statements of McRank (Li, Burges, Wu 2007) and the theorem that its Lemma 1 follows."""
