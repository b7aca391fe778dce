"""Cases of single functions, in a folder that needs no Python, and a port's results on them."""
