"""The functions of a page of Python, called in a process of their own: `python -m ... PAGE`.

Each line on its stdin is a call, and each line on its stdout the answer to it; calls.py is the other side.

    {"table": "FUNCTIONS", "name": "ndcg", "arguments": ..., "named": ...}     messages.py
    {"value": ...}, or {"fault": ["ZeroDivisionError", "division by zero"]}

What the page prints goes to stderr.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from refrank.checks import print_text
from yardstick.scorecard.adapter_child import read_page
from yardstick.scorecard.messages import pack, unpack


def answer(page: Mapping[str, Any], call: Mapping[str, Any]) -> dict[str, Any]:
    """Call a function of a page; return its answer as a message."""
    try:
        function = page[call["table"]][call["name"]]
        return {"value": pack(function(*unpack(call["arguments"]), **unpack(call["named"])))}
    except (Exception, SystemExit) as fault:
        return {"fault": [type(fault).__name__, print_text(str(fault), 300)]}


def main(source: str) -> None:
    """Answer calls until there are no more."""
    with open(os.dup(0), encoding="ascii") as calls, open(os.dup(1), "w", encoding="ascii") as answers:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        page = read_page(source)
        for call in calls:
            print(json.dumps(answer(page, json.loads(call))), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
