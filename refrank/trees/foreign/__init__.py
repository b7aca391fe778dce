"""Splitters from elsewhere: a shared library in the place of the kernel."""
