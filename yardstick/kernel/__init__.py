"""A port of the kernel against the specification: one function at a time, on named cases, in every bit."""
