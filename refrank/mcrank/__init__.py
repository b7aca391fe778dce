"""McRank (Li, Burges and Wu 2007): learning to rank by classification and boosted trees."""
