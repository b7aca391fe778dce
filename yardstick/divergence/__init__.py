"""Two traces of one training: the first number that differs, and its consequences."""
