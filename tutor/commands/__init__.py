"""The commands of the tutor; `refrank` finds them by the entry point `refrank.commands`."""

COMMANDS = {
    "check": ("tutor.commands.check", "check the function of an exercise, and name its first wrong number"),
}
