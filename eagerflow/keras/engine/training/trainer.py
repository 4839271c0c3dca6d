"""Trainer: `fit`, `evaluate` and `predict`, over data and on single batches."""

from __future__ import annotations

import copy
import functools
import importlib
import inspect
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from eagerflow import _core, nest
from eagerflow.framework import context
from eagerflow.keras.engine.functional.node import symbols
from eagerflow.keras.engine.tracking import RespectCompiledTrainableState
from eagerflow.keras.engine.training import data_adapter
from eagerflow.keras.engine.training.data_handler import (
    Batches,
    DataHandler,
    class_weight_function,
    weighed_spec,
)
from eagerflow.keras.engine.training.results import concatenated, in_order, plain
from eagerflow.keras.engine.training.sequence_workers import Workers
from eagerflow.keras.engine.training.steps import Steps
from eagerflow.keras.engine.training.validation_split import train_validation_split
from eagerflow.keras.typing import Logs
from eagerflow.sparse.tensor import SparseTensorSpec
from eagerflow.typing import Function, Structure
from eagerflow.util import lazy, tracebacks
from eagerflow.util.arguments import arguments
from eagerflow.util.program_warnings import warn

if TYPE_CHECKING:
    from eagerflow.keras.callbacks import CallbackList, History

# Imported when a step fails, or is profiled.
experimental = lazy.Module("eagerflow.profiler.experimental")
hints = lazy.Module("eagerflow.util.hints")
misfits = lazy.Module("eagerflow.keras.engine.training.misfits")

Result = TypeVar("Result")

_IN_FUNCTION = (
    "Detected a call to `Model.{0}` inside a `tf.function`. `Model.{0}` is a high-level endpoint that "
    "manages its own `tf.function`. Please move the call to `Model.{0}` outside of all enclosing "
    "`tf.function`s. Note that you can call a `Model` directly on `Tensor`s inside a `tf.function` "
    "like: `model(x)`."
)


def outside_graphs(method: Function) -> Function:
    """A method that runs eagerly, even while a graph is being built.

    There, `predict` shows no progress by default. Inside a `tf.function` it raises a
    RuntimeError.
    """

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not context.process.graphs_used or context.building_graph() is None:
            if _core.building() is not None:
                raise RuntimeError(_IN_FUNCTION.format(method.__name__))
            _check_call(self, method.__name__)
            try:
                return method(self, *args, **kwargs)
            except Exception as error:
                if kwargs and isinstance(error, TypeError):
                    hints.explain(error, method, kwargs)
                tracebacks.keep_program(error)
                raise error
        if method.__name__ == "predict" and len(args) < 3:
            kwargs.setdefault("verbose", 0)
        context.process.graphs_run = True
        if not any(isinstance(x.type_spec, SparseTensorSpec) for x in symbols(self.inputs) or ()):
            args, kwargs = nest.map_structure(_dense, (args, kwargs))
        with context.running_eagerly():
            return method(self, *args, **kwargs)

    return cast(Function, run)


def _dense(value: Any) -> Any:
    """The array of a SciPy matrix, as version 1 feeds it for a placeholder that is not sparse."""
    return value.toarray() if hasattr(value, "toarray") else value


def _check_call(model: Any, method: str) -> None:
    """Raises a ValueError if `call` needs arguments that a step does not pass."""
    if model._graph is not None:
        return
    parameters = inspect.signature(model.call).parameters.values()
    needed = [p.name for p in parameters if p.kind in _POSITIONAL and p.default is p.empty]
    extra = [name for name in needed[1:] if name != "training"]
    if extra:
        raise ValueError(
            f"Models passed to `{method}` can only have `training` and the first argument in "
            f"`call()` as positional arguments, found: {extra}."
        )


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def as_compiled(method: Function) -> Function:
    """A method that trains the weights that were trainable when the model was compiled.

    A part that has been frozen since, as in a larger model that shares it, is trained nevertheless.
    """

    @functools.wraps(method)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        with RespectCompiledTrainableState(self):
            return method(self, *args, **kwargs)

    return cast(Function, run)


class Trainer(Steps):
    """The part of `Model` that iterates over data: `fit`, `evaluate` and `predict`."""

    stop_training = False
    history: Any = None

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
        y: Structure = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: Any = True,
        class_weight: dict[int, float] | None = None,
        sample_weight: Structure = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
    ) -> History:
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
        self._assert_compile_was_called()
        verbose = 1 if verbose == "auto" else verbose
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = train_validation_split(
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
            self._steps_per_execution,
            self,
        )
        callbacks = self._callback_list(callbacks, verbose, epochs, data.inferred_steps)
        self.stop_training = False
        if self.__dict__.pop("_maybe_load_initial_epoch_from_callbacks", None) is not None:
            self.train_function = None  # that of a training with backups that did not end
        self.train_function = self.make_train_function()
        self._train_counter.assign(0)
        callbacks.on_train_begin()
        if self._steps_per_execution_tuner is not None:
            self._steps_per_execution_tuner.start()
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
                callbacks, data, validation
            )
            training_logs = data.resumed_logs
        logs = None
        for epoch, iterator in data.enumerate_epochs():
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            with data.catch_stop_iteration():
                for step in data.steps():
                    callbacks.on_train_batch_begin(step)
                    # Callbacks may replace the function, and `compile` resets it.
                    function = self.train_function or self.make_train_function()
                    if _core.profiling():
                        logs = _profiled_step("train", step, function, iterator)
                    else:
                        logs = function(iterator)
                    callbacks.on_train_batch_end(step + data.step_increment, logs)
                    if self.stop_training:
                        break
            if logs is None and data.resumed_at_the_end:
                logs = self.get_metrics_result()
            if logs is None:
                raise ValueError(
                    "Unexpected result of `train_function` (Empty Logs): the data gave no batch in "
                    f"epoch {epoch + 1}, or `train_step` returned nothing."
                )
            epoch_logs = self._validate_and_get_metrics_result(plain(logs))
            nan.check(epoch_logs, epoch)
            if validation_data is not None and is_due(epoch, validation_freq):
                values = validation.run(callbacks, validation_steps)
                epoch_logs.update({f"val_{name}": value for name, value in values.items()})
            callbacks.on_epoch_end(epoch, epoch_logs)
            training_logs = epoch_logs
            if self.stop_training:
                break
        if self._steps_per_execution_tuner is not None:
            self._steps_per_execution_tuner.stop()
        if epochs > 0 and getattr(self.optimizer, "use_ema", False):
            self.optimizer.finalize_variable_values(self.trainable_variables)
        callbacks.on_train_end(logs=training_logs)
        return self.history

    def _check_call_args(self, method_name: str) -> None:
        """Raises a ValueError if `call` needs more than inputs; loops of programs call it."""
        _check_call(self, method_name)

    def _should_eval(self, epoch: int, validation_freq: Any) -> bool:
        """Whether to validate after an epoch."""
        return is_due(epoch, validation_freq)

    def _validate_and_get_metrics_result(self, logs: Logs) -> dict[str, Any]:
        """The values to show: those of the metrics if a step returned values with their names.

        Raises:
            RuntimeError: if a step did not return a dictionary.
        """
        if not isinstance(logs, dict):
            raise RuntimeError(
                "The return value of a step must be a dictionary of values by name, as "
                "`{'loss': loss}`. Received: "
                f"{logs!r}."
            )
        if set(logs) == set(self.metrics_names):
            return plain(self.get_metrics_result())
        return copy.copy(logs)

    @outside_graphs
    def evaluate(
        self,
        x: Any = None,
        y: Structure = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Structure = None,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """The loss and the metrics on data, of any kind that `fit` accepts.

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
        self._assert_compile_was_called()
        handler = kwargs.pop("_data", None)
        if kwargs:
            hint = hints.of_keyword(min(kwargs), hints.parameters_of(Trainer.evaluate))
            raise TypeError(f"Invalid keyword arguments: {list(kwargs)}{hint}")
        verbose = 1 if verbose == "auto" else verbose
        if handler is None:
            handler = DataHandler(
                x,
                y,
                sample_weight,
                batch_size,
                steps,
                workers=Workers(workers, use_multiprocessing, max_queue_size),
                steps_per_execution=self._steps_per_execution,
                model=self,
            )
        callbacks = self._callback_list(callbacks, verbose, 1, handler.inferred_steps)
        logs = {}
        test_function = self.test_function = self.make_test_function()
        self._test_counter.assign(0)
        callbacks.on_test_begin()
        for _, iterator in handler.enumerate_epochs():
            self.reset_metrics()
            with handler.catch_stop_iteration():
                for step in handler.steps():
                    callbacks.on_test_batch_begin(step)
                    if _core.profiling():
                        logs = _profiled_step("test", step, test_function, iterator)
                    else:
                        logs = test_function(iterator)
                    callbacks.on_test_batch_end(step + handler.step_increment, logs)
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
        """The predictions, as arrays, for data of any kind that `fit` accepts.

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
            steps_per_execution=self._steps_per_execution,
            model=self,
        )
        callbacks = self._callback_list(callbacks, verbose, 1, data.inferred_steps)
        collected = []
        structure = None
        self.predict_function = self.make_predict_function()
        self._predict_counter.assign(0)
        callbacks.on_predict_begin()
        for _, iterator in data.enumerate_epochs():
            with data.catch_stop_iteration():
                for step in data.steps():
                    callbacks.on_predict_batch_begin(step)
                    function = self.predict_function or self.make_predict_function()
                    if _core.profiling():
                        structure = _profiled_step("predict", step, function, iterator)
                    else:
                        structure = function(iterator)
                    collected.append(nest.flatten(structure))
                    end = step + data.step_increment
                    callbacks.on_predict_batch_end(end, {"outputs": structure})
        if not collected:
            raise ValueError(
                "Unexpected result of `predict_function` (Empty batch_outputs): the data gave no "
                "batch to predict on."
            )
        callbacks.on_predict_end()
        columns = [concatenated(list(column)) for column in zip(*collected, strict=True)]
        return nest.pack_sequence_as(structure, columns)

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

    def _run(self, function: Any, batch: Batches) -> Any:
        """The result of a step; its errors name the layer that the inputs do not fit."""
        try:
            return function(batch)
        except Exception as error:
            misfit = misfits.explained(self, batch.element_spec, error)
            if misfit is error:
                raise
            raise misfit from None

    @outside_graphs
    @as_compiled
    def train_on_batch(
        self,
        x: Any,
        y: Structure = None,
        sample_weight: Structure = None,
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
        self._assert_compile_was_called()
        function = self.train_function = self.make_train_function()
        if reset_metrics:
            self.reset_metrics()
        logs = plain(self._run(function, self._one_batch(x, y, sample_weight, class_weight)))
        return logs if return_dict else in_order(logs, self.metrics_names)

    @outside_graphs
    def test_on_batch(
        self,
        x: Any,
        y: Structure = None,
        sample_weight: Structure = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """The loss and the metrics on one batch; the arguments are those of `train_on_batch`."""
        self._assert_compile_was_called()
        function = self.test_function = self.make_test_function()
        if reset_metrics:
            self.reset_metrics()
        logs = plain(self._run(function, self._one_batch(x, y, sample_weight)))
        return logs if return_dict else in_order(logs, self.metrics_names)

    @outside_graphs
    def predict_on_batch(self, x: Any) -> Any:
        """The predictions for one batch, as arrays."""
        self.predict_function = self.make_predict_function()
        if context.process.graphs_used and hasattr(self.predict_function, "arrays"):
            return self.predict_function.arrays(x)
        outputs = self._run(self.predict_function, self._one_batch(x, None, None))
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
    ) -> History:
        """The deprecated name of `fit` for generators."""
        given = arguments(locals())
        return self.fit(given.pop("generator"), **given)

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
        given = arguments(locals())
        return self.evaluate(given.pop("generator"), **given)

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
        given = arguments(locals())
        return self.predict(given.pop("generator"), **given)


class Validation:
    """The validation data of one `fit`, split into batches once."""

    def __init__(self, model: Any, data: Any, batch_size: int | None, workers: Workers) -> None:
        self._model = model
        self._data = data
        self._batch_size = batch_size
        self._workers = workers
        self._adapter: Any = None
        # How far the runs have read the data, as plain values and tensors.
        self.position: dict[str, Any] = {}

    def resume(self, position: dict[str, Any]) -> None:
        """Has the next run begin at a position, perhaps that of another process."""
        self.position = position
        _advance(self._data, position)

    def run(self, callbacks: Any, steps: int | None) -> dict[str, Any]:
        """The values of the metrics on the data."""
        x, y, sample_weight = data_adapter.unpack_x_y_sample_weight(self._data)
        handler = DataHandler(
            x,
            y,
            sample_weight,
            self._batch_size,
            steps,
            workers=self._workers,
            steps_per_execution=self._model._steps_per_execution,
            model=self._model,
        )
        if isinstance(handler._adapter, data_adapter.ArrayAdapter):
            # Arrays are converted once: that may cost more than the validation.
            if self._adapter is None:
                self._adapter = handler._adapter
                self._data = _tensors_of(x), _tensors_of(y), _tensors_of(sample_weight)
        values = self._model.evaluate(callbacks=callbacks, return_dict=True, _data=handler)
        self.position = handler._adapter.advanced(self.position)
        return values


def _advance(data: Any, position: dict[str, Any]) -> None:
    """Has new adapters of data begin where others have ended.

    Args:
        data: the data that they are given.
        position: what `advanced` has returned.
    """
    for _ in range(position.get("passes", 0)):
        iter(data)
    if "read" in position:
        for _ in zip(range(position["read"]), data, strict=False):
            pass
    data_adapter.restore_own(data, position.get("own"))


def _tensors_of(data: Structure) -> Any:
    if data is None:
        return None
    data = data_adapter._lists_as_arrays(data)
    return nest.map_structure(data_adapter.array_of, data)


class NanWarning:
    """Warns once in a training that the loss is NaN."""

    def __init__(self) -> None:
        self._said = False

    def check(self, logs: Logs, epoch: int) -> None:
        """Warns if the loss of an epoch is NaN."""
        loss = logs.get("loss")
        if self._said or not isinstance(loss, float) or not math.isnan(loss):
            return
        self._said = True
        warn(
            f"The loss is NaN in epoch {epoch + 1}. Training goes on, but will not recover: lower "
            "the learning rate, clip gradients (`clipnorm`), or look for NaN, infinite or wrongly "
            "scaled values in the data. `tf.debugging.enable_check_numerics()` before `fit` raises an error "
            "at the first operation with such a result, and names the program's line; "
            "`tf.keras.callbacks.TerminateOnNaN()` stops training then.",
            RuntimeWarning,
        )


def _profiled_step(
    kind: str, step: int, function: Callable[[object], Result], iterator: object
) -> Result:
    """A step's results; the profile says where it began and ended, as TensorBoard asks for."""
    with experimental.Trace(kind, step_num=step, _r=1):
        return function(iterator)


def is_due(epoch: int, frequency: Any) -> bool:
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
