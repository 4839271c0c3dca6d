"""Training: compile, fit, evaluate, predict, and one step of each."""

from __future__ import annotations

import copy
import importlib
import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.keras.engine import data_adapter
from eagerflow.keras.engine.network import Network
from eagerflow.tape import GradientTape
from eagerflow.variable import Variable

_ops = _core.ops


class Trainer(Network):
    """A model that can be trained."""

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
    # Kept for the program's sake; none of them is looked into for weights.
    _TF_MODULE_IGNORED_PROPERTIES = Network._TF_MODULE_IGNORED_PROPERTIES | {
        "_counters",
        "compiled_loss",
        "compiled_metrics",
        "_compile_arguments",
        "_user_metrics",
        "loss",
        "history",
    }

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
        """Says how the model is trained.

        Args:
            optimizer: an optimizer or its name.
            loss: a loss, a function or a name, or a list or dictionary of them by output.
            metrics: a list of metrics, functions or names; "accuracy" takes the kind that suits.
            loss_weights: numbers by output.
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
        optimizers = importlib.import_module("eagerflow.keras").optimizers
        from eagerflow.keras.engine.compile_utils import LossesContainer, MetricsContainer

        from_serialized = kwargs.pop("from_serialized", False)
        if "experimental_steps_per_execution" in kwargs:
            steps_per_execution = kwargs.pop("experimental_steps_per_execution")
        kwargs.pop("sample_weight_mode", None)
        kwargs.pop("experimental_run_tf_function", None)
        if kwargs.pop("cloning", None) is not None or kwargs.pop("target_tensors", None):
            raise ValueError("`target_tensors` and `cloning` belong to graphs of TensorFlow 1.")
        if kwargs:
            raise TypeError(
                f"Invalid keyword argument(s) in `compile()`: {set(kwargs)}. Valid keyword "
                "arguments include 'optimizer', 'loss', 'metrics', 'loss_weights' and "
                "'weighted_metrics'."
            )
        for group in (metrics, weighted_metrics):
            _check_metrics(group)
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
        names = self.output_names if self._graph is not None else None
        if isinstance(optimizer, list | tuple):
            self.optimizer = [optimizers.get(one) for one in optimizer]
        else:
            self.optimizer = optimizers.get(optimizer)
        self.loss = loss if loss is not None else {}
        if isinstance(loss, LossesContainer):
            self.compiled_loss = loss
        else:
            self.compiled_loss = LossesContainer(loss, loss_weights, names)
        self._user_metrics = metrics
        self.compiled_metrics = MetricsContainer(
            metrics, weighted_metrics, names, from_serialized=from_serialized
        )
        self._run_eagerly = run_eagerly
        self._steps_per_execution = steps_per_execution or 1
        self._is_compiled = True
        self.train_function = self.test_function = self.predict_function = None

    @property
    def run_eagerly(self) -> bool:
        """Whether steps run operation by operation: what was asked for, true by default."""
        return True if self._run_eagerly is None else bool(self._run_eagerly)

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._run_eagerly = value

    @property
    def jit_compile(self) -> Any:
        """What was given to `compile`."""
        return (self._compile_arguments or {}).get("jit_compile")

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
        found: list[Any] = []
        if self._is_compiled:
            if self.compiled_loss is not None:
                found.extend(self.compiled_loss.metrics)
            if self.compiled_metrics is not None:
                found.extend(self.compiled_metrics.metrics)
        for layer in self._all_inner_layers():
            own = layer.__dict__.get("_metrics")
            if own:
                found.extend(own)
        return list({id(metric): metric for metric in found}.values())

    @property
    def metrics_names(self) -> list[str]:
        """The names of what `evaluate` returns; known after the first batch."""
        return [metric.name for metric in self.metrics]

    def reset_metrics(self) -> None:
        """Starts all metrics again."""
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
        return self.compiled_loss(y, y_pred, sample_weight, regularization_losses=self.losses)

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any) -> dict[str, Any]:
        """Takes a batch into account in all metrics, and returns their values by name."""
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
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
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

    def _prepare(self, data: Any) -> None:
        """Called with the first batch of a model that is not built."""

    def make_train_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and makes a step of training."""
        if self.train_function is None or force:
            self.train_function = self._make_function("train_step", "_train_counter")
        return self.train_function

    def make_test_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and makes a step of evaluation."""
        if self.test_function is None or force:
            self.test_function = self._make_function("test_step", "_test_counter")
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and returns predictions."""
        if self.predict_function is None or force:
            self.predict_function = self._make_function("predict_step", "_predict_counter")
        return self.predict_function

    def _make_function(self, step_name: str, counter_name: str) -> Any:
        counter = getattr(self, counter_name)
        one = _core.convert(1, "int64", None)

        def run(iterator: Iterator[Any]) -> Any:
            data = next(iterator)
            if not self.built:
                self._prepare(data)
            outputs = getattr(self, step_name)(data)
            counter.assign_add(one)
            return outputs

        return run

    def _assert_compiled(self) -> None:
        if not self._is_compiled:
            raise RuntimeError(
                "You must compile your model before training/testing. "
                "Use `model.compile(optimizer, loss)`."
            )

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
            epochs: the number of the last epoch.
            verbose: 0 shows nothing, 1 a progress bar, 2 a line for each epoch.
            callbacks: callbacks, called at the beginning and end of epochs and batches.
            validation_split: which part of the arrays, from their end, to validate on.
            validation_data: the data to validate on, with labels and perhaps weights.
            shuffle: whether to mix the samples of arrays; "batch" mixes batches.
            class_weight: weights of classes by number.
            sample_weight: weights of samples.
            initial_epoch: how many epochs there were before.
            steps_per_epoch: how many batches make an epoch.
            validation_steps: how many batches to validate on.
            validation_batch_size: how many samples make a batch of validation.
            validation_freq: after how many epochs to validate, or a list of epochs.
            max_queue_size: accepted.
            workers: how many threads make the batches of a sequence.
            use_multiprocessing: accepted.

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
        CallbackList = _callback_list()

        self._assert_compiled()
        verbose = 1 if verbose == "auto" else verbose
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = data_adapter.train_validation_split(
                (x, y, sample_weight), validation_split
            )
        data = data_adapter.DataHandler(
            x,
            y,
            sample_weight,
            batch_size,
            steps_per_epoch,
            initial_epoch,
            epochs,
            shuffle,
            class_weight,
            workers,
            int(self._steps_per_execution),
        )
        if not isinstance(callbacks, CallbackList):
            callbacks = CallbackList(
                callbacks,
                add_history=True,
                add_progbar=verbose != 0,
                model=self,
                verbose=verbose,
                epochs=epochs,
                steps=data.inferred_steps,
            )
        self.stop_training = False
        train_function = self.make_train_function()
        self._train_counter.assign(0)
        callbacks.on_train_begin()
        training_logs = None
        validation = _Validation(self, validation_data, validation_batch_size, workers)
        nan = _NanNotice()
        if hasattr(self, "_maybe_load_initial_epoch_from_callbacks"):
            data._initial_epoch = self._maybe_load_initial_epoch_from_callbacks(callbacks, data)
        for epoch, iterator in data.enumerate_epochs():
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            logs = None
            with data.catch_stop_iteration():
                for step in data.steps():
                    callbacks.on_train_batch_begin(step)
                    count = data.execution_steps
                    for _ in range(count):
                        logs = train_function(iterator)
                    callbacks.on_train_batch_end(step + count - 1, logs)
                    if self.stop_training:
                        break
            logs = _plain(logs)
            if logs is None:
                raise ValueError(
                    "Unexpected result of `train_function` (Empty Logs): the data gave no batch in "
                    f"epoch {epoch + 1}, or `train_step` returned nothing."
                )
            epoch_logs = self._validate_and_get_metrics_result(logs)
            nan.look(epoch_logs, epoch)
            if validation_data is not None and _is_due(epoch, validation_freq):
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
            max_queue_size: accepted.
            workers: how many threads make the batches of a sequence.
            use_multiprocessing: accepted.
            return_dict: whether to return values by name.

        Returns:
            The loss, or a list of loss and metrics in the order of `metrics_names`, or a
            dictionary.
        """
        CallbackList = _callback_list()

        self._assert_compiled()
        handler = kwargs.pop("_data", None)
        if kwargs:
            raise TypeError(f"Invalid keyword arguments: {list(kwargs)}")
        verbose = 1 if verbose == "auto" else verbose
        if handler is None:
            handler = data_adapter.DataHandler(
                x,
                y,
                sample_weight,
                batch_size,
                steps,
                workers=workers,
                steps_per_execution=int(self._steps_per_execution),
            )
        if not isinstance(callbacks, CallbackList):
            callbacks = CallbackList(
                callbacks,
                add_history=True,
                add_progbar=verbose != 0,
                model=self,
                verbose=verbose,
                epochs=1,
                steps=handler.inferred_steps,
            )
        logs: Any = {}
        test_function = self.make_test_function()
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
        logs = _plain(logs)
        if not logs and not isinstance(logs, dict):
            raise ValueError(
                "Unexpected result of `test_function` (Empty Logs): the data gave no batch, or "
                "`test_step` returned nothing."
            )
        logs = self._validate_and_get_metrics_result(logs)
        callbacks.on_test_end(logs=logs)
        if return_dict:
            return logs
        return _in_order(logs, self.metrics_names)

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
            max_queue_size: accepted.
            workers: how many threads make the batches of a sequence.
            use_multiprocessing: accepted.

        >>> tf.keras.Sequential([tf.keras.layers.ReLU()]).predict([-1.0, 2.0], verbose=0)
        array([0., 2.], dtype=float32)
        """
        CallbackList = _callback_list()

        verbose = 1 if verbose == "auto" else verbose
        data = data_adapter.DataHandler(
            x,
            batch_size=batch_size,
            steps_per_epoch=steps,
            workers=workers,
            steps_per_execution=int(self._steps_per_execution or 1),
        )
        if not isinstance(callbacks, CallbackList):
            callbacks = CallbackList(
                callbacks,
                add_history=True,
                add_progbar=verbose != 0,
                model=self,
                verbose=verbose,
                epochs=1,
                steps=data.inferred_steps,
            )
        collected: list[Any] = []
        structure: Any = None
        predict_function = self.make_predict_function()
        self._predict_counter.assign(0)
        callbacks.on_predict_begin()
        for _, iterator in data.enumerate_epochs():
            with data.catch_stop_iteration():
                for step in data.steps():
                    callbacks.on_predict_batch_begin(step)
                    count = data.execution_steps
                    for _ in range(count):
                        structure = predict_function(iterator)
                        collected.append(nest.flatten(structure))
                    callbacks.on_predict_batch_end(step + count - 1, {"outputs": structure})
        if not collected:
            raise ValueError(
                "Unexpected result of `predict_function` (Empty batch_outputs): the data gave no "
                "batch to predict on."
            )
        callbacks.on_predict_end()
        columns = [_joined(list(column)) for column in zip(*collected, strict=True)]
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
        if class_weight:
            return map(data_adapter.class_weight_function(class_weight), batches)
        return batches

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
        function = self.make_train_function()
        if reset_metrics:
            self.reset_metrics()
        logs = _plain(function(self._one_batch(x, y, sample_weight, class_weight)))
        return logs if return_dict else _in_order(logs, self.metrics_names)

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
        function = self.make_test_function()
        if reset_metrics:
            self.reset_metrics()
        logs = _plain(function(self._one_batch(x, y, sample_weight)))
        return logs if return_dict else _in_order(logs, self.metrics_names)

    def predict_on_batch(self, x: Any) -> Any:
        """The predictions for one batch, as arrays."""
        outputs = self.make_predict_function()(self._one_batch(x, None, None))
        return nest.map_structure(lambda value: value.numpy(), outputs)

    def fit_generator(self, generator: Any, steps_per_epoch: Any = None, **kwargs: Any) -> Any:
        """The older name of `fit` for generators."""
        return self.fit(generator, steps_per_epoch=steps_per_epoch, **kwargs)

    def evaluate_generator(self, generator: Any, steps: Any = None, **kwargs: Any) -> Any:
        """The older name of `evaluate` for generators."""
        kwargs.setdefault("verbose", 0)
        return self.evaluate(generator, steps=steps, **kwargs)

    def predict_generator(self, generator: Any, steps: Any = None, **kwargs: Any) -> Any:
        """The older name of `predict` for generators."""
        kwargs.setdefault("verbose", 0)
        return self.predict(generator, steps=steps, **kwargs)

    def get_compile_config(self) -> dict[str, Any] | None:
        """What `compile` was given, as plain values; None for models that were not compiled."""
        if not self._is_compiled or self._compile_arguments is None:
            return None
        from eagerflow.keras.saving.serialization import serialize_keras_object

        return {
            key: serialize_keras_object(value) for key, value in self._compile_arguments.items()
        }

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compiles the model with what `get_compile_config` returned."""
        from eagerflow.keras.saving.serialization import deserialize_keras_object

        config = deserialize_keras_object(config)
        self.compile(**config)
        if hasattr(self.optimizer, "build") and self.built:
            self.optimizer.build(self.trainable_variables)

    def _should_compute_mask(self) -> bool:
        return True


def _callback_list() -> Any:
    """The class CallbackList, whose module also imports what logs and files need."""
    return importlib.import_module("eagerflow.keras.callbacks").CallbackList


class _Validation:
    """The validation data of one `fit`, brought into batches once."""

    def __init__(self, model: Trainer, data: Any, batch_size: int | None, workers: int) -> None:
        self._model = model
        self._data = data
        self._batch_size = batch_size
        self._workers = workers
        self._adapter: Any = None

    def run(self, callbacks: Any, steps: int | None) -> dict[str, Any]:
        """The values of the metrics on the data."""
        x, y, sample_weight = data_adapter.unpack_x_y_sample_weight(self._data)
        handler = data_adapter.DataHandler(
            x,
            y,
            sample_weight,
            self._batch_size,
            steps,
            workers=self._workers,
            steps_per_execution=int(self._model._steps_per_execution),
        )
        if isinstance(handler._adapter, data_adapter.ArrayAdapter):
            # Converting arrays again would cost more than many a validation.
            if self._adapter is None:
                self._adapter = handler._adapter
                self._data = _tensors_of(x), _tensors_of(y), _tensors_of(sample_weight)
        return self._model.evaluate(callbacks=callbacks, return_dict=True, _data=handler)


def _tensors_of(data: Any) -> Any:
    if data is None:
        return None
    data = data_adapter._lists_as_arrays(data)
    return nest.map_structure(data_adapter.array_of, data)


class _NanNotice:
    """Says once that the loss is no number."""

    def __init__(self) -> None:
        self._said = False

    def look(self, logs: dict[str, Any], epoch: int) -> None:
        """Looks at the values of an epoch."""
        loss = logs.get("loss")
        if self._said or not isinstance(loss, float) or not math.isnan(loss):
            return
        self._said = True
        warnings.warn(
            f"The loss is NaN in epoch {epoch + 1}. Training goes on, but will not recover: lower "
            "the learning rate, clip gradients (`clipnorm`), or look for NaN, infinite or wrongly "
            "scaled values in the data. `tf.keras.callbacks.TerminateOnNaN()` stops training then.",
            RuntimeWarning,
            stacklevel=3,
        )


def _check_metrics(group: Any) -> None:
    """Refuses what can be no list of metrics."""
    if (
        group is not None
        and not isinstance(group, list | tuple | dict | str)
        and not callable(group)
    ):
        raise TypeError(
            "Type of `metrics` argument not understood. Expected a list or dictionary, found: "
            f"{group}"
        )


def _is_due(epoch: int, frequency: Any) -> bool:
    """Whether to validate after an epoch."""
    epoch = epoch + 1
    if isinstance(frequency, int):
        return epoch % frequency == 0
    if isinstance(frequency, list | tuple | set | range):
        return epoch in frequency
    raise ValueError(
        "Expected `validation_freq` to be a list or int. "
        f"Received: validation_freq={frequency} of the type {type(frequency)}."
    )


def _plain(logs: Any) -> Any:
    """Tensors in logs as numbers and arrays."""
    if logs is None:
        return None
    return nest.map_structure(_plain_value, logs)


def _plain_value(value: Any) -> Any:
    if isinstance(value, _core.Tensor | _core.Variable):
        value = value.numpy()
        return value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value
    return value


def _in_order(logs: Any, names: list[str]) -> Any:
    """Values by name as a list, in the order of names; a single one by itself."""
    if not isinstance(logs, dict):
        return logs
    results = [logs[name] for name in names if name in logs]
    results += [logs[name] for name in sorted(logs) if name not in names]
    return results[0] if len(results) == 1 else results


def _joined(parts: list[Any]) -> Any:
    """The parts of a prediction along the first axis, as an array."""
    first = parts[0]
    if not isinstance(first, _core.Tensor):
        if hasattr(type(first), "_is_composite_tensor"):
            from eagerflow.ops.array import concat

            return concat(parts, axis=0)
        return np.concatenate([np.asarray(part) for part in parts])
    if len(parts) == 1:
        return first.numpy()
    if first.ndim == 0:
        return np.stack([part.numpy() for part in parts])
    return np.concatenate([part.numpy() for part in parts])
