"""Running a program as `__main__` with `tensorflow` answered by eagerflow."""

from __future__ import annotations

import argparse
import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from eagerflow import version
from eagerflow.framework import context
from eagerflow.util import lazy, tracebacks
from eagerflow_compat.dropin import install, recognise

check = lazy.Module("eagerflow_compat.dropin.check")

_USAGE = (
    "python -m eagerflow [--generation 1.x|2.x] [--no-keras] [-m module | script.py] args...\n"
    "       python -m eagerflow --check [--generation 1.x|2.x] script.py..."
)
_VERSION = (
    f"eagerflow {version.EAGERFLOW_VERSION}, for programs of TensorFlow {install.VERSIONS['2.x']} "
    f"and {install.VERSIONS['1.x']}"
)


def main(arguments: list[str] | None = None) -> int:
    """What `python -m eagerflow` does; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m eagerflow",
        usage=_USAGE,
        description="Runs a TensorFlow program on eagerflow.",
    )
    parser.add_argument(
        "--generation",
        choices=sorted(install.VERSIONS),
        help="which TensorFlow the program was written for; else recognised from its text",
    )
    parser.add_argument(
        "--no-keras",
        action="store_true",
        help="leave `import keras` and `import tf_keras` to the packages that are installed",
    )
    parser.add_argument("--version", action="version", version=_VERSION)
    parser.add_argument(
        "--check",
        action="store_true",
        help="list what scripts, or those in folders, use that is missing here, and run nothing",
    )
    parser.add_argument("-m", dest="module", metavar="module", help="run a module as a script")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="the script and its arguments")
    own, program = _split(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(own)
    if options.module is None and not program:
        parser.error("name a script, or a module with -m")
    if options.check:
        if options.module is not None:
            parser.error("--check takes scripts and folders")
        return check.main(program, options.generation)
    return _run(options.module, program, options.generation, not options.no_keras)


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and what belongs to the program."""
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        if argument == "-m":
            return arguments[: position + 2], arguments[position + 2 :]
        if argument == "--generation":
            position += 2
        elif argument.startswith("-") and argument != "-":
            position += 1
        else:
            break
    return arguments[:position], arguments[position:]


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


def _run(module: str | None, arguments: list[str], generation: str | None, keras: bool) -> int:
    if module is None:
        origin, folder = arguments[0], str(Path(arguments[0]).resolve().parent)
        sys.path[0] = folder
        argv = arguments
    else:
        sys.path[0] = folder = str(Path.cwd())
        spec = _spec(module)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = _spec(f"{module}.__main__")
        if spec is None or spec.origin is None:
            print(f"python -m eagerflow: there is no module named {module}", file=sys.stderr)
            return 1
        origin = spec.origin
        argv = [origin, *arguments]
    try:
        text = Path(origin).read_bytes()
    except OSError as error:
        print(f"python -m eagerflow: cannot read {origin}: {error.strerror}", file=sys.stderr)
        return 2
    try:
        code = compile(text, origin, "exec", dont_inherit=True)
    except SyntaxError as error:
        sys.excepthook(type(error), error.with_traceback(None), None)
        return 1
    chosen = generation is not None
    if generation is None:
        source = text.decode("utf-8", errors="replace")
        generation, doubt = recognise.judge(source, Path(folder), Path(origin).name)
        if doubt is not None:
            print(f"python -m eagerflow: {Path(origin).name} is {doubt}", file=sys.stderr)
    install.install_as_tensorflow(generation, keras)
    main_module = ModuleType("__main__")
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
        return 1
    _say_what_was_not_run(Path(origin).name, generation, chosen)
    return 0


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
        f"python -m eagerflow: {program} has built a graph of {len(operations)} operations, and no "
        f"session has run any: nothing was computed.{how} To compute, {advice}.",
        file=sys.stderr,
    )
