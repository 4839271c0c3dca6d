"""tensorflow.python.framework.c_api_util: what TensorFlow declares of its operations."""

from __future__ import annotations

from typing import Any

from eagerflow.graphdef import node_messages, op_defs

__all__ = ["ApiDefMap"]


class ApiDefMap:
    """TensorFlow's declarations by the names of operations."""

    def get_op_def(self, op_name: str) -> Any:
        """The OpDef message of an operation.

        Raises:
            ValueError: if there is no operation of this name.
        """
        definition = op_defs.find(op_name)
        if definition is None:
            raise ValueError(f"No entry found for {op_name}.")
        return node_messages.declaration(definition)
