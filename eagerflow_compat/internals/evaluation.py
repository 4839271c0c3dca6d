"""tensorflow.python.training.evaluation: a checkpoint is evaluated in a session, step by step."""

from __future__ import annotations

import logging
from typing import Any

from eagerflow.compat import v1
from eagerflow.framework import context, dtypes
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.typing import Structure, TensorLike
from eagerflow_compat.v1.monitored_session import ChiefSessionCreator, MonitoredSession, Scaffold
from eagerflow_compat.v1.session_hooks import (
    FinalOpsHook,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from eagerflow_compat.v1.variable_scope import get_variable

__all__ = ["_StopAfterNEvalsHook", "_evaluate_once", "_get_or_create_eval_step"]

_log = logging.getLogger("tensorflow")


def _get_or_create_eval_step() -> Any:
    """The local variable that counts the steps of an evaluation.

    Raises:
        ValueError: if the graph has several.
    """
    graph = context.default_graph()
    steps = graph.get_collection(GraphKeys.EVAL_STEP)
    if len(steps) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if steps:
        return steps[0]
    return get_variable(
        "eval_step",
        [],
        dtypes.int64,
        v1.zeros_initializer(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


class _StopAfterNEvalsHook(SessionRunHook):
    """Requests a stop after a number of evaluation steps.

    Args:
        num_evals: the number of steps; None never stops.
        log_progress: whether every tenth of the steps is logged.
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._evals_completed: Any = None
        self._log_progress = log_progress
        self._log_frequency = 1 if not num_evals or num_evals < 20 else num_evals // 10

    def _set_evals_completed_tensor(self, updated_eval_step: TensorLike) -> None:
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        completed = int(run_values.results["evals_completed"])
        if self._log_progress:
            if self._num_evals is None:
                _log.info("Evaluation [%d]", completed)
            elif completed % self._log_frequency == 0 or completed == self._num_evals:
                _log.info("Evaluation [%d/%d]", completed, self._num_evals)
        if self._num_evals is not None and completed >= self._num_evals:
            run_context.request_stop()


def _with_counted_step(eval_ops: Any, step: Any) -> Any:
    """The operations of a step, and the one that counts it."""
    update = v1.assign_add(step, 1, use_locking=True)
    if isinstance(eval_ops, dict):
        return {**eval_ops, "update_eval_step": update}
    if isinstance(eval_ops, list | tuple):
        return [*eval_ops, update]
    return [eval_ops, update]


def _evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: Scaffold | None = None,
    eval_ops: Structure = None,
    feed_dict: dict[Any, Any] | None = None,
    final_ops: Structure = None,
    final_ops_feed_dict: dict[Any, Any] | None = None,
    hooks: list[Any] | None = None,
    config: object = None,
) -> Any:
    """Restores a checkpoint, runs `eval_ops` until a hook stops, and returns the values of `final_ops`.

    Args:
        checkpoint_path: the checkpoint; None initializes the variables.
        master: must be empty.
        scaffold: the initializers and the saver.
        eval_ops: what each step runs; None for no steps.
        feed_dict: the feeds of each step.
        final_ops: what runs once at the end.
        final_ops_feed_dict: its feeds.
        hooks: are called around each step.
        config: the settings of the session.
    """
    step = _get_or_create_eval_step()
    hooks = list(hooks or [])
    if eval_ops is not None:
        eval_ops = _with_counted_step(eval_ops, step)
        with v1.control_dependencies(v1.nest.flatten(eval_ops)):
            completed = v1.identity(step.read_value())
        for hook in hooks:
            if isinstance(hook, _StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(completed)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    hooks.append(final)
    creator = ChiefSessionCreator(
        scaffold, master, config, checkpoint_filename_with_path=checkpoint_path
    )
    _log.info("Starting evaluation of %s", checkpoint_path)
    with MonitoredSession(creator, hooks=hooks) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
    _log.info("Finished evaluation of %s", checkpoint_path)
    return final.final_ops_values
