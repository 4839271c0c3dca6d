"""How many Python functions a piece of a program calls."""

import gc
import sys


def python_calls(run):
    """The number of calls of Python functions, on this thread."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    gc.collect()
    gc.disable()  # calls of a collection are not the program's
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def calls_each(run, few=4, many=14):
    """How many calls one repetition costs; `run(count)` repeats something `count` times."""
    run(few), run(few), run(many)  # fills the caches
    return min(
        (python_calls(lambda: run(many)) - python_calls(lambda: run(few))) / (many - few)
        for _ in range(3)  # finalizers of other objects may also call functions
    )
