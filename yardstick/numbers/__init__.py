"""Numbers in JSON, digests of arrays, and the distance between two floats."""
