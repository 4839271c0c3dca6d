"""Writes the nodes of a GraphDef or a function in TensorFlow's form."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.func_graph import eagerly
from eagerflow.framework.shapes import TensorShape
from eagerflow.graphdef import attributes, op_defs, rules
from eagerflow.graphdef.op_defs import OpDef
from eagerflow.protos.graph import MESSAGES

_UNKNOWN = TensorShape(None)
_UNDECLARED = OpDef("", False, (), (op_defs.Argument("output", "T", is_list=True),), {})


class Ref(NamedTuple):
    """A tensor of the graph that is written: an output of a node, or an argument of the function."""

    node: str
    dtype: DType
    shape: TensorShape
    # What nodes of the same graph that read it have among their inputs.
    text: str
    # Which of all tensors that the node returns.
    number: int = 0


class GraphWriter:
    """Appends NodeDef messages.

    Args:
        nodes: the repeated field that gets them.
        in_function: whether inputs are written as in a FunctionDef: `node:output:0`.
        add_shapes: whether nodes have the shapes of their outputs in `_output_shapes`.
    """

    def __init__(self, nodes: Any, in_function: bool, add_shapes: bool = False) -> None:
        self._nodes = nodes
        self._in_function = in_function
        self._add_shapes = add_shapes
        self._names: dict[str, int] = {}
        # The control inputs of the next nodes.
        self.control: list[str] = []
        # The prefix of default names.
        self.scope = ""

    def reserve(self, names: Iterable[str]) -> None:
        """Keeps names for nodes that are added under them later."""
        self._names.update(dict.fromkeys(names, 1))

    def unique(self, name: str) -> str:
        """A name that no other node has."""
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return self.unique(f"{name}_{count}") if count else name

    def results(self, node: str, outputs: Sequence[tuple[DType, TensorShape]]) -> list[Ref]:
        """The results of a node of an operation that TensorFlow does not have."""
        values = {"T": [dtype for dtype, _ in outputs]}
        return results_of(_UNDECLARED, node, values, outputs, self._in_function)

    def add(
        self,
        op: str,
        *inputs: Any,
        name: str = "",
        outputs: Sequence[tuple[DType, TensorShape]] | None = None,
        **attrs: Any,
    ) -> list[Ref]:
        """Adds a node.

        Args:
            op: TensorFlow's name of the operation.
            *inputs: a tensor, or a list of tensors, for each input that it declares. Other
                values become constants.
            name: the node's name.
            outputs: dtypes and shapes of the results; by default each has the dtype that the
                operation declares, and any shape.
            **attrs: the attributes that do not follow from the inputs, and have no default.

        Returns:
            The results.
        """
        definition = op_defs.find(op)
        assert definition is not None, op
        name = name or self.unique(f"{self.scope}{op}")
        values = dict(attrs)
        texts = []
        for argument, given in zip(definition.inputs, inputs, strict=True):
            refs = []
            for item in given if argument.number or argument.is_list else (given,):
                if not isinstance(item, Ref):
                    wanted = self.wanted(definition, argument.type, values)
                    item = self.constant(item, wanted, f"{name}/{argument.name}")
                refs.append(item)
                texts.append(item.text)
            if argument.is_list:
                values[argument.type] = [ref.dtype for ref in refs]
            elif argument.type in definition.attributes and refs:
                values.setdefault(argument.type, refs[0].dtype)
            if argument.number:
                values[argument.number] = len(refs)
        # Dtypes that do not follow from inputs come from `outputs`.
        for argument, (dtype, _) in zip(definition.outputs, outputs or (), strict=False):
            if argument.number or argument.is_list:
                break
            if argument.type in definition.attributes:
                values.setdefault(argument.type, dtype)
        node = self._nodes.add(name=name, op=op)
        node.input.extend(texts)
        for other in dict.fromkeys(self.control):
            node.input.append(f"^{other}")
        for attribute in definition.attributes.values():
            message = node.attr[attribute.name]
            value = values.get(attribute.name)
            if isinstance(value, DType):  # most attributes
                message.type = value.as_datatype_enum
            elif attribute.name in values:
                attributes.fill(message, attribute.kind, value)
            else:
                message.CopyFrom(_default(op, attribute.name))
        refs = results_of(definition, name, values, outputs, self._in_function)
        if self._add_shapes and refs:
            shapes = [ref.shape for ref in refs]
            attributes.fill(node.attr["_output_shapes"], "list(shape)", shapes)
        return refs

    @staticmethod
    def wanted(definition: OpDef, kind: str, values: Mapping[str, object]) -> DType | None:
        """The dtype of a constant for an input."""
        if kind in values:
            found = values[kind]
            return found if isinstance(found, DType) else None
        attribute = definition.attributes.get(kind)
        if attribute is None:
            return dtypes.as_dtype(kind)
        return (
            dtypes.as_dtype(attribute.default)
            if attribute.kind == "type" and attribute.default
            else None
        )

    def constant(self, value: Any, dtype: DType | None = None, name: str = "") -> Ref:
        """Adds a constant."""
        if not isinstance(value, _core.Tensor):
            if dtype is dtypes.int32 and np.size(value):
                if np.max(value) > dtype.max or np.min(value) < dtype.min:
                    dtype = dtypes.int64
            with eagerly():
                value = _core.convert(value, dtype, None)
        return self.add(
            "Const",
            name=self.unique(name or f"{self.scope}Const"),
            outputs=[(value.dtype, value.shape)],
            value=value,
            dtype=value.dtype,
        )[0]

    def custom(self, op: str, refs: Sequence[Ref], name: str) -> Any:
        """Adds a node of an operation that TensorFlow does not have, for programs that look at it."""
        node = self._nodes.add(name=name, op=op)
        node.input.extend(ref.text for ref in refs)
        return node


@functools.lru_cache(maxsize=1024)
def _default(op: str, name: str) -> Any:
    """The AttrValue of an attribute's default."""
    definition = op_defs.find(op)
    assert definition is not None, op
    attribute = definition.attributes[name]
    message = MESSAGES["AttrValue"]()
    attributes.fill(message, attribute.kind, rules.default(attribute.kind, attribute.default))
    return message


def results_of(
    definition: OpDef,
    name: str,
    values: dict[str, Any],
    given: Sequence[tuple[DType, TensorShape]] | None,
    in_function: bool,
) -> list[Ref]:
    """The results of a node: see `GraphWriter.add`."""
    found: list[Ref] = []
    for argument in definition.outputs:
        number = len(found)
        if argument.is_list:
            kinds = values[argument.type]
        elif given is not None and not argument.number and number < len(given):
            kinds = [given[number][0]]
        else:
            kind = values.get(argument.type)
            if kind is None:
                attribute = definition.attributes.get(argument.type)
                kind = attribute.default if attribute is not None else argument.type
            if not isinstance(kind, DType):
                kind = dtypes.as_dtype(kind)
            kinds = [kind] * (values[argument.number] if argument.number else 1)
        for position, kind in enumerate(kinds):
            number = len(found)
            shape = _UNKNOWN
            if given is not None and number < len(given):
                kind, shape = given[number]
            if in_function:
                text = f"{name}:{argument.name}:{position}"
            else:
                text = f"{name}:{number}" if number else name
            found.append(Ref(name, kind, shape, text, number))
    return found
