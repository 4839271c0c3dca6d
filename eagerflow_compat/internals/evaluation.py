"""tensorflow.python.training.evaluation: the loop that evaluates one checkpoint."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.ops.control_flow import control_dependencies
from eagerflow_compat.v1.monitored_session import ChiefSessionCreator, MonitoredSession
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
    """The local variable of the graph that counts the batches of an evaluation.

    Raises:
        ValueError: if the graph has several.
    """
    steps = context.default_graph().get_collection(GraphKeys.EVAL_STEP)
    if len(steps) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if steps:
        return steps[0]
    return get_variable(
        "eval_step",
        [],
        dtypes.int64,
        lambda shape, dtype=None, **_: _core.ops.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


class _StopAfterNEvalsHook(SessionRunHook):
    """Requests a stop when a number of batches has been evaluated.

    Args:
        num_evals: the number; None: until the input ends.
        log_progress: whether to log, about ten times.
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._log_progress = log_progress
        self._every = 1 if num_evals is None or num_evals < 20 else num_evals // 10
        self._evals_completed: Any = None

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        done = int(run_values.results["evals_completed"])
        last = self._num_evals is not None and done >= self._num_evals
        if self._log_progress and (last or done % self._every == 0):
            _log.info("Evaluation [%d%s]", done, f"/{self._num_evals}" if self._num_evals else "")
        if last:
            run_context.request_stop()


def _evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    hooks: Sequence[SessionRunHook] | None = None,
    config: Any = None,
) -> Any:
    """Runs an evaluation, batch by batch, until a hook stops it or the input ends.

    Args:
        checkpoint_path: the checkpoint; None for first values.
        master: must be empty.
        scaffold: the initializers and the saver.
        eval_ops: what is run for each batch: a tensor or operation, or a list or dictionary of them.
        feed_dict: values for tensors.
        final_ops: what is run at the end.
        final_ops_feed_dict: values for tensors.
        hooks: are called before and after runs.
        config: the session's.

    Returns:
        The results of `final_ops`, or None.
    """
    step = _get_or_create_eval_step()
    all_hooks = list(hooks or ())
    runs: Any = None
    if eval_ops is not None:
        if isinstance(eval_ops, Mapping):
            updates = list(eval_ops.values())
        else:
            updates = list(eval_ops) if isinstance(eval_ops, list | tuple) else [eval_ops]
        runs = [*updates, step.assign_add(1)]
        with control_dependencies(runs):
            done = _core.ops.identity(step.read_value())
        for hook in all_hooks:
            if isinstance(hook, _StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(done)
    creator = ChiefSessionCreator(
        scaffold, master, config, checkpoint_filename_with_path=checkpoint_path
    )
    results = FinalOpsHook(final_ops, final_ops_feed_dict)
    started = time.time()
    _log.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%S"))
    with MonitoredSession(creator, [*all_hooks, results]) as session:
        while runs is not None and not session.should_stop():
            session.run(runs, feed_dict)
    _log.info("Finished evaluation after %.5fs", time.time() - started)
    return results.final_ops_values
