"""GraphDef messages whose variables become constants, in the functions that they call too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eagerflow.io.serialization import fill_message
from eagerflow.protos.graph import MESSAGES

if TYPE_CHECKING:
    from eagerflow.protos.graph import FunctionDefLibrary, GraphDef, NodeDef

_VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
# Operations that call functions: how many of their inputs are not passed on.
_CALLERS = {
    "PartitionedCall": 0,
    "StatefulPartitionedCall": 0,
    "While": 0,
    "StatelessWhile": 0,
    "If": 1,
    "StatelessIf": 1,
    "Case": 1,
    "StatelessCase": 1,
}


def _callees(node: NodeDef) -> Iterator[Any]:
    """The function attributes of a node, including those in lists."""
    for attribute in node.attr.values():
        if attribute.HasField("func"):
            yield attribute.func
        yield from attribute.list.func


class _Rewriter:
    """Copies nodes and functions, with values in place of variables.

    `values` maps references to a variable's handle (`name`, `name:0`, `name:output:0`), which become
    references to its value, to the name of the variable. Variables without handles (VariableV2) are
    values already.
    """

    def __init__(self, library: Any, constants: Mapping[str, Any]) -> None:
        self._functions = {function.signature.name: function for function in library.function}
        self._constants = constants
        self._made: dict[tuple[str, tuple[tuple[int, int], ...]], Any] = {}

    def rewrite(
        self, nodes: Sequence[NodeDef], values: dict[str, str], target: object, result: str = ""
    ) -> dict[str, str]:
        """Adds the nodes' copies to `target`, a repeated field, and their values to `values`.

        `result` follows the name of a node with one result in references: functions name it.

        Returns:
            The new references to results whose operation names them otherwise now.
        """
        # Function bodies have no order, so that a value may be made after its use.
        known = -1
        while len(values) != known:
            known = len(values)
            for node in nodes:
                self._find_values(node, values)
        renamed = {
            f"{node.name}:value:0": f"{node.name}:output:0"
            for node in nodes
            if node.op == "ReadVariableOp" and node.input[0] in values
        }
        for node in nodes:
            copy = self._copy(node, values, target, result)
            copy.input[:] = [renamed.get(text, text) for text in copy.input]
        return renamed

    def _find_values(self, node: NodeDef, values: dict[str, str]) -> None:
        if node.op == "VarHandleOp" and node.name in self._constants:
            values.update({node.name: node.name, f"{node.name}:resource:0": node.name})
        elif node.op == "Identity" and node.input[0] in values:
            variable = values[node.input[0]]
            values.update({node.name: variable, f"{node.name}:output:0": variable})
        elif node.op.endswith("While"):
            for index, text in enumerate(node.input):
                if text in values:
                    names = [f"{node.name}:{index}", f"{node.name}:output:{index}"]
                    names += [node.name] if index == 0 else []
                    values.update(dict.fromkeys(names, values[text]))

    def _copy(self, node: Any, values: dict[str, str], target: Any, result: str) -> Any:
        copy = target.add()
        if node.name in self._constants and node.op in _VARIABLES:
            tensor = self._constants[node.name]
            copy.name, copy.op = node.name, "Const"
            copy.attr["dtype"].type = tensor.dtype.as_datatype_enum
            fill_message(copy.attr["value"].tensor, tensor)
            return copy
        copy.CopyFrom(node)
        passed = {i: values[text] for i, text in enumerate(node.input) if text in values}
        if not passed:
            return copy
        if node.op in ("ReadVariableOp", "Identity"):
            copy.op = "Identity"
            copy.attr.clear()
            copy.attr["T"].type = self._dtype(passed[0])
        elif node.op == "ResourceGather":
            axis = target.add(name=f"{node.name}/axis", op="Const")
            axis.attr["dtype"].type = 3
            axis.attr["value"].tensor.dtype = 3
            axis.attr["value"].tensor.tensor_shape.SetInParent()
            axis.attr["value"].tensor.int_val.append(0)
            copy.op = "GatherV2"
            copy.attr.clear()
            copy.input.insert(2, axis.name + result)
            copy.attr["Tparams"].type = self._dtype(passed[0])
            copy.attr["Taxis"].type = 3
            for key in {"Tindices", "batch_dims"}.intersection(node.attr):
                copy.attr[key].CopyFrom(node.attr[key])
        elif node.op in _CALLERS:
            skipped = _CALLERS[node.op]
            given = {index - skipped: variable for index, variable in passed.items()}
            types = copy.attr["T" if node.op.endswith("While") else "Tin"].list.type
            for index, variable in given.items():
                types[index] = self._dtype(variable)
            for callee in _callees(copy):
                callee.name = self._function(callee.name, given)
        else:
            raise ValueError(
                f"The variable {passed[min(passed)]!r} cannot become a constant: "
                f"{node.name!r} ({node.op}) changes it or needs it as a variable. Name it in "
                "variable_names_blacklist, or ask for outputs that do not depend on that operation."
            )
        return copy

    def _dtype(self, variable: str) -> int:
        return int(self._constants[variable].dtype.as_datatype_enum)

    def _function(self, name: str, given: Mapping[int, str]) -> str:
        """The name of the copy of a function whose arguments at these positions are variables' values."""
        key = (name, tuple(sorted((i, self._dtype(variable)) for i, variable in given.items())))
        if key in self._made:
            return str(self._made[key].signature.name)
        function = self._functions[name]
        copy = self._made[key] = MESSAGES["FunctionDef"]()
        copy.CopyFrom(function)
        copy.signature.name = f"{name}_constants_{len(self._made)}"
        del copy.node_def[:]
        values: dict[str, str] = {}
        for index, variable in given.items():
            argument = copy.signature.input_arg[index]
            argument.type = self._dtype(variable)
            copy.arg_attr.pop(index, None)
            values[argument.name] = variable
        renamed = self.rewrite(function.node_def, values, copy.node_def, ":output:0")
        for result in copy.signature.output_arg:
            text = copy.ret[result.name]
            copy.ret[result.name] = renamed.get(text, text)
            if text in values:
                result.type = self._dtype(values[text])
        return str(copy.signature.name)

    def fill_library(self, nodes: Sequence[NodeDef], library: FunctionDefLibrary) -> None:
        """Adds the functions that nodes call, directly or indirectly, to `library`."""
        functions = self._functions | {
            function.signature.name: function for function in self._made.values()
        }
        waiting, found = list(nodes), set()
        while waiting:
            for callee in _callees(waiting.pop()):
                if callee.name not in found and callee.name in functions:
                    found.add(callee.name)
                    waiting.extend(functions[callee.name].node_def)
        library.function.extend(functions[name] for name in sorted(found))


def constant_variables(graph_def: GraphDef, constants: Mapping[str, object]) -> GraphDef:
    """A GraphDef in which variables are constants, for functions that they are passed to as well.

    Args:
        graph_def: the message.
        constants: a tensor for each name of a variable's node.

    Raises:
        ValueError: if an operation changes such a variable.
    """
    rewriter = _Rewriter(graph_def.library, constants)
    result = MESSAGES["GraphDef"]()
    result.versions.CopyFrom(graph_def.versions)
    rewriter.rewrite(graph_def.node, {}, result.node)
    result.library.gradient.extend(graph_def.library.gradient)
    rewriter.fill_library(result.node, result.library)
    return result
