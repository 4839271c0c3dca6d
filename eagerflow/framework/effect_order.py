"""Which operations of a function follow which because of the variables and other state that they share."""

from __future__ import annotations

from typing import Any


class EffectOrder:
    """The nodes of a function's graph that have effects or read variables, and what each follows.

    What changes a variable follows the nodes that read it since the last change, and that change; a
    node that reads it follows the last change. Effects on nothing that is known, such as messages,
    follow one another.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Any) -> None:
        # By the ids of nodes: the ids of those that they follow directly.
        self.before: dict[int, list[int]] = {}
        changed: dict[int, int] = {}
        read: dict[int, list[int]] = {}
        for node in graph.nodes:
            used = {id(variable) for variable in _used_by(node)}
            if node.has_effects:
                found: list[int] = []
                for key in used or {0}:
                    found += read.pop(key, [])
                    if key in changed:
                        found.append(changed[key])
                    changed[key] = node.id
                self.before[node.id] = sorted(set(found))
            elif used:
                self.before[node.id] = sorted({changed[key] for key in used & changed.keys()})
                for key in used:
                    read.setdefault(key, []).append(node.id)


def _used_by(node: Any) -> list[Any]:
    """The variables that a node, or a graph that it runs, reads or changes."""
    inside = [variable for callee in node.callees for variable in callee._used_variables()]
    return [*node.variables, *inside]
