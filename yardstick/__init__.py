"""The yardstick: where, and by how much, a port departs from refrank.

Rooms; each uses only those above it:

    processes     foreign functions and programs, each in its own process: limits, and an end for all that they start
    planting      catalogues of planted mistakes; those that a port may make, carried out in refrank
    numbers       numbers in JSON, digests of arrays, and the distance between two floats
    traces        a training, stage by stage, in a folder: `refrank trace`
    divergence    two traces of one training, and their first difference: `refrank conform diff`
    kernel        a port of the splitter's functions, case by case: `refrank conform kernel`
    vectors       cases of single functions, as JSON that needs no Python: `refrank vectors`
    scorecard     a port, by all of these: `refrank conform run`
"""
