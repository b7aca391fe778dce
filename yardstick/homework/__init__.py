"""The vectors on a student's function, with the line of the paper that it implements."""
