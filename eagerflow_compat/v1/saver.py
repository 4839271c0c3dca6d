"""Saver: checkpoints by the names of variables, as TensorFlow 1 wrote them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from eagerflow import _core, errors
from eagerflow.checkpoint.bundle import BundleReader, write_bundle
from eagerflow.checkpoint.state import CheckpointState, checkpoint_exists, write_state
from eagerflow.framework import context
from eagerflow.graph import partitioned
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.io.os_errors import path_text
from eagerflow.typing import FilePath, TensorLike
from eagerflow.util import lazy
from eagerflow_compat.v1.checkpoint_state import remove_checkpoint

# Imported when they are first used: few programs need them.
graph_variables = lazy.Module("eagerflow.graph.variables")
meta_graphs = lazy.Module("eagerflow_compat.v1.meta_graphs")
saved_model_messages = lazy.Module("eagerflow.protos.saved_model")

__all__ = ["Saver", "checkpoint_exists"]


@runtime_checkable
class OtherForm(Protocol):
    """What checkpoints have of a variable besides its value; a saver's list may have some."""

    variable: Any

    def names(self) -> list[str]:
        """The names in checkpoints."""

    def saved(self, value: _core.Tensor) -> dict[str, _core.Tensor]:
        """What a checkpoint has, by name, of a value of the variable."""

    def restored(self, values: Mapping[str, _core.Tensor]) -> _core.Tensor:
        """The variable's value of what a checkpoint has."""


class Saver:
    """Saves and restores variables under their names.

    Args:
        var_list: variables, or a dictionary of them by the names in the file; in graph programs all
            variables of the graph by default.
        reshape: whether values may be restored into variables of another shape of the same size.
        sharded: ignored.
        max_to_keep: the number of recent checkpoints to keep; None or 0 keeps all.
        keep_checkpoint_every_n_hours: one checkpoint in each such period is never deleted.
        name: ignored.
        restore_sequentially: ignored.
        saver_def: a SaverDef message, which says how many checkpoints are kept.
        builder: ignored.
        defer_build: whether `build` is called later, when all variables have been made.
        allow_empty: whether there may be nothing to save; then nothing is.
        write_version: ignored.
        pad_step_number: whether steps have at least eight digits in the names of checkpoints.
        save_relative_paths: ignored: paths in the folder of the list of checkpoints are relative to it.
        filename: ignored.

    Raises:
        RuntimeError: by `save` and `restore`, if `build` is still to be called.
        ValueError: if there is nothing to save, or two variables have one name.

    >>> import tempfile
    >>> v = tf.Variable(3.0, name="v")
    >>> saver = tf.compat.v1.train.Saver([v])
    >>> path = saver.save(None, tempfile.mkdtemp() + "/model", global_step=10)
    >>> _ = v.assign(0.0)
    >>> saver.restore(None, path)
    >>> float(v)
    3.0
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: object = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if saver_def is not None:
            max_to_keep = saver_def.max_to_keep
            keep_checkpoint_every_n_hours = saver_def.keep_checkpoint_every_n_hours
        if defer_build and var_list is not None:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set "
                "defer_build=False or var_list=None."
            )
        self._allow_empty, self._pads = allow_empty, pad_step_number
        # What describes the variables is saved with them, and has no value to be restored.
        self._constants: dict[str, Any] = {}
        self._built = False
        if not defer_build:
            self._build(var_list)
        self._reshape = reshape
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._keep_seconds = keep_checkpoint_every_n_hours * 3600
        self._kept: list[tuple[str, float]] = []
        self._preserve_next = time.time() + self._keep_seconds
        # A Supervisor saves in a thread, the program in another: one after the other.
        self._saving = threading.Lock()

    def _build(self, var_list: Any) -> None:
        if var_list is None:
            if context.building_graph() is None:
                raise RuntimeError(
                    "When eager execution is enabled, `var_list` must specify a list or dict of "
                    "variables to save"
                )
            forms = context.default_graph().get_collection(GraphKeys.SAVEABLE_OBJECTS)
            var_list = [*graph_variables.global_variables(), *forms]
        if isinstance(var_list, Mapping):
            self._constants = {k: v for k, v in var_list.items() if isinstance(v, _core.Tensor)}
            var_list = {k: v for k, v in var_list.items() if k not in self._constants}
        self._variables = self._by_name(var_list)
        # Variables that checkpoints have in another form, too, by their names.
        self._forms = {
            form.variable.op.name: form for form in var_list if isinstance(form, OtherForm)
        }
        if not self._variables and not self._allow_empty:
            raise ValueError("No variables to save")
        self._built = True

    def _check_built(self) -> None:
        if not self._built:
            raise RuntimeError("`build()` should be called before save if defer_build==True")

    @staticmethod
    def _by_name(variables: Any) -> dict[str, Any]:
        if isinstance(variables, Mapping):
            return {
                name: partitioned.joined(value) if isinstance(value, list | tuple) else value
                for name, value in variables.items()
            }
        given = [v.variable if isinstance(v, OtherForm) else v for v in variables]
        return partitioned.wholes({id(v): v for v in given}.values())

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are kept, oldest first."""
        return [path for path, _ in self._kept]

    def save(
        self,
        sess: Any,
        save_path: Any = None,
        global_step: TensorLike | None = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Writes a checkpoint.

        Args:
            sess: the session that has the values; None, or a path, in eager programs.
            save_path: the path without endings.
            global_step: an integer, variable or tensor: the step, which is appended to the path.
            latest_filename: another name of the file that lists checkpoints.
            meta_graph_suffix: the ending of the file with the graph.
            write_meta_graph: whether to write the session's graph beside the checkpoint.
            write_state: whether to note the checkpoint in that file.
            strip_default_attrs: ignored.
            save_debug_info: ignored.

        Returns:
            The path with the step, for `restore`; None if there was nothing to save.
        """
        self._check_built()
        if sess is not None and not hasattr(sess, "run"):
            # Eager programs of TensorFlow 1 pass the path first.
            sess, save_path, global_step = (
                None,
                sess,
                save_path if global_step is None else global_step,
            )
        path = path_text(save_path)
        with self._saving:
            if global_step is not None:
                step = _step(sess, global_step)
                path = f"{path}-{step:08d}" if self._pads else f"{path}-{step}"
            if not self._variables:
                return None
            write_bundle(path, self._values(sess) | self._constants)
            if sess is not None and write_meta_graph:
                with sess.graph.as_default():
                    self.export_meta_graph(f"{path}.{meta_graph_suffix}")
            self._kept = [(kept, made) for kept, made in self._kept if kept != path]
            self._kept.append((path, time.time()))
            removed = self._sweep()
            if write_state:
                self._write_state(path, latest_filename)
            for old in removed:
                remove_checkpoint(old, meta_graph_suffix=meta_graph_suffix)
        return path

    def _values(self, sess: Any) -> dict[str, Any]:
        found = self._own_values(sess)
        with context.running_eagerly():
            for name, form in self._forms.items():
                found |= form.saved(found[name])
        return found

    def _own_values(self, sess: Any) -> dict[str, Any]:
        if sess is None:
            return {name: _core.as_tensor(v) for name, v in self._variables.items()}
        values = sess.run([partitioned.parts_of(each) for each in self._variables.values()])
        return {
            name: _core.convert(
                variable._whole(value)
                if isinstance(variable, partitioned.PartitionedVariable)
                else value[0],
                variable.dtype,
            )
            for (name, variable), value in zip(self._variables.items(), values, strict=True)
        }

    def _sweep(self) -> list[str]:
        removed: list[str] = []
        while self._max_to_keep and len(self._kept) > self._max_to_keep:
            path, made = self._kept.pop(0)
            if made > self._preserve_next:
                self._preserve_next += self._keep_seconds
            else:
                removed.append(path)
        return removed

    def _write_state(self, path: str, latest_filename: str | None) -> None:
        folder = os.path.dirname(path)
        write_state(folder, CheckpointState(path, self.last_checkpoints), latest_filename)

    def restore(self, sess: Any, save_path: FilePath | None = None) -> None:
        """Assigns the values of a checkpoint to the variables.

        Args:
            sess: the session that takes the values; None, or the path, in eager programs.
            save_path: what `save` returned.

        Raises:
            ValueError: if there is no such checkpoint, or shapes do not fit; it names all.
            tf.errors.NotFoundError: if it lacks variables; it names all.
        """
        if sess is not None and not hasattr(sess, "run"):
            sess, save_path = None, sess
        self._check_built()
        if not self._variables:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = path_text(save_path)
        if not checkpoint_exists(path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        reader = BundleReader(path)
        values = {}
        for name, form in self._forms.items():
            if all(inner in reader for inner in form.names()):
                with context.running_eagerly():
                    values[name] = form.restored({n: reader.read(n) for n in form.names()})
        missing = [name for name in self._variables if name not in reader and name not in values]
        if missing:
            raise errors.NotFoundError._of(
                f"Keys {', '.join(missing)} not found in checkpoint {path}"
            )
        values |= {name: reader.read(name) for name in self._variables if name not in values}
        problems = []
        for name, variable in self._variables.items():
            value = values[name]
            if not variable.shape.is_compatible_with(value.shape):
                sizes = variable.shape.num_elements(), value.shape.num_elements()
                if self._reshape and sizes[0] == sizes[1]:
                    with context.running_eagerly():
                        values[name] = _core.ops.reshape(value, variable.shape)
                    continue
                problems.append(f"{name}: {variable.shape} in the program, {value.shape} saved")
        if problems:
            raise ValueError("The shapes do not fit:\n  " + "\n  ".join(problems))
        for name, variable in self._variables.items():
            if sess is None:
                variable.assign(values[name])
            else:
                variable.load(values[name].numpy(), sess)

    def export_meta_graph(
        self, filename: FilePath | None = None, collection_list: Any = None, as_text: bool = False,
        **kwargs: Any
    ) -> Any:  # fmt: skip
        """The default graph with its collections and this saver, as a MetaGraphDef message.

        Args:
            filename: a file to write it to; none by default.
            collection_list: the names of the collections; all by default.
            as_text: whether the file is text.
            **kwargs: those of `tf.compat.v1.train.export_meta_graph`.
        """
        return meta_graphs.export_meta_graph(
            filename, collection_list=collection_list, as_text=as_text, saver_def=self.to_proto(),
            variables=self._variables, **kwargs
        )  # fmt: skip

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A SaverDef message: what an exported graph calls the nodes that save and restore."""
        return saved_model_messages.MESSAGES["SaverDef"](
            filename_tensor_name="save/Const:0",
            save_tensor_name="save/control_dependency:0",
            restore_op_name="save/restore_all",
            max_to_keep=self._max_to_keep or 0,
            keep_checkpoint_every_n_hours=self._keep_hours,
            version=2,
        )

    as_saver_def = to_proto

    @property
    def saver_def(self) -> Any:
        """The SaverDef message."""
        return self.to_proto()

    def build(self) -> None:
        """Takes the variables that there are now, if that was deferred."""
        if not self._built:
            self._build(None)

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Sets the list of existing checkpoints, oldest first."""
        self._kept = [(path, time.time()) for path in last_checkpoints]

    def recover_last_checkpoints(self, checkpoint_paths: list[str]) -> None:
        """Adds the checkpoints of an earlier run to those that are kept."""
        self.set_last_checkpoints([path for path in checkpoint_paths if checkpoint_exists(path)])


def _step(sess: Any, global_step: Any) -> int:
    if sess is None or isinstance(global_step, int | np.integer):
        return int(global_step)
    return int(sess.run(global_step))
