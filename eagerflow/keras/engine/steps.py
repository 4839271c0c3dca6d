"""One step of training, evaluation or prediction, and the functions that make steps."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.autodiff.tape import GradientTape
from eagerflow.framework.variable import Variable, variable_at_once
from eagerflow.keras.engine import data_adapter, step_functions
from eagerflow.keras.engine.batches import Batches
from eagerflow.keras.engine.compiling import Compiled
from eagerflow.keras.engine.data_handler import class_weight_function, weighed_spec
from eagerflow.keras.engine.training_loop import (
    as_compiled,
    in_order,
    minimize,
    outside_graphs,
    plain,
)


class Steps(Compiled):
    """The part of `Model` that makes steps; programs override its methods."""

    _counters: Any = None

    def _counter(self, name: str) -> Variable:
        if self._counters is None:
            self._counters = {}
        counter = self._counters.get(name)
        if counter is None:
            counter = self._counters[name] = variable_at_once(
                0, dtype="int64", trainable=False, name=name
            )
        return counter

    @property
    def _train_counter(self) -> Variable:
        return self._counter("train_counter")

    @property
    def _test_counter(self) -> Variable:
        return self._counter("test_counter")

    @property
    def _predict_counter(self) -> Variable:
        return self._counter("predict_counter")

    def train_step(self, data: Any) -> dict[str, Any]:
        """One step of training; programs may override it.

        Args:
            data: a batch: inputs, or a tuple with labels and weights.

        Returns:
            The values to show, by name.
        """
        x, y, sample_weight = data_adapter.unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x, y, y_pred, sample_weight)
        self._validate_target_and_loss(y, loss)
        minimize(self.optimizer, loss, self.trainable_variables, tape)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def _validate_target_and_loss(self, y: Any, loss: Any) -> None:
        if self.loss and y is None:
            raise ValueError(
                f"Target data is missing. Your model was compiled with loss={self.loss}, and "
                "therefore expects target data to be provided in `fit()`."
            )
        if loss is None or (not self.loss and not self.losses):
            raise ValueError(
                "No loss found. You may have forgotten to provide a `loss` argument in the "
                "`compile()` method."
            )

    def test_step(self, data: Any) -> dict[str, Any]:
        """One step of evaluation; programs may override it.

        Args:
            data: a batch: inputs, or a tuple with labels and weights.

        Returns:
            The values to show, by name.
        """
        x, y, sample_weight = data_adapter.unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        self.compute_loss(x, y, y_pred, sample_weight)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Any) -> Any:
        """One step of prediction; programs may override it.

        Args:
            data: a batch: inputs, or a tuple whose first is the inputs.

        Returns:
            The predictions.
        """
        x, _, _ = data_adapter.unpack_x_y_sample_weight(data)
        return self(x, training=False)

    def __getstate__(self) -> dict[str, Any]:
        """The state of copies and pickles, without the functions that train this model."""
        kept = dict(vars(self))
        for name in ("train_function", "test_function", "predict_function", "train_tf_function"):
            if name in kept:
                kept[name] = None
        return kept

    def make_train_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and makes a step of training.

        It is a tf.function, unless the model runs eagerly: `train_step` is traced once for each
        kind of batch. With `steps_per_execution` it makes as many steps.

        Args:
            force: whether to make a new one.
        """
        if self.train_function is None or force:
            make_steps = step_functions.make_steps(self, "train", self._train_counter)

            def train_function(iterator: Any) -> Any:
                return make_steps(iterator)

            self.train_function = step_functions.traced(self, train_function)
            self.train_tf_function = self.train_function
        return self.train_function

    def make_test_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and makes a step of evaluation."""
        if self.test_function is None or force:
            make_steps = step_functions.make_steps(self, "test", self._test_counter)

            def test_function(iterator: Any) -> Any:
                return make_steps(iterator)

            self.test_function = step_functions.traced(self, test_function)
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and returns predictions."""
        if self.predict_function is None or force:
            make_steps = step_functions.make_steps(self, "predict", self._predict_counter)

            def predict_function(iterator: Any) -> Any:
                return make_steps(iterator)

            self.predict_function = step_functions.traced(self, predict_function)
        return self.predict_function

    def _one_batch(self, x: Any, y: Any, sample_weight: Any, class_weight: Any = None) -> Batches:
        """An iterator over one batch."""
        x, y, sample_weight = map(data_adapter._lists_as_arrays, (x, y, sample_weight))
        data = data_adapter.ArrayAdapter(x, y, sample_weight, data_adapter.ALL)
        batches, spec = data.batches(), data.element_spec
        if y is None:
            # Steps take a tuple, of inputs in any structure.
            batches = ((data_adapter.unpack_x_y_sample_weight(batch)[0],) for batch in batches)
            spec = (data_adapter.unpack_x_y_sample_weight(spec)[0],)
        if class_weight:
            batches = map(class_weight_function(class_weight), batches)
            spec = weighed_spec(spec)
        return Batches(batches, spec)

    @outside_graphs
    @as_compiled
    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: dict[int, float] | None = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """One step of training on one batch.

        Args:
            x: the inputs.
            y: the labels.
            sample_weight: weights of samples.
            class_weight: weights of classes.
            reset_metrics: whether values are of this batch only.
            return_dict: whether to return values by name.

        Returns:
            The loss, or a list of loss and metrics, or a dictionary.
        """
        self._assert_compiled()
        function = self.train_function = self.make_train_function()
        if reset_metrics:
            self.reset_metrics()
        logs = plain(function(self._one_batch(x, y, sample_weight, class_weight)))
        return logs if return_dict else in_order(logs, self.metrics_names)

    @outside_graphs
    def test_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """The loss and the metrics on one batch; arguments as those of `train_on_batch`."""
        self._assert_compiled()
        function = self.test_function = self.make_test_function()
        if reset_metrics:
            self.reset_metrics()
        logs = plain(function(self._one_batch(x, y, sample_weight)))
        return logs if return_dict else in_order(logs, self.metrics_names)

    @outside_graphs
    def predict_on_batch(self, x: Any) -> Any:
        """The predictions for one batch, as arrays."""
        self.predict_function = self.make_predict_function()
        outputs = self.predict_function(self._one_batch(x, None, None))
        return nest.map_structure(lambda value: value.numpy(), outputs)
