"""The arguments of `Model.compile`, and the loss, metrics and steps that follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eagerflow import _core, nest
from eagerflow.framework import distribution_state
from eagerflow.framework.context import process
from eagerflow.framework.variable import variable_at_once
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.tracking import unique
from eagerflow.keras.engine.training import replicas
from eagerflow.keras.typing import Config, Logs
from eagerflow.typing import Structure
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

if TYPE_CHECKING:
    from eagerflow.distribute.strategy import Strategy
    from eagerflow.keras.engine.layer import Layer as _Layer
    from eagerflow.keras.metrics.metric import Metric
else:
    _Layer = object

# Imported when they are first used: few programs need them.
hints = lazy.Module("eagerflow.util.hints")
losses_and_metrics = lazy.Module("eagerflow.keras.engine.training.losses_and_metrics")
strategies = lazy.Module("eagerflow.distribute.strategy")
mixed_precision = lazy.Module("eagerflow.keras.mixed_precision")
optimizers = lazy.Module("eagerflow.keras.optimizers")
serialization = lazy.Module("eagerflow.keras.saving.serialization")
steps_tuner = lazy.Module("eagerflow.keras.utils.steps_tuner")

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

# The arguments of `compile` that configurations describe by classes and functions.
_SERIALIZED_KINDS = {
    "optimizer": "optimizer",
    "loss": "loss",
    "metrics": "metric",
    "weighted_metrics": "metric",
}

# Why arguments of `compile` have no effect.
_WITHOUT_EFFECT = {
    "sample_weight_mode": "weights of shape (samples, steps) are those of steps, others those of samples.",
    "experimental_run_tf_function": "steps are always traced, unless run_eagerly=True.",
    "pss_evaluation_shards": "this process evaluates all data, exactly.",
}


class Compiled(_Layer):
    """The part of `Model` that `compile` configures: loss, metrics and how steps run."""

    _graph: Any = None
    _is_compiled = False
    _auto_scale_loss = True
    _compiled_in: Any = None  # the strategy in whose scope the model was compiled
    optimizer: Any = None
    loss: Any  # once the model has been compiled
    compiled_loss: Any = None
    compiled_metrics: Any = None
    _run_eagerly: Any = None
    _steps_per_execution: Any = None
    _steps_per_execution_tuner: Any = None
    _compile_arguments: Any = None
    _user_metrics: Any = None
    train_function: Any = None
    test_function: Any = None
    predict_function: Any = None
    train_tf_function: Any = None
    _compiled_trainable: Any = None

    def _get_optimizer(self, optimizer: Any) -> Any:
        """The optimizers for what `compile` takes; for float16 computations, they scale the loss."""
        if isinstance(optimizer, list | tuple):
            return [self._get_optimizer(one) for one in optimizer]
        optimizer = optimizers.get(optimizer)
        if not self._auto_scale_loss or getattr(self.dtype_policy, "name", None) != "mixed_float16":
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
        steps_per_execution: int | str | None = None,
        jit_compile: bool | None = None,
        pss_evaluation_shards: Any = 0,
        **kwargs: Any,
    ) -> None:
        """Configures the model for training.

        Args:
            optimizer: an optimizer or its name.
            loss: a loss, a function or a name, or a list or dictionary of them by output.
            metrics: a list of metrics, functions or names; "accuracy" selects the matching kind.
            loss_weights: factors by output.
            weighted_metrics: metrics that take sample weights into account.
            run_eagerly: whether Python runs every step; by default steps are traced.
            steps_per_execution: the number of steps in one call of the train function; callbacks run
                after each call. "auto" searches for the fastest number while training.
            jit_compile: whether steps are compiled, as by `tf.function(jit_compile=True)`.
            pss_evaluation_shards: ignored with a warning: evaluations are exact without.
            **kwargs: `auto_scale_loss=False` keeps the loss of float16 computations from being scaled;
                `sample_weight_mode` and `experimental_run_tf_function` are ignored with a warning.

        Raises:
            TypeError: for other arguments.
            ValueError: for unknown names.
        """
        from_serialized = kwargs.pop("from_serialized", False)
        if "experimental_steps_per_execution" in kwargs:
            steps_per_execution = kwargs.pop("experimental_steps_per_execution")
        auto_scale_loss = kwargs.pop("auto_scale_loss", True)
        without_effect = {
            "sample_weight_mode": kwargs.pop("sample_weight_mode", None),
            "experimental_run_tf_function": kwargs.pop("experimental_run_tf_function", None),
            "pss_evaluation_shards": pss_evaluation_shards or None,
        }
        for name, value in without_effect.items():
            if value is not None:
                warn(f"compile({name}={value!r}) has no effect: {_WITHOUT_EFFECT[name]}")
        if kwargs.pop("cloning", None) is not None or kwargs.pop("target_tensors", None):
            raise ValueError("`target_tensors` and `cloning` belong to graphs of TensorFlow 1.")
        if kwargs:
            raise TypeError(
                f"Invalid keyword argument(s) in `compile()`: {set(kwargs)}. Valid keyword "
                "arguments include 'optimizer', 'loss', 'metrics', 'loss_weights' and "
                "'weighted_metrics'"
                + (hints.of_keyword(min(kwargs), hints.parameters_of(Compiled.compile)) or ".")
            )
        for group in (metrics, weighted_metrics):
            _check_metrics(group)
        _check_metric_objects(metrics, weighted_metrics)
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
        self.__dict__["_auto_scale_loss"] = auto_scale_loss
        self.optimizer = self._get_optimizer(optimizer)
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
        self._set_steps_per_execution(steps_per_execution or 1)
        self._is_compiled = True
        self._compiled_in = distribution_state.strategy()
        self.__dict__["_compiled_trainable"] = {
            layer: layer._trainable for layer in self._flatten_layers()
        }
        self._reset_compile_cache()

    def _reset_compile_cache(self) -> None:
        """Lets the steps be made anew. Models that override `compile` call it, and what follows."""
        self.train_function = self.test_function = self.predict_function = None

    @property
    def run_eagerly(self) -> bool:
        """Whether Python runs every step; otherwise steps are traced.

        Raises:
            ValueError: for `run_eagerly=False` if a layer needs Python in each step.
        """
        if self.dynamic:
            if self._run_eagerly is False:
                raise ValueError(
                    "Your model contains layers that can only be successfully run in eager "
                    "execution (layers constructed with `dynamic=True`). You cannot set "
                    "`run_eagerly=False`."
                )
            return True
        return bool(self._run_eagerly) or (self._run_eagerly is None and process.functions_eager)

    @run_eagerly.setter
    def run_eagerly(self, value: bool) -> None:
        self._run_eagerly = value

    @property
    def jit_compile(self) -> Any:
        """The argument of `compile`, or the value that was set since."""
        return (self._compile_arguments or {}).get("jit_compile")

    @jit_compile.setter
    def jit_compile(self, value: Any) -> None:
        if self.jit_compile == value:
            return
        self._compile_arguments = {**(self._compile_arguments or {}), "jit_compile": value}
        self.train_function = self.test_function = self.predict_function = None

    @property
    def steps_per_execution(self) -> Any:
        """The number of steps in one call of the train function, a variable; None before `compile`."""
        return self._steps_per_execution

    @steps_per_execution.setter
    def steps_per_execution(self, value: int) -> None:
        if self._steps_per_execution is None:
            self._set_steps_per_execution(value)
        else:
            self._steps_per_execution.assign(value)

    def _set_steps_per_execution(self, value: int | str) -> None:
        if value != "auto" or self._steps_per_execution is None:
            first = 1 if value == "auto" else value
            steps = variable_at_once(first, dtype="int64", trainable=False)
            self._steps_per_execution = steps
        self._steps_per_execution_tuner = None
        self.autotune_steps_per_execution = value == "auto"

    @property
    def autotune_steps_per_execution(self) -> bool:
        """Whether `fit` searches for the fastest number of steps per execution."""
        return self._steps_per_execution_tuner is not None

    @autotune_steps_per_execution.setter
    def autotune_steps_per_execution(self, value: bool) -> None:
        if not value:
            self._steps_per_execution_tuner = None
        elif self._steps_per_execution_tuner is None:
            if self._steps_per_execution is None:
                self._set_steps_per_execution(1)
            kind = steps_tuner.StepsPerExecutionTuner
            self._steps_per_execution_tuner = kind(self.optimizer, self._steps_per_execution)

    @property
    def distribute_strategy(self) -> Strategy:
        """The strategy whose scope made the model's weights, or the one in use now."""
        return replicas.strategy_of(self) or strategies.get_strategy()

    @property
    def metrics(self) -> list[Metric]:
        """All metric objects: those of the loss, of `compile`, and of the layers."""
        metrics = []
        if self._is_compiled:
            if self.compiled_loss is not None:
                metrics.extend(self.compiled_loss.metrics)
            if self.compiled_metrics is not None:
                metrics.extend(self.compiled_metrics.metrics)
        of_layers: list[Any] = []
        for layer in self._all_inner_layers():
            of_layers.extend(layer.__dict__.get("_metrics") or ())
        return unique(metrics + of_layers) if of_layers else metrics

    @property
    def metrics_names(self) -> list[str]:
        """The names of what `evaluate` returns; known after the first batch."""
        return [metric.name for metric in self.metrics]

    def reset_metrics(self) -> None:
        """Resets all metrics."""
        for metric in self.metrics:
            metric.reset_state()

    def get_metrics_result(self) -> Logs:
        """The values of all metrics by name, as tensors."""
        values: dict[str, Any] = {}
        for metric in self.metrics:
            result = metric.result()
            if isinstance(result, dict):
                values.update(result)
            else:
                values[metric.name] = result
        return values

    def get_compile_config(self) -> Config | None:
        """The arguments of `compile` as plain values; None for models that were not compiled."""
        if not self._is_compiled or self._compile_arguments is None:
            return None
        if not getattr(self.optimizer, "_takes_tape", True):
            logging.warning(
                "Version 1's optimizers cannot be saved with a model: it has to be compiled again "
                "after it has been loaded. Prefer an optimizer of Keras (`tf.keras.optimizers`)."
            )
            return None
        return {
            key: serialization.serialize_keras_object(value)
            for key, value in self._compile_arguments.items()
        }

    def compile_from_config(self, config: Config) -> None:
        """Compiles the model with what `get_compile_config` returned."""
        arguments = {
            name: serialization.deserialize_as(_SERIALIZED_KINDS[name], value)
            if name in _SERIALIZED_KINDS
            else serialization.deserialize_keras_object(value)
            for name, value in config.items()
        }
        if type(self).compile is not Compiled.compile and (
            type(self).compile_from_config is Compiled.compile_from_config
        ):
            logging.warning(
                "`compile()` was not called as part of model loading because the model's "
                "`compile()` method is custom. All subclassed Models that have `compile()` "
                "overridden should also override `get_compile_config()` and "
                "`compile_from_config(config)`. Alternatively, you can call `compile()` manually "
                "after loading."
            )
            return
        self.compile(**arguments)
        if hasattr(self.optimizer, "build") and self.built:
            self.optimizer.build(self.trainable_variables)

    def _name_metrics(self) -> None:
        """Creates the metrics of a model that is saved or loaded; the first batch may change their kinds."""
        if self._graph is None or not self._is_compiled or self.compiled_metrics._built:
            return
        outputs = self._graph.nested_outputs
        self.compiled_loss.build(outputs)
        self.compiled_metrics.build(outputs, outputs)
        self.compiled_loss._is_provisional = self.compiled_metrics._is_provisional = True

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Structure = None
    ) -> _core.Tensor:
        """The loss of a batch, with the terms that layers and regularizers add.

        Args:
            x: the inputs.
            y: the labels.
            y_pred: the predictions.
            sample_weight: weights of samples.
        """
        # Layers that were not called have no values.
        losses = self.losses
        if losses:
            losses = [loss for loss in losses if not isinstance(loss, KerasTensor)]
        return self.compiled_loss(y, y_pred, sample_weight, regularization_losses=losses)

    def compute_metrics(self, x: Any, y: Any, y_pred: Structure, sample_weight: Structure) -> Logs:
        """Updates all metrics with a batch, and returns their values by name."""
        self.compiled_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    def _assert_compile_was_called(self) -> None:
        if not self._is_compiled:
            raise RuntimeError(
                "You must compile your model before training/testing. "
                "Use `model.compile(optimizer, loss)`."
            )


def _check_metrics(group: object) -> None:
    """Refuses an argument that is not a list of metrics."""
    if (
        group is not None
        and not isinstance(group, list | tuple | dict | str)
        and not callable(group)
    ):
        raise TypeError(
            "Type of `metrics` argument not understood. Expected a list or dictionary, found: "
            f"{group}"
        )


def _check_metric_objects(metrics: object, weighted_metrics: object) -> None:
    """Refuses a metric object that is passed twice: it would count every batch twice."""
    objects = [
        metric
        for metric in nest.flatten([metrics, weighted_metrics])
        if hasattr(metric, "update_state")
    ]
    repeated = [m for k, m in enumerate(objects) if any(m is other for other in objects[:k])]
    if repeated:
        raise ValueError(
            "Found duplicated metrics object in the user provided metrics and weighted metrics. "
            "This will cause the same metric object to be updated multiple times, and report "
            f"wrong results. \nDuplicated items: {repeated}"
        )
