"""A training as one page: the records of a trace, and a script that shows them step by step.

`port/` has the algorithms in JavaScript, with the names of the Python functions; `view/` draws the page.
"""
