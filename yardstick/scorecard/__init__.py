"""A port, asked for trainings and for single functions, and its card."""
