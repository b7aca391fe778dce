"""iGBRT (Mohan, Chen and Weinberger 2011): random forests, GBRT, and boosting that starts from a forest."""
