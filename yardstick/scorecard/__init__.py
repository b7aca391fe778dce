"""A port's trainings and single functions, and its scorecard."""
