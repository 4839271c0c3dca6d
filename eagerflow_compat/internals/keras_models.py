"""tf.keras.__internal__.models and .backend: Keras models in the graphs of estimators."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.checkpoint.saving import save_objects
from eagerflow.framework import context
from eagerflow.graph.placeholder import placeholder
from eagerflow.graph.variables import listed
from eagerflow.keras import models
from eagerflow.keras.engine import graph_mode
from eagerflow.keras.metrics.metric import clone_metric
from eagerflow.keras.saving.registration import CustomObjectScope
from eagerflow.ops.control_flow import group
from eagerflow_compat.internals.keras_optimizers import convert_to_legacy_optimizer
from eagerflow_compat.internals.tracking import DelegatingTrackableMixin

__all__ = [
    "GraphModel",
    "clone_and_build_model",
    "in_place_subclassed_model_state_restoration",
    "initialize_variables",
    "track_variable",
]


def initialize_variables(session: Any) -> None:
    """Gives the variables of a session's graph that have no values their first ones."""
    with session.graph.as_default(), session.as_default():
        graph_mode.initialize_variables(session.graph)


def track_variable(variable: Any) -> None:
    """Lists a variable among those of the graph, which Keras initializes."""
    listed(variable, context.default_graph())


class _Updates:
    """What Keras's function for a step runs."""

    def __init__(self, updates_op: Any) -> None:
        self.updates_op = updates_op


class GraphModel(DelegatingTrackableMixin):
    """A Keras model that is applied to the tensors of a program's graph, with its loss and its step.

    Args:
        model: the model; what this has not is asked of it.
        inputs: the tensors that it is applied to.
        targets: the tensors that its outputs are compared with, a list.
    """

    def __init__(self, model: Any, inputs: Any, targets: list[Any] | None) -> None:
        super().__init__(model)
        self._model = model
        self._targets = targets
        structure = model(inputs)
        self._structure = structure
        self.outputs = nest.flatten(structure)
        self._weights_of_samples: Any = None
        self.total_loss: Any = None
        self.train_function: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_model"], name)

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        names = getattr(self._model, "output_names", None)
        return list(names or [f"output_{k + 1}" for k in range(len(self.outputs))])

    @property
    def _compile_metrics(self) -> Any:
        return self._model.compiled_metrics is not None and self._compile_metric_functions

    @property
    def _compile_metric_functions(self) -> list[Any]:
        """The metrics that the model was compiled with."""
        return list(self._model.compiled_metrics.metrics)

    def _compile_weights_loss_and_weighted_metrics(self, sample_weights: Any) -> None:
        """Has losses multiply those of samples by weights."""
        self._weights_of_samples = sample_weights

    def _compare(self) -> None:
        """Adds the loss, and the updates of metrics, to the graph."""
        model = self._model
        targets = self._targets
        if targets is None:
            targets = [placeholder(each.dtype, each.shape) for each in self.outputs]
        targets = nest.pack_sequence_as(self._structure, targets)
        weights = self._weights_of_samples
        if weights is not None and not isinstance(self._structure, list | tuple | dict):
            weights = nest.flatten(weights)[0]
        self.total_loss = model.compiled_loss(
            targets, self._structure, weights, regularization_losses=model.losses
        )
        model.compiled_metrics.update_state(targets, self._structure)

    def _make_test_function(self) -> None:
        """Adds what an evaluation runs to the graph."""
        self._compare()

    def _make_train_function(self) -> None:
        """Adds what a step of training runs to the graph."""
        self._compare()
        optimizer = self._model.optimizer
        weights = self._model.trainable_weights
        if hasattr(optimizer, "get_updates"):
            updates = optimizer.get_updates(self.total_loss, weights)
        else:
            step = self._step
            updates = [optimizer.minimize(self.total_loss, global_step=step, var_list=weights)]
        metrics = [each for metric in self._compile_metric_functions for each in metric.updates]
        self.train_function = _Updates(group(*updates, *metrics))

    # The global step, for optimizers that have no counter of their own.
    _step: Any = None

    def save_weights(self, path: Any) -> None:
        """Writes the model, its optimizer and what else it tracks as a checkpoint of objects."""
        save_objects(self._model, str(path))


def clone_and_build_model(
    model: Any,
    input_tensors: Any = None,
    target_tensors: Any = None,
    custom_objects: Any = None,
    compile_clone: bool = True,
    in_place_reset: bool = False,
    optimizer_iterations: Any = None,
    optimizer_config: Any = None,
) -> GraphModel:
    """A copy of a model in the default graph, with new weights; see `GraphModel`.

    Args:
        model: the model.
        input_tensors: what it is applied to; by default placeholders for its inputs.
        target_tensors: what its outputs are compared with; by default placeholders.
        custom_objects: a program's own functions and classes by name.
        compile_clone: whether the copy is compiled as the model.
        in_place_reset: accepted: subclassed models are made again from their configuration.
        optimizer_iterations: the variable that counts the steps of the copy's optimizer.
        optimizer_config: the configuration of that optimizer.

    Raises:
        ValueError: if a subclassed model has no inputs yet, and none are given.
    """
    with CustomObjectScope(custom_objects or {}):
        clone = models.clone_model(model)
        if input_tensors is None:
            if not model.inputs:
                raise ValueError(
                    f"The inputs of model {model.name!r} are unknown: call it on data, or define its "
                    "inputs in the first layer."
                )
            input_tensors = nest.map_structure(
                lambda each: placeholder(each.dtype, each.shape), model.inputs
            )
        if isinstance(input_tensors, list) and len(input_tensors) == 1:
            input_tensors = input_tensors[0]
        if compile_clone and model._compile_arguments:
            _compile_like(clone, model, optimizer_config, optimizer_iterations)
        targets = None if target_tensors is None else nest.flatten(target_tensors)
        built = GraphModel(clone, input_tensors, targets)
        built._step = optimizer_iterations
        return built


def _compile_like(clone: Any, model: Any, config: Any, iterations: Any) -> None:
    """Compiles a copy with its own optimizer and metrics."""
    arguments = dict(model._compile_arguments)
    optimizer = model.optimizer
    if hasattr(optimizer, "get_config"):
        optimizer = type(optimizer).from_config(config or optimizer.get_config())
        if not hasattr(optimizer, "get_updates"):
            optimizer = convert_to_legacy_optimizer(optimizer)
        if iterations is not None:
            optimizer.iterations = iterations
    arguments["optimizer"] = optimizer
    for key in ("metrics", "weighted_metrics"):
        arguments[key] = nest.map_structure(clone_metric, arguments.get(key))
    clone.compile(**arguments)


def in_place_subclassed_model_state_restoration(model: Any) -> None:
    """Does nothing: subclassed models are copied, and stay as they are."""
