"""Two traces of one training: the first number that differs, and what follows from it."""
