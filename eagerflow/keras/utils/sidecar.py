"""SidecarEvaluator: evaluates checkpoints while another program trains."""

from __future__ import annotations

from typing import Any

from eagerflow import errors
from eagerflow.framework import dtypes
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.optimizer import is_optimizer
from eagerflow.util import lazy

# Imported when they are first used: few programs need them.
inspection = lazy.Module("eagerflow.checkpoint.inspection")
train = lazy.Module("eagerflow.train")

_UNKNOWN = -1


class SidecarEvaluator:
    """Evaluates each new checkpoint in a folder until enough of them are evaluated.

    Args:
        model: a compiled model like the one that is trained.
        data: the data for `model.evaluate`.
        checkpoint_dir: the folder to which checkpoints are written.
        steps: how many batches make an evaluation; all by default.
        max_evaluations: the index of the checkpoint after which to stop; None for never.
        callbacks: callbacks of the evaluations.

    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> data = tf.data.Dataset.from_tensors((tf.ones([2, 3]), tf.ones([2, 1])))
    >>> evaluator = tf.keras.utils.SidecarEvaluator(model, data, "checkpoints", max_evaluations=3)
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        checkpoint_dir: object,
        steps: int | None = None,
        max_evaluations: int | None = None,
        callbacks: list[Any] | None = None,
    ) -> None:
        self.model = model
        self.data = data
        self.checkpoint_dir = checkpoint_dir
        self.max_evaluations = max_evaluations
        self.steps = steps
        self.callbacks = callbacks or []
        self._iterations = Variable(_UNKNOWN, dtype=dtypes.int64, name="iterations")

    def start(self) -> None:
        """Waits for checkpoints and evaluates them.

        Raises:
            RuntimeError: if a checkpoint lacks the optimizer's iteration.
        """
        optimizer: Any = self.model.optimizer
        known = is_optimizer(optimizer)
        if not known:
            optimizer = train.Checkpoint(iter=self._iterations)
        checkpoint = train.Checkpoint(model=self.model, optimizer=optimizer)
        for path in train.checkpoints_iterator(self.checkpoint_dir):
            try:
                checkpoint.restore(path).expect_partial()
                names = [name for name, _ in inspection.list_variables(path)]
                if not any(name.startswith("model/") for name in names):
                    self.model.load_weights(path)
            except errors.UnavailableError:
                raise
            except errors.OpError:
                # The checkpoint may be deleted or incomplete: the next one is tried.
                continue
            if not known and int(self._iterations) == _UNKNOWN:
                raise RuntimeError(
                    "Variable `iterations` cannot be loaded from the checkpoint file at "
                    f"{self.checkpoint_dir}. Please ensure `iterations` is included in the "
                    "checkpoint saved during training."
                )
            self.model.evaluate(self.data, steps=self.steps, callbacks=self.callbacks, verbose=2)
            if self.max_evaluations and self.max_evaluations <= int(path.rsplit("-", 1)[-1]):
                return
