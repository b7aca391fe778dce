"""The tutor: the vectors of the yardstick on what students write.

Rooms; each uses only those above it:

    tasks       the exercises: their cases, skeletons, and the first wrong number: `refrank check`
"""
