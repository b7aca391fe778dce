"""The commands of the yardstick; `refrank` finds them by the entry point `refrank.commands`."""

COMMANDS = {
    "trace": (
        "yardstick.commands.trace",
        "record a training stage by stage, or a model on rows, for comparing a port",
    ),
    "step": ("yardstick.commands.step", "write a page that goes through a training step by step"),
    "conform": ("yardstick.commands.conform", "find where a port of refrank departs from it"),
    "vectors": ("yardstick.commands.vectors", "write the vectors that test a port function by function"),
}
