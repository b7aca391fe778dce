"""The yardstick: where, and by how much, a port departs from refrank.

Rooms, in the order in which one leans on another:

    processes     programs that are not refrank's, each in a process of its own
    numbers       numbers that leave the program: in JSON, as digests, and how far apart two of them are
    traces        a training, stage by stage, in a folder: `refrank trace`
    divergence    two traces of one training, and the first number that differs: `refrank conform diff`
    kernel        a port of the splitter's functions, case by case: `refrank conform kernel`
    vectors       cases of single functions, as JSON that needs no Python: `refrank vectors`
    scorecard     all of these on one port: `refrank conform run`
    homework      the vectors on a student's function: `refrank check`
"""
