"""`fit`, `evaluate` and `predict`: Keras's own loops for TensorFlow, whose steps are called from Python.

Keras puts the step, the iterator and `steps_per_execution` into one function, since TensorFlow takes as long
for a call as for many operations. Here a call takes less than a microsecond.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import eagerflow as tf
from eagerflow.typing import Structure
from eagerflow_compat.keras_backend.operations import keras_module

_keras = keras_module("trainer")
TFEpochIterator = _keras.TFEpochIterator
reduce_per_replica = _keras.reduce_per_replica
_Trainer: Any = _keras.TensorFlowTrainer


class TensorFlowTrainer(_Trainer):
    """What models of Keras have of a backend."""

    def _make_function(self, step_function: Callable[[Structure], Structure]) -> Callable[..., Any]:
        """What runs the steps of one execution on the next batches of an iterator."""

        @tf.autograph.experimental.do_not_convert
        def one_step(data: Structure) -> Structure:
            strategy = self.distribute_strategy
            outputs = strategy.run(step_function, args=(data,))
            return reduce_per_replica(outputs, strategy, reduction="auto")

        if not self.run_eagerly:
            one_step = tf.function(one_step, reduce_retracing=True)
        one_step = self._autoconvert_optionals(one_step)

        def function(iterator: Any) -> Structure:
            outputs = None
            for _ in range(self.steps_per_execution):
                data = next(iterator, function)
                if data is function:  # It is the end of the data.
                    break
                outputs = one_step(data)
            if outputs is None:
                raise StopIteration
            return outputs

        return function
