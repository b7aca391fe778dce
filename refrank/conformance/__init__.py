"""The yardstick: where, and by how much, a port departs from refrank."""
