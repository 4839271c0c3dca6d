"""How many functions of Python a piece of a program calls."""

import gc
import sys


def python_calls(run):
    """The number of calls of functions that are written in Python, on this thread."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    gc.collect()
    gc.disable()  # what a collection calls is not the program's
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def calls_each(run, few=4, many=14):
    """How many calls one more of something costs: `run(count)` does it `count` times."""
    run(few), run(few), run(many)  # what is made once is made now
    return min(
        (python_calls(lambda: run(many)) - python_calls(lambda: run(few))) / (many - few)
        for _ in range(3)  # others' finalizers may call some, too
    )
