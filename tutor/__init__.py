"""The tutor: the vectors of the yardstick on what students write.

Rooms; each uses only those above it:

    tasks       the exercises: their cases and skeletons
    answers     the key: right solutions, and known faults
    steps       the steps of an exercise
    variants    cases that are a student's own
    diagnosis   what gives a wrong number: a fault, another convention, a factor
    checking    a student's function: `refrank check`
    reporting   its report in words, with hints, and as JSON
    grading     a class: `refrank grade`
    exports     nbgrader and otter-grader: `refrank exercise`
"""
