"""Scripts by which shells complete the command `eagerflow`, made from its parser."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterable

from eagerflow.commands.parser import subparsers

# What stands in for a command where none has been written yet.
_NONE = "none"

# Finds out which command is completed; nothing is offered behind a script that runs.
_BASH = """\
_eagerflow() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=none i
    local IFS=$'\\n' words=
    for ((i = 1; i < COMP_CWORD; i++)); do
        case $command:${{COMP_WORDS[i]}} in
            {valued}) ((i++)) ;;
            *:-*) ;;
            {first}) command=${{COMP_WORDS[i]}} ;;
            none:*|run:*) return ;;
        esac
    done
    case $previous in
{values}
    esac
    if [[ -z $words ]]; then
        case $command:$current in
{words}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    if [[ $command == none && $current != -* ]]; then
        compopt -o filenames
        COMPREPLY+=($(compgen -f -- "$current"))
    fi
}}
complete -o default -F _eagerflow eagerflow
"""
_ZSH = """\
#compdef eagerflow
_eagerflow() {{
    local command=none i
    local -a offered
    for ((i = 2; i < CURRENT; i++)); do
        case $command:$words[i] in
            {valued}) ((i++)) ;;
            *:-*) ;;
            {first}) command=$words[i] ;;
            none:*|run:*) _files; return ;;
        esac
    done
    case $words[CURRENT-1] in
{values}
    esac
    if (($#offered == 0)); then
        case $command:$words[CURRENT] in
{words}
        esac
    fi
    (($#offered)) && _describe eagerflow offered
    [[ $words[CURRENT] == -* ]] || _files
}}
compdef _eagerflow eagerflow
"""
_FISH = """\
function __eagerflow_at
    set -l command none
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $command:$words[1]
            case {valued}
                set -e words[1]
            case '*:-*'
            case {first}
                set command $words[1]
            case 'none:*' 'run:*'
                return 1
        end
        set -e words[1]
    end
    contains $command $argv
end
{lines}
"""


def script(shell: str, whole: argparse.ArgumentParser) -> str:
    """A script that completes the commands, the options and their values in a shell.

    Args:
        shell: "bash", "fish" or "zsh".
        whole: the parser.

    >>> from eagerflow.commands import completion, parser
    >>> "complete -o default -F _eagerflow eagerflow" in completion.script("bash", parser.parser())
    True
    """
    commands = subparsers(whole)
    # Without a command, the options are those of `run` and of all commands together.
    offered = {_NONE: [*whole._actions, *commands["run"]._actions]}
    offered |= {name: list(command._actions) for name, command in commands.items()}
    actions = [action for each in offered.values() for action in each]
    valued = {flag for each in actions if each.nargs is None for flag in each.option_strings}
    choices = {
        flag: list(map(str, each.choices))
        for each in actions
        if each.choices
        for flag in each.option_strings
    }
    helps = {action.dest: action.help or "" for action in _parts(whole)}
    if shell == "fish":
        return _fish(offered, valued, helps)
    form, line = (_BASH, _bash_line) if shell == "bash" else (_ZSH, _zsh_line)
    values = [f"        {flag}) {line(dict.fromkeys(of, ''))} ;;" for flag, of in choices.items()]
    words = [
        f"            {name}:{start}) {line(_words(of, helps, start == '-*'))} ;;"
        for name, of in offered.items()
        for start in ("-*", "*")
    ]
    return form.format(
        valued="|".join(f"*:{flag}" for flag in sorted(valued)),
        first="|".join(f"none:{name}" for name in commands),
        values="\n".join(values),
        words="\n".join(words),
    )


def _parts(whole: argparse.ArgumentParser) -> Iterable[argparse.Action]:
    """What the help of the parser lists as commands."""
    (action,) = (action for action in whole._actions if action.nargs == argparse.PARSER)
    return action._get_subactions()  # type: ignore[attr-defined]


def _words(
    actions: Iterable[argparse.Action], helps: dict[str, str], are_options: bool
) -> dict[str, str]:
    """What can be written next, with what it does: options, or commands and arguments."""
    if are_options:
        return {flag: each.help or "" for each in actions for flag in each.option_strings}
    return {
        str(word): helps.get(word, "")
        for each in actions
        if each.choices and not each.option_strings
        for word in each.choices
    }


def _bash_line(words: dict[str, str]) -> str:
    return f"words={shlex.quote(chr(10).join(words))}"


def _zsh_line(words: dict[str, str]) -> str:
    listed = (f"{word}:{text}" if text else word for word, text in words.items())
    return f"offered=({' '.join(map(shlex.quote, listed))})"


def _fish(
    offered: dict[str, list[argparse.Action]], valued: set[str], helps: dict[str, str]
) -> str:
    quote: Callable[[str], str] = lambda text: "'" + text.replace("'", "\\'") + "'"  # noqa: E731
    lines = []
    for name, actions in offered.items():
        start = f"complete -c eagerflow -n '__eagerflow_at {name}'"
        for word, text in _words(actions, helps, are_options=False).items():
            lines.append(f"{start} -a {word} -d {quote(text)}")
        for action in actions:
            flags = [
                f"-l {flag[2:]}" if flag[:2] == "--" else f"-s {flag[1:]}"
                for flag in action.option_strings
            ]
            if flags:
                values = f" -x -a {quote(' '.join(action.choices))}" if action.choices else ""
                needs = " -r" if valued.intersection(action.option_strings) and not values else ""
                lines.append(
                    f"{start} {' '.join(flags)}{values}{needs} -d {quote(action.help or '')}"
                )
    return _FISH.format(
        valued=" ".join(f"'*:{flag}'" for flag in sorted(valued)),
        first=" ".join(f"none:{name}" for name in offered if name != _NONE),
        lines="\n".join(lines),
    )
