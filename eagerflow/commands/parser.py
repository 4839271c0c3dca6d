"""The options of the command `eagerflow`, from which its help and its completion are made."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Generator

from eagerflow import version

# Options of the interpreter that `eagerflow run` passes on.
_PYTHON_FLAG = re.compile(r"-[bBdEIOPqsSuvx]+|-[WX].+")
SHELLS = ("bash", "fish", "zsh")

_DESCRIPTION = "Runs programs that say `import tensorflow` on eagerflow, unchanged."
_EXAMPLES = """\
`eagerflow script.py` is short for `eagerflow run script.py`, and takes the options of `run` before
the script. What follows the script belongs to the script.

examples:
  eagerflow train.py --epochs 5            run a program with its own arguments
  eagerflow run -m package.module          run a module
  eagerflow run --generation 1.x old.py    run a program of TensorFlow 1
  eagerflow check train.py models/         list what these programs use that is missing
  eagerflow doctor                         print what a bug report needs
  eagerflow shim tensorflow                let pip install what requires TensorFlow
  eagerflow ./check                        run a script that is called like a command

`python -m eagerflow` is the same command. `eagerflow COMMAND --help` describes a command."""
_COMPLETION = """\
to complete the command in every new shell:
  bash    echo 'eval "$(eagerflow completion bash)"' >> ~/.bashrc
  zsh     echo 'eval "$(eagerflow completion zsh)"' >> ~/.zshrc    (after compinit)
  fish    eagerflow completion fish > ~/.config/fish/completions/eagerflow.fish"""

_SHIM = """\
The package has no content: it only has a name and a version. `pip install X` then finds what X requires,
and `pip check` is content. It is refused where TensorFlow itself is installed. Programs run by
`eagerflow run`, as without it.

  eagerflow shim tensorflow
  pip install tensorflow-probability
  eagerflow run program.py
  eagerflow shim --remove tensorflow"""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Lists commands as it lists options, without a line for all of them, which repeats their names."""

    def _iter_indented_subactions(
        self, action: argparse.Action
    ) -> Generator[argparse.Action, None, None]:
        yield from getattr(action, "_get_subactions", tuple)()

    def _format_action(self, action: argparse.Action) -> str:
        text = super()._format_action(action)
        return text.partition("\n")[2] if action.nargs == argparse.PARSER else text


def program() -> str:
    """How the command was called: `eagerflow` or `python -m eagerflow`."""
    name = os.path.basename(sys.argv[0])
    return "python -m eagerflow" if name == "__main__.py" else "eagerflow"


def _version() -> str:
    return (
        f"eagerflow {version.EAGERFLOW_VERSION}, for programs of TensorFlow "
        f"{version.GENERATIONS['2.x']} and {version.GENERATIONS['1.x']}"
    )


def parser() -> argparse.ArgumentParser:
    """The parser of all commands. Those of single commands are its parts.

    >>> from eagerflow.commands import parser
    >>> parser.parser().parse_args(["check", "train.py", "models"]).paths
    ['train.py', 'models']
    """
    name = program()
    whole = argparse.ArgumentParser(
        prog=name,
        usage=f"{name} [run] [options] script.py [arguments]\n"
        f"       {name} [run] [options] -m module [arguments]\n"
        f"       {name} check script.py ...\n"
        f"       {name} doctor",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=_Formatter,
        allow_abbrev=False,
    )
    whole.add_argument("--version", action="version", version=_version(), help="show the versions")
    commands = whole.add_subparsers(title="commands", dest="command", metavar="command")

    def command(word: str, usage: str, help: str, epilog: str = "") -> argparse.ArgumentParser:
        return commands.add_parser(
            word,
            usage=f"{name} {word} {usage}",
            help=help,
            description=f"{help[0].upper()}{help[1:]}.",
            epilog=epilog,
            formatter_class=_Formatter,
            allow_abbrev=False,
        )

    run = command(
        "run",
        "[--generation 1.x|2.x] [--no-keras] script.py|-m module|-c code|- [arguments]",
        "run a script or a module whose `import tensorflow` imports eagerflow",
        "`-` is a script from the standard input. Options of Python, such as -O, -W and -X, are passed on.",
    )
    run.add_argument(
        "--no-keras",
        action="store_true",
        help="leave `import keras` and `import tf_keras` to the packages that are installed",
    )
    run.add_argument("-m", dest="module", metavar="module", help="run a module as a script")
    run.add_argument("-c", dest="code", metavar="code", help="run a text as a program")
    run.add_argument(
        "program",
        nargs=argparse.REMAINDER,
        metavar="script.py",
        help="the script and its arguments",
    )
    check = command(
        "check",
        "[--generation 1.x|2.x] script.py|folder ...",
        "list what programs use that eagerflow lacks, and run nothing",
        "The exit status is 1 if something is missing, and 2 if a file cannot be read.",
    )
    check.add_argument(
        "paths",
        nargs="+",
        metavar="script.py",
        help="scripts, or folders whose scripts are checked",
    )
    shim = command(
        "shim",
        "[--generation 1.x|2.x] [--remove] package[==version] ...",
        "tell pip that this environment has TensorFlow, for packages that require it",
        _SHIM,
    )
    shim.add_argument("--remove", action="store_true", help="take the package out again")
    shim.add_argument(
        "packages",
        nargs="+",
        metavar="package",
        help="tensorflow, tensorflow-cpu, tf-keras or keras, with a version or without",
    )
    written_for = "which TensorFlow the program was written for; else recognised from its text"
    version_of = "of which TensorFlow the package has the version, if none is given"
    for each, meaning in ((run, written_for), (check, written_for), (shim, version_of)):
        each.add_argument("--generation", choices=sorted(version.GENERATIONS), help=meaning)
    doctor = command(
        "doctor",
        "[--json]",
        "print what a bug report needs: versions, processor, devices, extras, environment variables",
    )
    doctor.add_argument("--json", action="store_true", help="print it as JSON")
    completion = command(
        "completion",
        "|".join(SHELLS),
        "print a script that completes this command in a shell",
        _COMPLETION,
    )
    completion.add_argument("shell", choices=SHELLS, help="the shell that the script is for")
    whole._action_groups.sort(key=lambda group: group.title != "commands")  # they come first
    return whole


def subparsers(whole: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands, by their names."""
    (action,) = (action for action in whole._actions if action.nargs == argparse.PARSER)
    return dict(action.choices or {})


def split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and what begins with the script, or follows the module of `-m`.

    >>> from eagerflow.commands import parser
    >>> parser.split(["--generation", "1.x", "old.py", "--steps", "3"])
    (['--generation', '1.x'], ['old.py', '--steps', '3'])
    """
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        if argument in ("-m", "-c"):
            return arguments[: position + 2], arguments[position + 2 :]
        if argument == "--":
            return arguments[: position + 1], arguments[position + 1 :]
        if argument in ("--generation", "-W", "-X"):
            position += 2
        elif argument.startswith("-") and argument != "-":
            position += 1
        else:
            break
    return arguments[:position], arguments[position:]


def python_flags(own: list[str]) -> tuple[list[str], list[str]]:
    """Python's options among our own, and the others.

    >>> from eagerflow.commands import parser
    >>> parser.python_flags(["-O", "-W", "error", "--no-keras", "-Xdev"])
    (['-O', '-W', 'error', '-Xdev'], ['--no-keras'])
    """
    flags: list[str] = []
    others: list[str] = []
    rest = iter(own)
    for option in rest:
        if option in ("-m", "-c"):
            return flags, [*others, option, *rest]
        if option in ("-W", "-X"):
            flags += [option, next(rest, "")]
        elif _PYTHON_FLAG.fullmatch(option):
            flags.append(option)
        else:
            others.append(option)
    return flags, others
