"""The files that exercises begin with: `python -m tests.yardstick.skeletons` writes docs/exercises/ anew."""

from pathlib import Path

from yardstick.homework.tasks import list_tasks, write_skeleton

FOLDER = Path(__file__).parents[2] / "docs" / "exercises"

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, task in list_tasks().items():
        (FOLDER / f"{name}.py").write_text(write_skeleton(task), encoding="utf-8")
