"""The line that computes what `tf.where` discards, rewritten so that its gradient is finite."""

from __future__ import annotations

import ast

from eagerflow.debug.source_line import Line

_SELECTIONS = ("Select", "SelectV2")


def is_selection(name: str) -> bool:
    """Whether an operation of this name chooses elements by a condition."""
    return name in _SELECTIONS


def rewritten(line: Line | None, branch: int) -> str | None:
    """A call of `tf.where` on a line, as one of `tf.math.where_defined`.

    Args:
        line: the program's line.
        branch: which argument must not be computed everywhere: 1 or 2.

    Returns:
        The new call; None if the line does not show a call whose argument is computed in it.

    >>> from eagerflow.debug.discarded import call_rewritten
    >>> call_rewritten("y = tf.where(x > 0, tf.math.log(x), 0.0)", 1)
    'tf.math.where_defined(x > 0, tf.math.log, x, 0.0)'
    """
    return None if line is None else call_rewritten(line.text(), branch)


def call_rewritten(text: str, branch: int) -> str | None:
    """`rewritten` for the text of a line."""
    call = _where_call(text)
    if call is None:
        return None
    condition, *choices = call
    computed, otherwise = choices[branch - 1], choices[2 - branch]
    if isinstance(computed, ast.Name):
        return None  # computed on another line
    names = _values_in(computed)
    if not names:
        return None
    function = f"lambda {', '.join(names)}: {ast.unparse(computed)}"
    if isinstance(computed, ast.Call) and list(map(ast.unparse, computed.args)) == names[:1]:
        function = ast.unparse(computed.func)
    arguments = names[0] if len(names) == 1 else f"({', '.join(names)})"
    test = ast.unparse(condition)
    if branch == 2:
        test = f"~{test}" if isinstance(condition, ast.Name | ast.Call) else f"~({test})"
    return f"tf.math.where_defined({test}, {function}, {arguments}, {ast.unparse(otherwise)})"


def _where_call(text: str) -> list[ast.expr] | None:
    """The three arguments of the only call of a function named `where` in a line."""
    text = text.strip()
    try:
        tree = ast.parse(f"{text} pass" if text.endswith(":") else text)
    except SyntaxError:
        return None
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "where"
    ]
    if len(calls) != 1 or calls[0].keywords or len(calls[0].args) != 3:
        return None
    return calls[0].args


def _values_in(expression: ast.expr) -> list[str]:
    """The variables that an expression computes with; none if it reads attributes."""
    functions = [node.func for node in ast.walk(expression) if isinstance(node, ast.Call)]
    of_functions = {id(part) for function in functions for part in ast.walk(function)}
    values = [node for node in ast.walk(expression) if id(node) not in of_functions]
    if any(isinstance(node, ast.Attribute) for node in values):
        return []  # of an object that is no tensor
    return list(dict.fromkeys(node.id for node in values if isinstance(node, ast.Name)))
