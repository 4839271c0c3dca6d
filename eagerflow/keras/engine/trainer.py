"""Trainer: compile, fit, evaluate, predict, and one step of each."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eagerflow import nest
from eagerflow.autodiff.tape import GradientTape
from eagerflow.framework.context import get_logger
from eagerflow.framework.variable import Variable
from eagerflow.keras.engine import data_adapter
from eagerflow.keras.engine.data_handler import DataHandler, class_weight_function
from eagerflow.keras.engine.keras_tensor import KerasTensor
from eagerflow.keras.engine.sequence_workers import Workers
from eagerflow.keras.engine.training_loop import (
    NanWarning,
    Validation,
    as_compiled,
    check_metric_objects,
    check_metrics,
    concatenated,
    in_order,
    is_due,
    make_step_function,
    minimize,
    outside_graphs,
    plain,
)
from eagerflow.util import lazy

if TYPE_CHECKING:
    from eagerflow.keras.callbacks import CallbackList
    from eagerflow.keras.engine.layer import Layer as _Layer
else:
    _Layer = object

# Imported when they are first used: few programs need them.
losses_and_metrics = lazy.Module("eagerflow.keras.engine.losses_and_metrics")
mixed_precision = lazy.Module("eagerflow.keras.mixed_precision")
serialization = lazy.Module("eagerflow.keras.saving.serialization")

# The arguments of `compile` that configurations describe by classes and functions.
_SERIALIZED_KINDS = {
    "optimizer": "optimizer",
    "loss": "loss",
    "metrics": "metric",
    "weighted_metrics": "metric",
}


class Trainer(_Layer):
    """The part of `Model` that trains: the arguments of `compile`, the loops, and the steps."""

    _graph: Any = None
    _is_compiled = False
    optimizer: Any = None
    loss: Any = None
    compiled_loss: Any = None
    compiled_metrics: Any = None
    stop_training = False
    history: Any = None
    _run_eagerly: Any = None
    _steps_per_execution: Any = None
    _compile_arguments: Any = None
    _user_metrics: Any = None
    train_function: Any = None
    test_function: Any = None
    predict_function: Any = None
    train_tf_function: Any = None
    _counters: Any = None
    _compiled_trainable: Any = None

    def _scaled(self, optimizer: Any) -> Any:
        """The optimizer; for float16 computations, one that scales the loss."""
        if getattr(self.dtype_policy, "name", None) != "mixed_float16":
            return optimizer
        known = optimizer is None or isinstance(optimizer, mixed_precision.LossScaleOptimizer)
        return optimizer if known else mixed_precision.LossScaleOptimizer(optimizer)

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool | None = None,
        steps_per_execution: int | None = None,
        jit_compile: bool | None = None,
        pss_evaluation_shards: Any = 0,
        **kwargs: Any,
    ) -> None:
        """Configures the model for training.

        Args:
            optimizer: an optimizer or its name.
            loss: a loss, a function or a name, or a list or dictionary of them by output.
            metrics: a list of metrics, functions or names; "accuracy" takes the kind that suits.
            loss_weights: factors by output.
            weighted_metrics: metrics that take sample weights into account.
            run_eagerly: accepted: training runs eagerly.
            steps_per_execution: after how many steps callbacks are called.
            jit_compile: accepted.
            pss_evaluation_shards: accepted.
            **kwargs: accepted for compatibility: `sample_weight_mode`, `from_serialized`.

        Raises:
            TypeError: for other arguments.
            ValueError: for unknown names.
        """
        # Only programs that train import losses, metrics and optimizers.
        optimizers = importlib.import_module("eagerflow.keras.optimizers")
        from_serialized = kwargs.pop("from_serialized", False)
        if "experimental_steps_per_execution" in kwargs:
            steps_per_execution = kwargs.pop("experimental_steps_per_execution")
        for ignored in ("sample_weight_mode", "experimental_run_tf_function", "auto_scale_loss"):
            kwargs.pop(ignored, None)
        if kwargs.pop("cloning", None) is not None or kwargs.pop("target_tensors", None):
            raise ValueError("`target_tensors` and `cloning` belong to graphs of TensorFlow 1.")
        if kwargs:
            raise TypeError(
                f"Invalid keyword argument(s) in `compile()`: {set(kwargs)}. Valid keyword "
                "arguments include 'optimizer', 'loss', 'metrics', 'loss_weights' and "
                "'weighted_metrics'."
            )
        for group in (metrics, weighted_metrics):
            check_metrics(group)
        check_metric_objects(metrics, weighted_metrics)
        self._compile_arguments = {
            "optimizer": optimizer,
            "loss": loss,
            "metrics": metrics,
            "loss_weights": loss_weights,
            "weighted_metrics": weighted_metrics,
            "run_eagerly": run_eagerly,
            "steps_per_execution": steps_per_execution,
            "jit_compile": jit_compile,
        }
        names = None if self._graph is None else self._graph.output_names
        if isinstance(optimizer, list | tuple):
            self.optimizer = [self._scaled(optimizers.get(one)) for one in optimizer]
        else:
            self.optimizer = self._scaled(optimizers.get(optimizer))
        self.loss = loss if loss is not None else {}
        if isinstance(loss, losses_and_metrics.LossesContainer):
            self.compiled_loss = loss
        else:
            self.compiled_loss = losses_and_metrics.LossesContainer(loss, loss_weights, names)
        self._user_metrics = metrics
        self.compiled_metrics = losses_and_metrics.MetricsContainer(
            metrics, weighted_metrics, names, from_serialized=from_serialized
        )
        self._run_eagerly = run_eagerly
        self._steps_per_execution = steps_per_execution or 1
        self._is_compiled = True
        self.__dict__["_compiled_trainable"] = {
            layer: layer._trainable for layer in self._flatten_layers()
        }
        self.train_function = self.test_function = self.predict_function = None

    @property
    def run_eagerly(self) -> bool:
        """Whether steps run operation by operation: as `compile` was told, true by default."""
        return True if self._run_eagerly is None else bool(self._run_eagerly)

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._run_eagerly = value

    @property
    def jit_compile(self) -> Any:
        """The argument of `compile`, or the value that was set since."""
        return (self._compile_arguments or {}).get("jit_compile")

    @jit_compile.setter
    def jit_compile(self, value: Any) -> None:
        self._compile_arguments = {**(self._compile_arguments or {}), "jit_compile": value}

    @property
    def steps_per_execution(self) -> Any:
        """After how many steps callbacks are called; None before `compile`."""
        return self._steps_per_execution

    @steps_per_execution.setter
    def steps_per_execution(self, value: int) -> None:
        self._steps_per_execution = value

    @property
    def distribute_strategy(self) -> Any:
        """None: models run on one device."""
        return None

    def _counter(self, name: str) -> Variable:
        if self._counters is None:
            self._counters = {}
        counter = self._counters.get(name)
        if counter is None:
            counter = self._counters[name] = Variable(0, dtype="int64", trainable=False, name=name)
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

    @property
    def metrics(self) -> list[Any]:
        """All metric objects: the loss's, those given to `compile`, and those of the layers."""
        metrics: list[Any] = []
        if self._is_compiled:
            if self.compiled_loss is not None:
                metrics.extend(self.compiled_loss.metrics)
            if self.compiled_metrics is not None:
                metrics.extend(self.compiled_metrics.metrics)
        for layer in self._all_inner_layers():
            own = layer.__dict__.get("_metrics")
            if own:
                metrics.extend(own)
        return list({id(metric): metric for metric in metrics}.values())

    @property
    def metrics_names(self) -> list[str]:
        """The names of what `evaluate` returns; known after the first batch."""
        return [metric.name for metric in self.metrics]

    def reset_metrics(self) -> None:
        """Resets all metrics."""
        for metric in self.metrics:
            metric.reset_state()

    def get_metrics_result(self) -> dict[str, Any]:
        """The values of all metrics by name, as tensors."""
        values: dict[str, Any] = {}
        for metric in self.metrics:
            result = metric.result()
            if isinstance(result, dict):
                values.update(result)
            else:
                values[metric.name] = result
        return values

    def get_compile_config(self) -> dict[str, Any] | None:
        """The arguments of `compile` as plain values; None for models that were not compiled."""
        if not self._is_compiled or self._compile_arguments is None:
            return None
        if not getattr(self.optimizer, "_takes_tape", True):
            get_logger().warning(
                "Version 1's optimizers cannot be saved with a model: it has to be compiled again "
                "after it has been loaded. Prefer an optimizer of Keras (`tf.keras.optimizers`)."
            )
            return None
        return {
            key: serialization.serialize_keras_object(value)
            for key, value in self._compile_arguments.items()
        }

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compiles the model with what `get_compile_config` returned."""
        arguments = {
            name: serialization.deserialize_as(_SERIALIZED_KINDS[name], value)
            if name in _SERIALIZED_KINDS
            else serialization.deserialize_keras_object(value)
            for name, value in config.items()
        }
        self.compile(**arguments)
        if hasattr(self.optimizer, "build") and self.built:
            self.optimizer.build(self.trainable_variables)

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None
    ) -> Any:
        """The loss of a batch, with the terms that layers and regularizers add.

        Args:
            x: the inputs.
            y: the labels.
            y_pred: the predictions.
            sample_weight: weights of samples.
        """
        # Layers that were not called have no values.
        losses = [loss for loss in self.losses if not isinstance(loss, KerasTensor)]
        return self.compiled_loss(y, y_pred, sample_weight, regularization_losses=losses)

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any) -> dict[str, Any]:
        """Updates all metrics with a batch, and returns their values by name."""
        self.compiled_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

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
        for name in ("train_function", "test_function", "predict_function"):
            if name in kept:
                kept[name] = None
        return kept

    def make_train_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and makes a step of training."""
        if self.train_function is None or force:
            self.train_function = make_step_function(self, "train_step", self._train_counter)
        return self.train_function

    def make_test_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and makes a step of evaluation."""
        if self.test_function is None or force:
            self.test_function = make_step_function(self, "test_step", self._test_counter)
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and returns predictions."""
        if self.predict_function is None or force:
            self.predict_function = make_step_function(self, "predict_step", self._predict_counter)
        return self.predict_function

    def _assert_compiled(self) -> None:
        if not self._is_compiled:
            raise RuntimeError(
                "You must compile your model before training/testing. "
                "Use `model.compile(optimizer, loss)`."
            )

    def _callback_list(
        self, callbacks: Any, verbose: int, epochs: int, steps: int | None
    ) -> CallbackList:
        """The callbacks as a CallbackList, with a history and, unless silent, a progress bar."""
        # Imported here: callbacks import modules for logs and files.
        kind = importlib.import_module("eagerflow.keras.callbacks").CallbackList
        if isinstance(callbacks, kind):
            return callbacks
        return kind(
            callbacks,
            add_history=True,
            add_progbar=verbose != 0,
            model=self,
            verbose=verbose,
            epochs=epochs,
            steps=steps,
        )

    @outside_graphs
    @as_compiled
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: dict[int, float] | None = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """Trains the model.

        Args:
            x: the data: arrays, tensors or tables in any structure, a Dataset, a
                `keras.utils.Sequence`, or a generator of batches.
            y: labels, unless the data contain them.
            batch_size: how many samples make a step, 32 by default.
            epochs: the index after the last epoch.
            verbose: 0 shows nothing, 1 a progress bar, 2 a line for each epoch.
            callbacks: callbacks, called at the beginning and end of epochs and batches.
            validation_split: which part of the arrays, from their end, to validate on.
            validation_data: the data to validate on, with labels and perhaps weights.
            shuffle: whether to mix the samples of arrays; "batch" mixes batches.
            class_weight: weights of classes by index.
            sample_weight: weights of samples.
            initial_epoch: how many epochs there were before.
            steps_per_epoch: how many batches make an epoch.
            validation_steps: how many batches to validate on.
            validation_batch_size: how many samples make a batch of validation.
            validation_freq: after how many epochs to validate, or a list of epochs.
            max_queue_size: how many batches of a sequence are made ahead.
            workers: how many threads or processes make the batches of a sequence.
            use_multiprocessing: whether they are processes.

        Returns:
            A History, whose `history` has the values of each epoch by name.

        Raises:
            RuntimeError: if the model was not compiled.
            ValueError: for data that do not fit together or do not fit the model.

        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
        >>> model.compile("sgd", "mse")
        >>> history = model.fit(tf.ones([4, 1]), tf.ones([4, 1]), epochs=2, verbose=0)
        >>> [round(value, 4) for value in history.history["loss"]]
        [1.0, 0.9216]
        """
        self._assert_compiled()
        verbose = 1 if verbose == "auto" else verbose
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = data_adapter.train_validation_split(
                (x, y, sample_weight), validation_split
            )
        data = DataHandler(
            x,
            y,
            sample_weight,
            batch_size,
            steps_per_epoch,
            initial_epoch,
            epochs,
            shuffle,
            class_weight,
            Workers(workers, use_multiprocessing, max_queue_size),
            int(self._steps_per_execution),
        )
        callbacks = self._callback_list(callbacks, verbose, epochs, data.inferred_steps)
        self.stop_training = False
        self.train_function = self.make_train_function()
        self._train_counter.assign(0)
        callbacks.on_train_begin()
        training_logs = None
        validation = Validation(
            self,
            validation_data,
            validation_batch_size or batch_size,
            Workers(workers, use_multiprocessing, max_queue_size),
        )
        nan = NanWarning()
        if hasattr(self, "_maybe_load_initial_epoch_from_callbacks"):
            data._initial_epoch, data._initial_step = self._maybe_load_initial_epoch_from_callbacks(
                callbacks, data
            )
        logs: Any = None
        for epoch, iterator in data.enumerate_epochs():
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            before = logs
            with data.catch_stop_iteration():
                for step in data.steps():
                    callbacks.on_train_batch_begin(step)
                    count = data.execution_steps
                    for _ in range(count):
                        # Callbacks may replace the function, and `compile` resets it.
                        logs = (self.train_function or self.make_train_function())(iterator)
                    callbacks.on_train_batch_end(step + count - 1, logs)
                    if self.stop_training:
                        break
            if logs is None:
                raise ValueError(
                    "Unexpected result of `train_function` (Empty Logs): the data gave no batch in "
                    f"epoch {epoch + 1}, or `train_step` returned nothing."
                )
            if logs is before and set(logs) == set(values := self.get_metrics_result()):
                logs = values  # the data ended with the epoch before; metrics have seen nothing
            logs = plain(logs)
            epoch_logs = self._validate_and_get_metrics_result(logs)
            nan.check(epoch_logs, epoch)
            if validation_data is not None and is_due(epoch, validation_freq):
                values = validation.run(callbacks, validation_steps)
                epoch_logs.update({f"val_{name}": value for name, value in values.items()})
            callbacks.on_epoch_end(epoch, epoch_logs)
            training_logs = epoch_logs
            if self.stop_training:
                break
        if epochs > 0 and getattr(self.optimizer, "use_ema", False):
            self.optimizer.finalize_variable_values(self.trainable_variables)
        callbacks.on_train_end(logs=training_logs)
        return self.history

    @staticmethod
    def _validate_and_get_metrics_result(logs: Any) -> dict[str, Any]:
        if not isinstance(logs, dict):
            raise RuntimeError(
                "The return value of a step must be a dictionary of values by name, as "
                "`{'loss': loss}`. Received: "
                f"{logs!r}."
            )
        return copy.copy(logs)

    @outside_graphs
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The loss and the metrics on data, which are of the kinds that `fit` takes.

        Args:
            x: the data.
            y: labels, unless the data contain them.
            batch_size: how many samples make a batch, 32 by default.
            verbose: 0 shows nothing, 1 a progress bar, 2 a line.
            sample_weight: weights of samples.
            steps: how many batches to take; by default all.
            callbacks: callbacks.
            max_queue_size: how many batches of a sequence are made ahead.
            workers: how many threads or processes make the batches of a sequence.
            use_multiprocessing: whether they are processes.
            return_dict: whether to return values by name.

        Returns:
            The loss, or a list of loss and metrics in the order of `metrics_names`, or a
            dictionary.
        """
        self._assert_compiled()
        handler = kwargs.pop("_data", None)
        if kwargs:
            raise TypeError(f"Invalid keyword arguments: {list(kwargs)}")
        verbose = 1 if verbose == "auto" else verbose
        if handler is None:
            handler = DataHandler(
                x,
                y,
                sample_weight,
                batch_size,
                steps,
                workers=Workers(workers, use_multiprocessing, max_queue_size),
                steps_per_execution=int(self._steps_per_execution),
            )
        callbacks = self._callback_list(callbacks, verbose, 1, handler.inferred_steps)
        logs: Any = {}
        test_function = self.test_function = self.make_test_function()
        self._test_counter.assign(0)
        callbacks.on_test_begin()
        for _, iterator in handler.enumerate_epochs():
            self.reset_metrics()
            with handler.catch_stop_iteration():
                for step in handler.steps():
                    callbacks.on_test_batch_begin(step)
                    count = handler.execution_steps
                    for _ in range(count):
                        logs = test_function(iterator)
                    callbacks.on_test_batch_end(step + count - 1, logs)
        logs = plain(logs)
        if not logs and not isinstance(logs, dict):
            raise ValueError(
                "Unexpected result of `test_function` (Empty Logs): the data gave no batch, or "
                "`test_step` returned nothing."
            )
        logs = self._validate_and_get_metrics_result(logs)
        callbacks.on_test_end(logs=logs)
        if return_dict:
            return logs
        return in_order(logs, self.metrics_names)

    @outside_graphs
    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> Any:
        """The predictions for data, which are of the kinds that `fit` takes, as arrays.

        Args:
            x: the data.
            batch_size: how many samples make a batch, 32 by default.
            verbose: 0 shows nothing, 1 a progress bar, 2 a line.
            steps: how many batches to take; by default all.
            callbacks: callbacks.
            max_queue_size: how many batches of a sequence are made ahead.
            workers: how many threads or processes make the batches of a sequence.
            use_multiprocessing: whether they are processes.

        >>> tf.keras.Sequential([tf.keras.layers.ReLU()]).predict([-1.0, 2.0], verbose=0)
        array([0., 2.], dtype=float32)
        """
        verbose = 1 if verbose == "auto" else verbose
        data = DataHandler(
            x,
            batch_size=batch_size,
            steps_per_epoch=steps,
            workers=Workers(workers, use_multiprocessing, max_queue_size),
            steps_per_execution=int(self._steps_per_execution or 1),
        )
        callbacks = self._callback_list(callbacks, verbose, 1, data.inferred_steps)
        collected: list[Any] = []
        structure: Any = None
        self.predict_function = self.make_predict_function()
        self._predict_counter.assign(0)
        callbacks.on_predict_begin()
        for _, iterator in data.enumerate_epochs():
            with data.catch_stop_iteration():
                for step in data.steps():
                    callbacks.on_predict_batch_begin(step)
                    count = data.execution_steps
                    for _ in range(count):
                        structure = (self.predict_function or self.make_predict_function())(
                            iterator
                        )
                        collected.append(nest.flatten(structure))
                    callbacks.on_predict_batch_end(step + count - 1, {"outputs": structure})
        if not collected:
            raise ValueError(
                "Unexpected result of `predict_function` (Empty batch_outputs): the data gave no "
                "batch to predict on."
            )
        callbacks.on_predict_end()
        columns = [concatenated(list(column)) for column in zip(*collected, strict=True)]
        return nest.pack_sequence_as(structure, columns)

    def _one_batch(
        self, x: Any, y: Any, sample_weight: Any, class_weight: Any = None
    ) -> Iterator[Any]:
        data = data_adapter.ArrayAdapter(
            data_adapter._lists_as_arrays(x),
            data_adapter._lists_as_arrays(y),
            data_adapter._lists_as_arrays(sample_weight),
            batch_size=1 << 62,
        )
        batches = data.batches()
        if y is None:
            # Steps take a tuple, of inputs in any structure.
            batches = ((data_adapter.unpack_x_y_sample_weight(batch)[0],) for batch in batches)
        if class_weight:
            return map(class_weight_function(class_weight), batches)
        return batches

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

    def fit_generator(
        self,
        generator: Any,
        steps_per_epoch: int | None = None,
        epochs: int = 1,
        verbose: Any = 1,
        callbacks: Any = None,
        validation_data: Any = None,
        validation_steps: int | None = None,
        validation_freq: Any = 1,
        class_weight: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        shuffle: bool = True,
        initial_epoch: int = 0,
    ) -> Any:
        """The deprecated name of `fit` for generators."""
        return self.fit(
            generator,
            steps_per_epoch=steps_per_epoch,
            epochs=epochs,
            verbose=verbose,
            callbacks=callbacks,
            validation_data=validation_data,
            validation_steps=validation_steps,
            validation_freq=validation_freq,
            class_weight=class_weight,
            max_queue_size=max_queue_size,
            workers=workers,
            use_multiprocessing=use_multiprocessing,
            shuffle=shuffle,
            initial_epoch=initial_epoch,
        )

    def evaluate_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: Any = 0,
    ) -> Any:
        """The deprecated name of `evaluate` for generators."""
        return self.evaluate(
            generator,
            steps=steps,
            callbacks=callbacks,
            max_queue_size=max_queue_size,
            workers=workers,
            use_multiprocessing=use_multiprocessing,
            verbose=verbose,
        )

    def predict_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: Any = 0,
    ) -> Any:
        """The deprecated name of `predict` for generators."""
        return self.predict(
            generator,
            steps=steps,
            callbacks=callbacks,
            max_queue_size=max_queue_size,
            workers=workers,
            use_multiprocessing=use_multiprocessing,
            verbose=verbose,
        )
