"""Cases of single functions, in a folder that needs no Python, and what a port makes of them."""
