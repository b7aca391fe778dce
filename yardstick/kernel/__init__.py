"""A port of the kernel against the specification: function by function, on named cases, bit for bit."""
