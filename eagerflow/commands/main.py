"""What the command `eagerflow` does."""

from __future__ import annotations

import difflib
import importlib
import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from types import ModuleType

from eagerflow.commands.parser import parser, python_flags, split, subparsers
from eagerflow.util import lazy, own_code

completion = lazy.Module("eagerflow.commands.completion")
doctor = lazy.Module("eagerflow.commands.doctor")


def main(arguments: list[str] | None = None) -> int:
    """Runs a command, and returns the exit status.

    Args:
        arguments: those of the command line by default.

    Raises:
        SystemExit: after `--help`, `--version` and arguments that are not understood; and as the
            program does.

    >>> from eagerflow.commands.main import main
    >>> main(["doctor"])  # doctest: +ELLIPSIS
    eagerflow ...
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    whole = parser()
    commands = subparsers(whole)
    if not arguments:
        whole.print_help(sys.stderr)
        return 2
    command, *rest = _with_command(arguments, list(commands))
    if command not in commands:
        whole.parse_args([command, *rest])  # shows the help or the version, and exits
    if command == "run":
        return _run(commands[command], rest)
    options = commands[command].parse_args(rest)
    try:
        status = 0
        if command == "check":
            status = int(
                _neighbor("eagerflow check", "check").main(options.paths, options.generation)
            )
        elif command == "shim":
            shim = _neighbor("eagerflow shim", "shim")
            status = int(shim.main(options.packages, options.generation, options.remove))
        elif command == "completion":
            print(completion.script(options.shell, whole), end="")
        else:
            report = doctor.report()
            print(json.dumps(report, indent=2) if options.json else doctor.as_text(report))
        sys.stdout.flush()
    except BrokenPipeError:  # `head`, for one, ends before it has read everything
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _with_command(arguments: list[str], commands: list[str]) -> list[str]:
    """The arguments with a command first, which they may leave out or have behind its options."""
    own, program = split(arguments)
    is_command = bool(program) and program[0] in commands and not {"-c", "-m", "--"} & set(own)
    if is_command:
        return [program[0], *own, *program[1:]]
    shown = [option for option in own if option in ("-h", "--help", "--version")]
    if shown:
        return shown
    if "--check" in own:
        return ["check", *(option for option in own if option != "--check"), *program]
    return ["run", *arguments]


def _run(command: ArgumentParser, arguments: list[str]) -> int:
    own, program = split(arguments)
    flags, own = python_flags(own)
    if flags:
        return _with_python_flags(flags, [*own, *program])
    options = command.parse_args([option for option in own if option != "--"])
    if options.module is None and options.code is None:
        if not program:
            command.error("name a script, or a module with -m")
        near = difflib.get_close_matches(program[0], subparsers(parser()), 1)
        if near and not os.path.exists(program[0]):
            command.error(f"there is no file {program[0]}; did you mean `eagerflow {near[0]}`?")
    run = _neighbor("eagerflow run", "run").run
    keras = not options.no_keras
    return int(run(options.module, program, options.generation, keras, options.code))


def _with_python_flags(flags: list[str], arguments: list[str]) -> int:
    """Runs a program in a Python with these flags, which one cannot set later."""
    line = [sys.executable, *flags, "-m", "eagerflow", *arguments]
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(sys.executable, line)
    return subprocess.call(line)


def _neighbor(command: str, module: str) -> ModuleType:
    """A module next door that does a command's work."""
    if not own_code.is_installed():
        sys.exit(own_code.absent(command))
    return importlib.import_module(f"{own_code.NEIGHBOR}.dropin.{module}")
