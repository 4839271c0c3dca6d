"""How many functions of Python a piece of a program calls."""

import sys


def python_calls(run):
    """The number of calls of functions that are written in Python, on this thread."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def calls_each(run, few=4, many=14):
    """How many calls one more of something costs: `run(count)` does it `count` times."""
    run(few), run(few), run(many)  # what is made once is made now
    return (python_calls(lambda: run(many)) - python_calls(lambda: run(few))) / (many - few)
