"""The graph of a SavedModel besides its functions: variables, tables, signatures, restoring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import dtypes, shapes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import type_spec_from_value
from eagerflow.graph.partitioned import part_of
from eagerflow.graphdef.attributes import FunctionName
from eagerflow.graphdef.exporting import Body, Exporter, FunctionBody, finish_message, placeholder
from eagerflow.graphdef.table_nodes import fill_table, table_handle
from eagerflow.protos.saved_model import MESSAGES
from eagerflow.saved_model import constants, structured_values

_INIT = "__saved_model_init_op"


class MainGraph:
    """Writes the graph with which a session starts.

    Args:
        meta_graph: the MetaGraphDef message.
        exporter: collects functions.
        variables: pairs of a variable and its key in the checkpoint.
        tables: the tables.
        graph: a program's graph, whose nodes the graph gets, too.
        files: which assets tables are filled from, by the tables' ids.
    """

    def __init__(
        self, meta_graph: Any, exporter: Exporter, variables: Sequence[tuple[Any, str]],
        tables: Sequence[Any], graph: Any = None, files: Mapping[int, int] | None = None,
    ) -> None:  # fmt: skip
        self._meta_graph = meta_graph
        self._exporter = exporter
        self.body = Body(exporter, meta_graph.graph_def.node, False)
        self._tables = list(tables)
        self._files = files or {}
        self._variables: tuple[Any, ...] = ()
        self._keys: tuple[str, ...] = ()
        if variables:
            self._variables, self._keys = zip(*variables, strict=True)
        if graph is not None:
            self.body.begin_program(graph)
        for variable in self._variables:
            if not self.body.has_handle(variable):
                name = self.body.unique(variable.name.rpartition(":")[0] or "Variable")
                self.body.add_variable(variable, name)
                self.body.bind_handle(variable._copies[0], self.body.handle(variable))
        for table in self._tables:
            if not self.body.has_handle(table):
                self.body.bind_handle(table, table_handle(self.body, table))
        if graph is not None:
            self.body.write(graph)
        # Whoever runs the graph feeds the paths of assets; a program's graph has nodes for them.
        assets = () if graph is not None else meta_graph.asset_file_def
        self._assets = [self._add_asset(asset) for asset in assets]

    def _add_asset(self, asset: Any) -> Any:
        name = asset.tensor_info.name.rpartition(":")[0]
        return placeholder(self.body, name, dtypes.string, TensorShape([]))

    def add_signature(self, key: str, graph: Any, function: str, variables: Sequence[Any]) -> None:
        """Adds a signature: placeholders, and a call of its function."""
        signature = self._meta_graph.signature_def[key]
        signature.method_name = constants.PREDICT_METHOD_NAME
        refs = []
        for tensor in graph.inputs:
            name = tensor.name.rpartition(":")[0]
            ref = placeholder(self.body, f"{key}_{name}", tensor.dtype, tensor.shape)
            _fill_info(signature.inputs[name], f"{ref.node}:0", tensor)
            refs.append(ref)
        refs += [self.body.handle(variable) for variable in variables]
        name = self.body.unique("StatefulPartitionedCall")
        self.body.add(
            "StatefulPartitionedCall", refs, name=name, f=FunctionName(function),
            Tout=[tensor.dtype for tensor in graph.outputs],
        )  # fmt: skip
        results = iter([f"{name}:{k}" for k in range(len(graph.outputs))])
        for output, value in graph.structured_outputs.items():
            info = signature.outputs[output]
            if isinstance(value, CompositeTensor):
                described = MESSAGES["StructuredValue"]()
                structured_values.fill(described, type_spec_from_value(value))
                info.composite_tensor.type_spec.CopyFrom(described.type_spec_value)
                for tensor in nest.flatten(value, expand_composites=True):
                    _fill_info(info.composite_tensor.components.add(), next(results), tensor)
            else:
                _fill_info(info, next(results), value)

    def finish(self) -> None:
        """Adds what initializes tables and what saves and restores variables."""
        init = self.add_initializer()
        signature = self._meta_graph.signature_def[_INIT]
        info = signature.outputs[_INIT]
        info.name = init
        info.tensor_shape.unknown_rank = True
        if self._variables:
            self.add_saver()
        finish_message(self._meta_graph.graph_def, self._exporter)

    def add_initializer(self, *others: str) -> str:
        """Adds an operation that fills the tables, after other operations; its name."""
        body = self.body
        filled: list[str] = []
        for table in self._tables:
            file = self._files.get(id(table))
            path = None if file is None else self._assets[file]
            filled += fill_table(body, body.handle(table), table, path)
        body.control = [*others, *filled]
        init = body.unique("NoOp")
        body.add("NoOp", name=init)
        body.control = []
        return init

    def add_saver(self, scope: str = "", filename: str = "saver_filename") -> None:
        """Adds what saves and restores the variables.

        Args:
            scope: the prefix of the names of the nodes.
            filename: the name of the placeholder of the path.
        """
        body = self.body
        body.scope = scope
        prefix = placeholder(body, filename, dtypes.string, TensorShape([]))
        names = body.constant([key.encode() for key in self._keys], dtypes.string)
        parts = [part_of(variable) for variable in self._variables]
        slices = body.constant(
            [b"" if part is None else part.spec.encode() for part in parts], dtypes.string
        )
        kinds = [variable.dtype for variable in self._variables]
        values = [
            body.add("ReadVariableOp", body.handle(variable), dtype=variable.dtype)[0]
            for variable in self._variables
        ]
        save = body.unique(f"{scope}SaveV2")
        body.add("SaveV2", prefix, names, slices, values, name=save)
        body.control = [save]
        done = body.add("Identity", prefix, name=body.unique(f"{scope}control_dependency"))[0]
        body.control = []
        restored = body.add("RestoreV2", prefix, names, slices, dtypes=kinds)
        assigned = []
        for variable, value in zip(self._variables, restored, strict=True):
            assigned.append(body.unique(f"{scope}AssignVariableOp"))
            body.add(
                "AssignVariableOp", body.handle(variable), value, name=assigned[-1],
                dtype=variable.dtype,
            )  # fmt: skip
        body.control = assigned
        restore = body.unique(f"{scope}restore_all")
        body.add("NoOp", name=restore)
        body.control = []
        body.scope = ""
        saver = self._meta_graph.saver_def
        saver.filename_tensor_name = f"{prefix.node}:0"
        saver.save_tensor_name = f"{done.node}:0"
        saver.restore_op_name = restore
        saver.max_to_keep = 5
        saver.keep_checkpoint_every_n_hours = 10000.0
        saver.version = 2


def _fill_info(message: Any, name: str, tensor: Any) -> None:
    message.name = name
    message.dtype = tensor.dtype.as_datatype_enum
    shapes.fill_message(message.tensor_shape, tensor.shape)


def table_functions(exporter: Exporter, table: Any, from_file: bool) -> dict[str, str]:
    """The functions that create, initialize and destroy a table, by the names that loaders expect.

    Args:
        exporter: collects functions.
        table: the table.
        from_file: whether the first argument of its initializer is the path of a file.
    """
    function_names = {}
    for attribute, role in (
        ("_create_resource", "creator"),
        ("_initialize", "initializer"),
        ("_destroy_resource", "destroyer"),
    ):
        name = function_names[attribute] = exporter.function_name(f"table_{role}")
        body = FunctionBody(exporter, name)
        if role == "creator":
            result = table_handle(body, table)
        else:
            if role == "initializer":
                scalar = TensorShape([])
                path = body.argument("filename", dtypes.string, scalar) if from_file else None
                handle = body.argument("table", dtypes.resource, scalar)
                fill_table(body, handle, table, path)
                body.control = [node.name for node in body.message.node_def if node.op != "Const"]
            result = body.add(
                "Const", name="done", value=_core.convert(1, dtypes.int32, None), dtype=dtypes.int32
            )[0]
        body.finish([result])
        body.message.signature.is_stateful = True
        for control in body.control:
            body.message.signature.control_output.append(control)
            body.message.control_ret[control] = control
        exporter.functions.append(body.message)
    return function_names
