"""tf.train.Saver: variables by name, in TensorFlow's checkpoint format."""

from __future__ import annotations

import os
import time
from typing import Any

from eagerflow import _core, context
from eagerflow.checkpoint.bundle import BundleReader, remove_bundle, write_bundle
from eagerflow.checkpoint.state import CheckpointState, get_checkpoint_state, write_state
from eagerflow.graph.structure import is_symbol
from eagerflow.graph.variables import _replace_variable, global_variables


class Saver:
    """Saves and restores the values of variables.

    Args:
        var_list: a list of variables, or a dictionary of them by the name to be used; by default
            all global variables of the graph when it is saved.
        reshape: whether values of another shape, but as many elements, are restored.
        sharded: accepted.
        max_to_keep: how many checkpoints are kept; 0 or None for all.
        keep_checkpoint_every_n_hours: accepted.
        name: accepted.
        restore_sequentially: accepted.
        saver_def: accepted.
        builder: accepted.
        defer_build: accepted.
        allow_empty: whether it is no error if there are no variables.
        **kwargs: accepted.

    Raises:
        ValueError: if there are no variables.
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
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        **kwargs: Any,
    ) -> None:
        self._var_list = var_list
        self._reshape = reshape
        self._max_to_keep = max_to_keep
        self._kept: list[tuple[str, float]] = []
        if var_list is None and context.executing_eagerly():
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of "
                "variables to save"
            )
        if not allow_empty and not defer_build and not self._variables():
            raise ValueError("No variables to save")

    def _variables(self) -> dict[str, Any]:
        chosen = global_variables() if self._var_list is None else self._var_list
        if isinstance(chosen, dict):
            return dict(chosen)
        return {variable.name.partition(":")[0]: variable for variable in chosen}

    def save(
        self,
        sess: Any,
        save_path: str,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Writes the variables' values.

        Args:
            sess: the session that holds them; None if operations run eagerly.
            save_path: the path of the files, without their endings.
            global_step: is added to the path: a number, or a variable.
            latest_filename: the name of the file that lists checkpoints.
            meta_graph_suffix: accepted; graphs are not written.
            write_meta_graph: accepted.
            write_state: whether the list of checkpoints is updated.
            strip_default_attrs: accepted.
            save_debug_info: accepted.

        Returns:
            The path, with the step.
        """
        if global_step is not None:
            if is_symbol(global_step):
                global_step = sess.run(global_step)
            save_path = f"{save_path}-{int(global_step)}"
        variables = self._variables()
        names, held = list(variables), list(variables.values())
        values = sess.run(held) if held and is_symbol(held[0]) else [v.numpy() for v in held]
        os.makedirs(os.path.dirname(os.path.abspath(save_path)), exist_ok=True)
        write_bundle(save_path, dict(zip(names, values, strict=True)))
        self._keep(save_path, latest_filename, write_state)
        return save_path

    def _keep(self, path: str, latest_filename: str | None, write: bool) -> None:
        self._kept = [item for item in self._kept if item[0] != path] + [(path, time.time())]
        while self._max_to_keep and len(self._kept) > self._max_to_keep:
            remove_bundle(self._kept.pop(0)[0])
        if write:
            state = CheckpointState(
                path, [kept for kept, _ in self._kept], [made for _, made in self._kept]
            )
            write_state(os.path.dirname(path) or ".", state, latest_filename)

    def restore(self, sess: Any, save_path: str) -> None:
        """Gives variables the values in a checkpoint.

        Args:
            sess: the session that gets them; None if operations run eagerly.
            save_path: the path of the files, without their endings.

        Raises:
            ValueError: if there is no path.
            tf.errors.NotFoundError: if there is no such checkpoint, or it misses a variable.
        """
        from eagerflow import errors

        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        reader = BundleReader(save_path)
        for name, variable in self._variables().items():
            if name not in reader:
                raise errors.NotFoundError(
                    None, None, f"Key {name} not found in checkpoint {save_path}"
                )
            value = reader.read(name)
            if self._reshape:
                value = _core.ops.reshape(value, variable.shape)
            if is_symbol(variable):
                _replace_variable(sess, variable, value)
            else:
                variable.assign(value)

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that are kept, oldest first."""
        return [path for path, _ in self._kept]

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Sets the checkpoints that are kept, oldest first."""
        self._kept = [(path, 0.0) for path in last_checkpoints]

    def recover_last_checkpoints(self, checkpoint_paths: list[str]) -> None:
        """Takes over checkpoints that exist."""
        self.set_last_checkpoints([p for p in checkpoint_paths if checkpoint_exists(p)])


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """Whether there is a checkpoint with that path."""
    return os.path.exists(f"{checkpoint_prefix}.index")


__all__ = ["Saver", "checkpoint_exists", "get_checkpoint_state"]
