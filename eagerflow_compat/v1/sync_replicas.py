"""SyncReplicasOptimizer: one update for the mean gradient of several workers."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.graph import variables as graph_variables
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.queues import FIFOQueue
from eagerflow.ops.control_flow import control_dependencies, group, no_op
from eagerflow_compat.v1.accumulators import ConditionalAccumulator, SparseConditionalAccumulator
from eagerflow_compat.v1.optimizers import Optimizer
from eagerflow_compat.v1.queue_runner import QueueRunner
from eagerflow_compat.v1.session_hooks import SessionRunHook

__all__ = ["SyncReplicasOptimizer"]

_ops = _core.ops


class SyncReplicasOptimizer(Optimizer):
    """Applies the mean of the gradients of several workers at once, in programs of version 1.

    Each worker adds its gradients and then waits for a token, of which the chief puts as many as
    there are workers once it has applied the mean. Gradients of an earlier step are dropped.

    Args:
        opt: the optimizer that applies the mean.
        replicas_to_aggregate: how many gradients make a mean.
        total_num_replicas: the number of workers; by default the same.
        variable_averages: an ExponentialMovingAverage, updated after each step.
        variables_to_average: the variables for it.
        use_locking: accepted.
        name: the optimizer's name.
    """

    def __init__(
        self,
        opt: Any,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        super().__init__(use_locking, name)
        total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        self._opt, self._replicas_to_aggregate = opt, replicas_to_aggregate
        self._total_num_replicas = total
        self._tokens_per_step = max(total, replicas_to_aggregate)
        self._averages, self._averaged = variable_averages, variables_to_average
        self._applied = False

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The gradients and their variables; see `Optimizer.compute_gradients`."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Adds this worker's gradients, and waits until the chief has applied the mean.

        Args:
            grads_and_vars: pairs of gradients and variables.
            global_step: the step's variable, which tells gradients that came too late.
            name: ignored.

        Raises:
            ValueError: if there are no pairs, or no step.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        # Its first value is that of the step, which is one of the global variables.
        self._local_step = graph_variables.make_variable(
            0,
            False,
            [GraphKeys.LOCAL_VARIABLES],
            dtype=global_step.dtype,
            name="sync_rep_local_step",
        )
        self.local_step_init_op = graph_variables.assign(self._local_step, global_step)
        self.ready_for_local_init_op = graph_variables.report_uninitialized_variables(
            graph_variables.global_variables()
        )
        added, begun = [], [self.local_step_init_op]
        means: list[Any] = []
        for gradient, variable in pairs:
            if gradient is None:
                means.append(None)
                continue
            kind = variable.dtype
            if isinstance(gradient, IndexedSlices):
                rows = SparseConditionalAccumulator(kind, variable.shape, name="grad_accum")
                added.append(rows.apply_indexed_slices_grad(gradient, self._local_step))
                means.append(rows.take_indexed_slices_grad(self._replicas_to_aggregate))
                begun.append(rows.set_global_step(global_step))
            else:
                dense = ConditionalAccumulator(kind, variable.shape, name="grad_accum")
                added.append(dense.apply_grad(gradient, self._local_step))
                means.append(dense.take_grad(self._replicas_to_aggregate))
                begun.append(dense.set_global_step(global_step))
        self.chief_init_op = group(*begun)
        aggregated = [(mean, variable) for mean, (_, variable) in zip(means, pairs, strict=True)]
        update = self._opt.apply_gradients(aggregated, global_step)
        self._tokens = FIFOQueue(-1, [global_step.dtype], [[]], name="sync_token_q")
        with control_dependencies(added):
            token = self._tokens.dequeue()
        train = graph_variables.assign(self._local_step, token)
        with control_dependencies([update]):
            step = global_step.read_value()
            done = self._tokens.enqueue_many(_ops.fill(step, [self._tokens_per_step]))
        if self._averages is not None:
            with control_dependencies([done]):
                done = self._averages.apply(self._averaged)
        self._runner = QueueRunner(FIFOQueue(1, [dtypes.int32], [[]], name="dummy_q"), [done])
        self._applied = True
        return train.op if hasattr(train, "op") else train

    def _checked(self) -> None:
        if not self._applied:
            raise ValueError("Should be called after apply_gradients().")

    def get_chief_queue_runner(self) -> QueueRunner:
        """The QueueRunner with which the chief applies means and puts tokens.

        Raises:
            ValueError: before `apply_gradients`.
        """
        self._checked()
        return self._runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """Puts the first tokens, which the chief runs before training; as many as gradients by default.

        Raises:
            ValueError: before `apply_gradients`, or if there would be too few for all workers.
        """
        self._checked()
        needed = self._replicas_to_aggregate - self._total_num_replicas
        count = self._replicas_to_aggregate if num_tokens == -1 else num_tokens
        if count < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {count} (given) vs {needed} (needed)"
            )
        if count <= 0:
            return no_op(name="no_init_tokens")
        step = self._global_step.read_value()
        return self._tokens.enqueue_many(_ops.fill(step, [count]))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """A hook for monitored sessions that does all that a worker, or the chief, must do first."""
        return _SyncReplicasHook(self, is_chief, num_tokens)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """A slot of the optimizer that applies the mean."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The names of its slots."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """Its variables."""
        return list(self._opt.variables())


class _SyncReplicasHook(SessionRunHook):
    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._optimizer, self._is_chief, self._num_tokens = optimizer, is_chief, num_tokens

    def begin(self) -> None:
        optimizer = self._optimizer
        optimizer._checked()
        if self._is_chief:
            self._init = optimizer.chief_init_op
            self._first = optimizer.get_init_tokens_op(self._num_tokens)
        else:
            self._init = optimizer.local_step_init_op

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._init)
        if self._is_chief:
            session.run(self._first)
            self._optimizer.get_chief_queue_runner().create_threads(
                session, coord=coord, daemon=True, start=True
            )
