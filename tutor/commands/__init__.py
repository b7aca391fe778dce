"""The commands of the tutor; `refrank` finds them by the entry point `refrank.commands`."""

COMMANDS = {
    "check": ("tutor.commands.check", "check the function of an exercise, and name its first wrong number"),
    "grade": ("tutor.commands.grade", "check the exercises of a class, a row per student"),
    "exercise": ("tutor.commands.exercise", "write an exercise for nbgrader or otter-grader"),
}
