"""What a model is trained with: its optimizer, losses and metrics."""

from __future__ import annotations

import importlib
from typing import Any

from eagerflow.context import get_logger
from eagerflow.keras.engine.network import Network
from eagerflow.keras.engine.training_utils import check_metric_objects, check_metrics
from eagerflow.variable import Variable

# What those arguments of `compile` are that configurations describe by classes and functions.
_KINDS = {
    "optimizer": "optimizer",
    "loss": "loss",
    "metrics": "metric",
    "weighted_metrics": "metric",
}


class Compiled(Network):
    """A model that knows how it is to be trained."""

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

    def _scaled(self, optimizer: Any) -> Any:
        """The optimizer; for float16 computations, one that scales the loss."""
        if getattr(self.dtype_policy, "name", None) != "mixed_float16":
            return optimizer
        from eagerflow.keras.mixed_precision import LossScaleOptimizer

        known = optimizer is None or isinstance(optimizer, LossScaleOptimizer)
        return optimizer if known else LossScaleOptimizer(optimizer)

    _compiled_trainable: Any = None

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
        names = self.output_names if self._graph is not None else None
        if isinstance(optimizer, list | tuple):
            self.optimizer = [self._scaled(optimizers.get(one)) for one in optimizer]
        else:
            self.optimizer = self._scaled(optimizers.get(optimizer))
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
        self.__dict__["_compiled_trainable"] = {
            layer: layer._trainable for layer in self._flatten_layers()
        }
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
        """What was given to `compile`, or set since."""
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

    def get_compile_config(self) -> dict[str, Any] | None:
        """What `compile` was given, as plain values; None for models that were not compiled."""
        if not self._is_compiled or self._compile_arguments is None:
            return None
        if hasattr(self.optimizer, "GATE_OP"):
            get_logger().warning(
                "Version 1's optimizers cannot be saved with a model: it has to be compiled again "
                "after it has been loaded. Prefer an optimizer of Keras (`tf.keras.optimizers`)."
            )
            return None
        from eagerflow.keras.saving.serialization import serialize_keras_object

        return {
            key: serialize_keras_object(value) for key, value in self._compile_arguments.items()
        }

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compiles the model with what `get_compile_config` returned."""
        from eagerflow.keras.saving.serialization import deserialize_as, deserialize_keras_object

        arguments = {
            name: deserialize_as(_KINDS[name], value)
            if name in _KINDS
            else deserialize_keras_object(value)
            for name, value in config.items()
        }
        self.compile(**arguments)
        if hasattr(self.optimizer, "build") and self.built:
            self.optimizer.build(self.trainable_variables)
