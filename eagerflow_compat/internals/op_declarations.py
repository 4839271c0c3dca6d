"""tensorflow.python.framework.c_api_util and op_def_registry: what TensorFlow declares of its operations."""

from __future__ import annotations

from typing import Any

from eagerflow.graphdef import node_messages, op_defs

__all__ = ["ApiDefMap", "get"]


def get(name: str) -> Any:
    """The OpDef message of an operation; None if there is no operation of this name.

    >>> from eagerflow_compat.internals import op_declarations
    >>> [argument.name for argument in op_declarations.get("Relu").input_arg]
    ['features']
    """
    definition = op_defs.find(name)
    return None if definition is None else node_messages.declaration(definition)


class ApiDefMap:
    """TensorFlow's declarations by the names of operations."""

    def get_op_def(self, op_name: str) -> Any:
        """The OpDef message of an operation.

        Raises:
            ValueError: if there is no operation of this name.
        """
        declared = get(op_name)
        if declared is None:
            raise ValueError(f"No entry found for {op_name}.")
        return declared
