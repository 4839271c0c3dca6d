"""Errors of graphs that run: their messages say at which line of the program a node was added."""

from __future__ import annotations

from typing import Any

from eagerflow.errors import OpError

_HEADER = "Graph execution error:\n\nDetected at node "
_LINES = " defined at (most recent call last):\n"


def add_places(error: BaseException, nodes: list[tuple[str, Any]]) -> None:
    """Adds the program's lines that created nodes to the message of an error.

    Args:
        error: the exception that a node raised; only errors of operations are changed.
        nodes: names of nodes, each with file, line and function or with None: the node that failed,
            then the node that called its graph, and so on outwards.
    """
    if not isinstance(error, OpError):
        return
    locations: list[str] = []
    for _, source in reversed(nodes):
        if source is not None:
            location = '  File "{}", line {}, in {}\n'.format(*source)
            if locations[-1:] != [location]:
                locations.append(location)
    message = error.message
    if message.startswith(_HEADER):  # from a graph that a node called
        first, _, rest = message.partition(_LINES)
        error._message = first + _LINES + "".join(locations) + rest
        return
    name = nodes[0][0]
    error._message = (
        f"{_HEADER}{name}{_LINES}{''.join(locations)}\n{message}\n\t [[{{{{node {name}}}}}]]"
    )
