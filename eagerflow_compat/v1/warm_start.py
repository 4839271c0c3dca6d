"""Variables that start with values of a checkpoint, under the same names or others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core
from eagerflow.checkpoint.inspection import CheckpointReader, load_checkpoint
from eagerflow.checkpoint.saving import GRAPH_KEY
from eagerflow.framework import context
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.nodes import python_node
from eagerflow.graph.variables import nodes_in
from eagerflow.protos.checkpoint import MESSAGES
from eagerflow.util.regular import read_regular

__all__ = ["VocabInfo", "init_from_checkpoint", "warm_start"]


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Has variables start with tensors of a checkpoint instead of their initial values.

    In a graph their initializers are replaced; eagerly the values are assigned at once.

    Args:
        ckpt_dir_or_file: a checkpoint's path without endings, or a folder, for its newest one.
        assignment_map: a dictionary, or pairs, from names in the checkpoint to variables or their
            names; from a scope of it, with a slash at the end, to a scope, for all variables in it.
            "/" is the scope of everything.

    Raises:
        ValueError: if a variable or tensor is missing, or their shapes differ.

    >>> import tempfile
    >>> v1 = tf.compat.v1
    >>> with v1.Graph().as_default(), v1.Session() as session:
    ...     w = v1.get_variable("old/w", initializer=[1.0, 2.0])
    ...     _ = session.run(w.initializer)
    ...     path = v1.train.Saver([w]).save(session, tempfile.mkdtemp() + "/model")
    >>> with v1.Graph().as_default(), v1.Session() as session:
    ...     w = v1.get_variable("net/w", shape=[2])
    ...     v1.train.init_from_checkpoint(path, {"old/": "net/"})
    ...     _ = session.run(w.initializer)
    ...     session.run(w).tolist()
    [1.0, 2.0]
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    for source, target in list(pairs):
        if isinstance(target, str) and target.endswith("/"):
            _initialize_scope(reader, source, target, ckpt_dir_or_file)
            continue
        variable = _variable(target, source)
        _check_stored(reader, source, ckpt_dir_or_file)
        _initialize(variable, reader, source)


def _initialize_scope(reader: CheckpointReader, source: str, target: str, where: Any) -> None:
    if not source.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {target} should map to scope only {source}. "
            "Should be 'scope/': 'other_scope/'."
        )
    scope = "" if target == "/" else target
    found = [variable for variable in _variables() if _name(variable).startswith(scope)]
    if not found:
        raise ValueError(f"There are no variables in the scope {target!r}.")
    for variable in found:
        name = ("" if source == "/" else source) + _name(variable)[len(scope) :]
        if not reader.has_tensor(name):
            raise ValueError(
                f"Tensor {name} ({_name(variable)} in {target}) is not found in {where} checkpoint"
            )
        _initialize(variable, reader, name)


def _variables() -> list[Any]:
    graph = context.default_graph()
    keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
    return [variable for key in keys for variable in graph.get_collection(key)]


def _name(variable: Any) -> str:
    return str(variable.name.split(":")[0])


def _variable(target: Any, source: str) -> Any:
    if isinstance(target, _core.Variable):
        return target
    if isinstance(target, list | tuple):
        if len(target) == 1:
            return _variable(target[0], source)
        raise ValueError(f"Variables in parts are not supported: {target} for {source}.")
    named = {_name(variable): variable for variable in _variables()}
    if target not in named:
        raise ValueError(
            f"Assignment map with name {source!r}: there is no variable {target!r} in the graph."
        )
    return named[target]


def _check_stored(reader: CheckpointReader, name: str, where: Any) -> None:
    if not reader.has_tensor(name):
        stored = sorted(reader.get_variable_to_shape_map())
        raise ValueError(f"Tensor {name} is not found in {where} checkpoint {stored}")


def _initialize(variable: Any, reader: CheckpointReader, name: str) -> None:
    shape = reader.get_variable_to_shape_map()[name]
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Shape of variable {_name(variable)} ({variable.shape}) doesn't match with shape of "
            f"tensor {name} ({shape}) from checkpoint reader."
        )
    _start_with(variable, lambda: reader.get_tensor(name))


def _start_with(variable: Any, value: Callable[[], Any]) -> None:
    """Has a variable start with what a function returns when the variable is initialized."""

    def read() -> _core.Tensor:
        return _core.convert(value(), variable.dtype, None)

    graph = context.building_graph()
    if graph is None:
        variable.assign(read())
        return
    spec = TensorSpec(variable.shape, variable.dtype)
    with graph.control_dependencies(None):
        restored = python_node(
            read, kind="RestoreV2", name=f"{_name(variable)}/restored", outputs=spec
        )
        nodes_in(variable, graph).initialize_with(variable, restored)


class VocabInfo(NamedTuple):
    """How the rows of a variable come from those of an earlier vocabulary.

    Attributes:
        new_vocab: a file with an entry in each line, for the rows of the variable.
        new_vocab_size: how many of its entries count.
        num_oov_buckets: rows after them for other entries, which are not in the file.
        old_vocab: the file for the rows in the checkpoint.
        old_vocab_size: how many of its entries count; -1 for all.
        backup_initializer: makes the rows of new entries; zeros by default.
        axis: 0 if entries are rows, 1 if they are columns.
    """

    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int = -1
    backup_initializer: Any = None
    axis: int = 0


def _entries(path: str, count: int) -> list[str]:
    entries = read_regular(path, None).decode("utf-8").splitlines()
    return entries if count < 0 else entries[:count]


def _moved(old: np.ndarray, shape: list[int], info: VocabInfo) -> Any:
    """The rows (or columns) of a checkpoint, at the places of the new vocabulary."""
    if info.backup_initializer is None:
        result = np.zeros(shape, old.dtype)
    else:
        with context.running_eagerly():
            made = info.backup_initializer(shape, dtype=_core.as_tensor(old).dtype)
            result = np.array(made)
    places = {entry: k for k, entry in enumerate(_entries(info.old_vocab, info.old_vocab_size))}
    old_rows, rows = np.moveaxis(old, info.axis, 0), np.moveaxis(result, info.axis, 0)
    for k, entry in enumerate(_entries(info.new_vocab, info.new_vocab_size)):
        if entry in places:
            rows[k] = old_rows[places[entry]]
    return result


def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Has variables start with those of a checkpoint that have their names.

    Args:
        ckpt_to_initialize_from: a checkpoint's path without endings, or a folder.
        vars_to_warm_start: a regular expression for the names of trainable variables, a list of them
            for all variables, a list of variables, or None for those of `var_name_to_vocab_info`.
        var_name_to_vocab_info: for variables by name, how their rows come from earlier ones.
        var_name_to_prev_var_name: names in the checkpoint that differ.

    Raises:
        ValueError: if a variable or tensor is missing, or their shapes differ.
    """
    vocabularies = dict(var_name_to_vocab_info or {})
    earlier = dict(var_name_to_prev_var_name or {})
    reader = load_checkpoint(ckpt_to_initialize_from)
    keys = _keys_of_objects(reader)
    for variable in _chosen(vars_to_warm_start, vocabularies):
        name = _name(variable)
        source, info = earlier.get(name, name), vocabularies.get(name)
        source = keys.get(source, source)
        _check_stored(reader, source, ckpt_to_initialize_from)
        if info is None:
            _initialize(variable, reader, source)
            continue
        shape = variable.shape.as_list()

        def moved(source: str = source, shape: Any = shape, info: Any = info) -> Any:
            return _moved(reader.get_tensor(source), shape, info)

        _start_with(variable, moved)


def _keys_of_objects(reader: CheckpointReader) -> dict[str, str]:
    """Under which key a checkpoint of objects has each variable, by the variables' names."""
    if not reader.has_tensor(GRAPH_KEY):
        return {}
    graph = MESSAGES["TrackableObjectGraph"].FromString(bytes(reader.get_tensor(GRAPH_KEY)))
    return {
        attribute.full_name: attribute.checkpoint_key
        for node in graph.nodes
        for attribute in node.attributes
    }


def _chosen(which: Any, vocabularies: Mapping[str, VocabInfo]) -> list[Any]:
    graph = context.default_graph()
    if which is None:
        return [v for v in _variables() if _name(v) in vocabularies]
    if isinstance(which, str):
        trainable = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        return [v for v in trainable if re.match(which, v.name)]
    if which and all(isinstance(each, str) for each in which):
        return [v for v in _variables() if any(re.match(each, v.name) for each in which)]
    if all(isinstance(each, _core.Variable) for each in which):
        return list(which)
    raise ValueError(
        "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`. "
        f"Given types are {[type(each).__name__ for each in which]}"
    )
