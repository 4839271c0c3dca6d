"""Running a program as `__main__` with `tensorflow` answered by eagerflow."""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import re
import sys
import traceback
from pathlib import Path
from types import ModuleType

from eagerflow.framework import context
from eagerflow.protos import schema
from eagerflow.util import tracebacks
from eagerflow_compat.dropin import generations, install, recognise
from eagerflow_compat.dropin.children import eagerflow_answers
from eagerflow_compat.dropin.reading import Reading

_KERAS_VERSION = re.compile(r"[Kk]eras\W{0,4}(version )?(\W{0,3})[23](\.|\b)")


def _spec(module: str) -> importlib.machinery.ModuleSpec | None:
    """Where a module is. Packages around it, which may import TensorFlow, are not imported yet."""
    parts = module.split(".")
    spec = importlib.util.find_spec(parts[0])
    for end in range(2, len(parts) + 1):
        if spec is None or spec.submodule_search_locations is None:
            return None
        places = list(spec.submodule_search_locations)
        spec = importlib.machinery.PathFinder.find_spec(".".join(parts[:end]), places)
    return spec


def run(
    module: str | None,
    arguments: list[str],
    generation: str | None,
    keras: bool,
    command: str | None = None,
) -> int:
    """Runs a program; returns the exit status.

    Args:
        module: the name of a module; None runs the script that the first argument names.
        arguments: the program's, with the script first if one runs; "-" is the standard input.
        generation: "1.x" or "2.x"; None recognises it from the program's text.
        keras: whether `import keras` imports eagerflow's, too.
        command: the program itself as a text, in place of a script.
    """
    text: bytes | None = None
    if command is not None or (module is None and arguments[0] == "-"):
        sys.path[0], folder = "", str(Path.cwd())
        text = command.encode() if command is not None else sys.stdin.buffer.read()
        origin = "<stdin>" if command is None else "<string>"
        argv = arguments if command is None else ["-c", *arguments]
    elif module is None:
        origin, folder = arguments[0], str(Path(arguments[0]).resolve().parent)
        sys.path[0] = folder
        argv = arguments
    else:
        sys.path[0] = folder = str(Path.cwd())
        spec = _spec(module)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = _spec(f"{module}.__main__")
        if spec is None or spec.origin is None:
            print(f"eagerflow: there is no module named {module}", file=sys.stderr)
            return 1
        origin = spec.origin
        argv = [origin, *arguments]
    try:
        text = Path(origin).read_bytes() if text is None else text
    except OSError as error:
        print(f"eagerflow: cannot read {origin}: {error.strerror}", file=sys.stderr)
        return 2
    try:
        code = compile(text, origin, "exec", dont_inherit=True)
    except SyntaxError as error:
        sys.excepthook(type(error), error.with_traceback(None), None)
        return 1
    schema.use_default_pool()  # The program is read first, and messages may be made for that.
    chosen = generation is not None
    source = text.decode("utf-8", errors="replace")
    package = (spec.parent or "") if module is not None and spec else ""
    if generation is None:
        verdict = recognise.judge(source, Path(folder), Path(origin).name, package)
        generation = verdict.generation
        if verdict.doubt is not None:
            print(f"eagerflow: {Path(origin).name} is {verdict.doubt}", file=sys.stderr)
    install.install_as_tensorflow(generation, keras)
    eagerflow_answers.inherit(generation, keras)
    main_module = ModuleType("__main__")
    if not origin.startswith("<"):
        main_module.__file__ = origin
    main_module.__builtins__ = __builtins__  # type: ignore[attr-defined]
    if module is not None:
        main_module.__package__ = spec.parent if spec else None
        main_module.__spec__ = spec
    sys.modules["__main__"] = main_module
    sys.argv = argv
    try:
        exec(code, main_module.__dict__)
    except SystemExit as ending:
        if not ending.code:
            _say_what_was_not_run(Path(origin).name, generation, chosen)
        raise
    except BaseException as error:
        tracebacks.keep_program(error, origin)
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            # It has been printed. Python ends by the signal, so that shells end their loops.
            sys.excepthook = lambda *_: None
            raise
        if keras:
            _say_other_keras(error, generation)
        if "--generation" not in str(error):
            with contextlib.suppress(RecursionError):
                name = Path(origin).name
                this, other = (
                    Reading(source, each, Path(folder), name, package)
                    for each in (generation, generations.other(generation))
                )
                _say_other_generation(error, this, other, name)
        return 1
    _say_what_was_not_run(Path(origin).name, generation, chosen)
    return 0


def _say_other_keras(error: BaseException, generation: str) -> None:
    """Says which Keras a program got and how to get another, if an error is about Keras's version."""
    given = generations.keras_version("keras", generation)
    text = str(error)
    if "keras" not in text.lower() or (given not in text and not _KERAS_VERSION.search(text)):
        return
    print(
        f"eagerflow: `import keras` gave eagerflow's, which says that it is Keras {given}. With "
        f"KERAS_BACKEND=tensorflow it says {generations.KERAS_3}, with {generations.LEGACY_KERAS}=1 "
        f"{generations.KERAS_VERSIONS['2.x']}. --no-keras leaves `import keras` to the package that is "
        "installed.",
        file=sys.stderr,
    )


def _say_other_generation(
    error: BaseException, reading: Reading, other: Reading, program: str
) -> None:
    """Says how the program runs under the other generation, if an error comes from this one.

    It does where a line of the traceback has something that fits the other generation alone, and where
    the error is about eager execution, which one generation starts with.
    """
    lines = {
        (Path(frame.filename).name, frame.lineno)
        for frame in traceback.extract_tb(error.__traceback__)
    }
    only_here = (p for p in reading.problems if p not in other.problems)
    found = next((p for p in only_here if (p.file, p.line) in lines), None)
    if found is None and "eager execution" not in str(error):
        return
    first, second = reading.generation, other.generation
    what = f"{program} ran as a program of"
    if found is not None:
        what = f"{found.name} ({found.file}:{found.line}) does not fit"
    print(
        f"eagerflow: {what} {generations.NAMES[first]}. If {program} was written for "
        f"{generations.NAMES[second]}, run it with --generation {second}.",
        file=sys.stderr,
    )


def _say_what_was_not_run(program: str, generation: str, chosen: bool) -> None:
    """Says that a program has built a graph and run nothing of it, if it has."""
    process = context.process
    if process.eager or process.graphs_run or process.default_graph is None:
        return
    operations = process.default_graph.get_operations()
    if not operations:
        return
    how = "" if chosen else f" It was taken for a program of TensorFlow {generation[0]}."
    advice = "call tf.enable_eager_execution() first, or run parts of the graph by tf.Session"
    if generation == "1.x":
        advice += "; a program of TensorFlow 2 runs with --generation 2.x"
    print(
        f"eagerflow: {program} has built a graph of {len(operations)} operations, and no "
        f"session has run any: nothing was computed.{how} To compute, {advice}.",
        file=sys.stderr,
    )
