"""tf.layers: Keras's layers with variable scopes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context
from eagerflow.graph import defaults
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.graph import Graph
from eagerflow.graph.naming import called, with_effects
from eagerflow.graph.partitioned import PartitionedVariable, parts_of
from eagerflow.graph.variables import GraphVariable
from eagerflow.keras import layers as keras
from eagerflow.keras import naming
from eagerflow.keras.engine.calls.layer_call import infer_dtype
from eagerflow.keras.engine.calls.training_mode import by_training
from eagerflow.keras.mixed_precision.policy import Policy
from eagerflow.typing import DTypeLike, ShapeLike, Structure, TensorLike
from eagerflow_compat.v1.variable_scope import (
    VariableScope,
    get_variable,
    get_variable_scope,
    shares_eagerly,
    variable_scope,
)

_ops = _core.ops


# The last operations of layers, where they are called otherwise than these.
_KINDS = {
    "AveragePooling1D": "Squeeze",
    "AveragePooling2D": "AvgPool",
    "AveragePooling3D": "AvgPool3D",
    "Dense": "MatMul",
    "Flatten": "Reshape",
    "MaxPooling1D": "Squeeze",
    "MaxPooling2D": "MaxPool",
    "MaxPooling3D": "MaxPool3D",
}


class Layer(keras.Layer):
    """Base class of version 1's layers.

    Where operations run eagerly, they are Keras's. In graphs, and where a store shares variables,
    their weights are variables that `get_variable` makes; a call in a graph is a node.
    """

    # Arguments for which scopes have a default, and their places.
    _scopes_initializers: dict[str, int] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = kwargs.pop("_scope", None)
        if isinstance(kwargs.get("name"), VariableScope):
            kwargs["name"] = kwargs["name"].name
        reuse = kwargs.pop("_reuse", None)
        for name, place in self._scopes_initializers.items():
            if place >= len(args):
                kwargs.setdefault(name, None)
        if kwargs.get("dtype") is None:
            # These take their dtype from their first input in all generations.
            kwargs["dtype"] = Policy("_infer")
        super().__init__(*args, **{"autocast": False} | kwargs)
        self.__dict__["_given_scope"] = given
        self.__dict__["_given_name"] = kwargs.get("name")
        self.__dict__["_reuse"] = reuse
        self.__dict__["_scope"] = None

    def add_weight(
        self,
        name: str | None = None,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Makes a variable that belongs to the layer; arguments as those of Keras's layers."""
        eager = context.building_graph() is None
        if eager and not shares_eagerly():
            given = {
                "dtype": dtype,
                "initializer": initializer,
                "regularizer": regularizer,
                "trainable": trainable,
                "constraint": constraint,
                "use_resource": use_resource,
                "synchronization": synchronization,
                "aggregation": aggregation,
            }
            kwargs |= {name: value for name, value in given.items() if value is not None}
            return super().add_weight(name, shape, **kwargs)
        name = name or "variable"
        known = {id(one) for one in defaults.get_collection(GraphKeys.GLOBAL_VARIABLES)}
        variable = get_variable(
            name,
            [] if shape is None else shape,
            dtype or self._dtype_policy.variable,
            initializer,
            regularizer if eager else None,
            trainable is not False and self.trainable,
            constraint=constraint,
            use_resource=use_resource,
            partitioner=partitioner,
            synchronization=synchronization,
            aggregation=aggregation,
        )
        if eager:
            # Keras tracks it when it is assigned to an attribute.
            return variable
        parts = parts_of(variable)
        self.__dict__.setdefault("_graph_weights", []).extend(parts)
        if regularizer is not None and not any(id(part) in known for part in parts):
            self._regularize(name, parts, regularizer)
        return variable

    def _regularize(self, name: str, parts: list[Any], regularizer: Callable[..., Any]) -> None:
        """Adds the losses of a weight, which are called by its name in the layer."""
        with defaults.name_scope(f"{name}/Regularizer"):
            losses = [loss for part in parts if (loss := regularizer(part)) is not None]
        self.__dict__.setdefault("_graph_losses", []).extend(losses)
        for loss in losses:
            defaults.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    add_variable = add_weight

    @property
    def scope_name(self) -> str:
        """The name of the variable scope."""
        scope = self.__dict__["_scope"]
        return self.name if scope is None else scope.name

    def __setattr__(self, name: str, value: object) -> None:
        # Keras tracks variables that have values, which those of graphs do not.
        if isinstance(value, GraphVariable | PartitionedVariable):
            self.__dict__[name] = value
        else:
            super().__setattr__(name, value)

    @property
    def losses(self) -> list[Any]:
        """The losses of weights, and others that the layer has added."""
        return self.__dict__.get("_graph_losses") or super().losses

    @property
    def weights(self) -> list[Any]:
        """All variables of the layer."""
        return self.__dict__.get("_graph_weights") or super().weights

    @property
    def variables(self) -> Any:
        """All variables of the layer."""
        return self.weights

    @property
    def trainable_weights(self) -> list[_core.Variable]:
        """The trainable variables."""
        if "_graph_weights" in self.__dict__:
            return [variable for variable in self.weights if variable.trainable]
        return super().trainable_weights

    @property
    def trainable_variables(self) -> Any:
        """The trainable variables."""
        return self.trainable_weights

    def _own_scope(self) -> VariableScope:
        """The scope of the variables: one that was given, or a new one of the layer's name."""
        own = self.__dict__
        if own["_scope"] is None:
            given, reuse = own["_given_scope"], own["_reuse"]
            name = own["_given_name"] or naming.snake_case(type(self).__name__)
            if given is not None or reuse:
                entered = variable_scope(name if given is None else given)
            else:
                entered = variable_scope(None, default_name=name)
            with entered as own["_scope"]:
                pass
        return own["_scope"]

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Structure:
        """Applies the layer."""
        graph = context.building_graph()
        if graph is None and (self.built or not shares_eagerly()):
            return super().__call__(inputs, *args, **kwargs)
        scope, reuse = self._own_scope(), True if self.built else self.__dict__["_reuse"]
        with (
            variable_scope(scope, reuse=reuse, auxiliary_name_scope=False),
            defaults.name_scope(scope.original_name_scope),
        ):
            if graph is None:
                return super().__call__(inputs, *args, **kwargs)
            if not self.built:
                infer_dtype(self, nest.flatten(inputs))
                self.build(nest.map_structure(lambda tensor: tensor.shape, inputs))
                self.built = True
            start = len(_core.building())
            kind = self._node_kind(inputs, kwargs)
            outputs = called(kind, None, lambda: self.call(inputs, *args, **kwargs))
            return self._with_updates(start, outputs)

    def _with_updates(self, start: int, outputs: Structure) -> Structure:
        """The outputs of a call in a graph, which wait for what changes variables.

        Args:
            start: how many nodes the graph had before the call.
            outputs: the outputs.
        """
        return with_effects(start, outputs)

    def _node_kind(self, inputs: Structure, arguments: dict[str, object]) -> str:
        """The name of the layer's last operation."""
        activation = getattr(self, "activation", None)
        name = getattr(activation, "__name__", "linear")
        if activation is not None and name != "linear":
            return "".join(part.capitalize() for part in name.split("_"))
        kind = type(self).__name__
        if kind.endswith("Pooling3D") and getattr(self, "data_format", "") == "channels_first":
            return "transpose_1"
        return "BiasAdd" if getattr(self, "use_bias", False) else _KINDS.get(kind, kind)

    apply = __call__


def _layer(base: Any, doc: str) -> Any:
    """The layer of version 1 that computes as one of Keras's."""
    doc = f"{doc}; see `tf.keras.layers.{base.__name__}`."
    parameters = list(inspect.signature(base.__init__).parameters)[1:]
    members = {
        "__module__": __name__,
        "__doc__": doc,
        "_scopes_initializers": {
            name: parameters.index(name)
            for name in ("kernel_initializer", "depthwise_initializer", "pointwise_initializer")
            if name in parameters
        },
    }
    return type(base.__name__, (Layer, base), members)


Dense = _layer(keras.Dense, "activation(inputs @ kernel + bias)")
Conv1D = _layer(keras.Conv1D, "A convolution along one axis")
Conv2D = _layer(keras.Conv2D, "A convolution of images")
Conv3D = _layer(keras.Conv3D, "A convolution of volumes")
Conv2DTranspose = _layer(keras.Conv2DTranspose, "The transpose of a convolution of images")
Conv3DTranspose = _layer(keras.Conv3DTranspose, "The transpose of a convolution of volumes")
SeparableConv1D = _layer(keras.SeparableConv1D, "A convolution by channel, then across channels")
SeparableConv2D = _layer(keras.SeparableConv2D, "A convolution by channel, then across channels")
MaxPooling1D = _layer(keras.MaxPooling1D, "Maxima along one axis")
MaxPooling2D = _layer(keras.MaxPooling2D, "Maxima of patches of images")
MaxPooling3D = _layer(keras.MaxPooling3D, "Maxima of patches of volumes")
AveragePooling1D = _layer(keras.AveragePooling1D, "Means along one axis")
AveragePooling2D = _layer(keras.AveragePooling2D, "Means of patches of images")
AveragePooling3D = _layer(keras.AveragePooling3D, "Means of patches of volumes")
Flatten = _layer(keras.Flatten, "Flattens all axes but the first")


class Dropout(Layer, keras.Dropout):
    """Drops elements while training; see `tf.keras.layers.Dropout`.

    Args:
        rate: the fraction that is dropped.
        noise_shape: sizes of 1 drop whole slices.
        seed: makes the mask reproducible.
        name: the layer's name.
        **kwargs: `dtype`, `trainable`.
    """

    def __init__(
        self,
        rate: float = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(rate, noise_shape, seed, name=name, **kwargs)

    def _node_kind(self, inputs: object, arguments: dict[str, object]) -> str:
        training = arguments.get("training", False)
        if training is False:
            return "Identity"
        return "cond/Merge" if isinstance(training, _core.Tensor) else "dropout/SelectV2"

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The inputs, scaled where they are not dropped."""
        if training is False and context.building_graph() is not None:
            return _ops.identity(inputs)
        compute = super().call
        return by_training(training, lambda on: compute(inputs, training=on))


class BatchNormalization(Layer, keras.BatchNormalization):
    """Normalizes by the mean and variance of batches; see `tf.keras.layers.BatchNormalization`.

    In a graph, the operations that move the averages are in the collection
    `tf.GraphKeys.UPDATE_OPS`, and run with what is made to wait for them.
    """

    # The collections that get the updates; None if outputs wait for them.
    _updates_collections: str | None = GraphKeys.UPDATE_OPS
    # Averages, and what is to be subtracted from them.
    _noted: list[tuple[Any, Any]] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if any(kwargs.get(name) for name in ("renorm", "virtual_batch_size", "adjustment")):
            kwargs["fused"] = False
        super().__init__(*args, **kwargs)

    def _is_fused(self, rank: int) -> bool:
        # Where the operation does not fit, the layer does without it.
        self.fused = None if rank == 4 and self.fused is not False else False
        return super()._is_fused(rank)

    def add_weight(
        self, name: str | None = None, shape: ShapeLike | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Makes a variable; those that are not trained are never cut into parts."""
        scope = get_variable_scope()
        partitioner = scope.partitioner
        if kwargs.get("trainable") is False:
            scope.set_partitioner(None)
        try:
            return super().add_weight(name, shape, *args, **kwargs)
        finally:
            scope.set_partitioner(partitioner)

    def call(self, inputs: Any, training: Any = False, mask: Any = None) -> Any:
        """The normalized inputs."""
        compute = super().call
        if not isinstance(context.building_graph(), Graph):
            return by_training(training, lambda on: compute(inputs, training=on, mask=mask))
        noted: list[tuple[_core.Variable, _core.Tensor]] = []
        self.__dict__["_noted"] = noted
        averages: list[_core.Variable] = []

        def normalized(training: bool) -> list[_core.Tensor]:
            outputs = compute(inputs, training=training, mask=mask)
            if training:
                averages[:] = [average for average, _ in noted]
                amounts = [amount for _, amount in noted]
            else:
                amounts = [_ops.zeros_like(average) for average in averages]
            noted.clear()
            return [outputs, *amounts]

        outputs, *amounts = by_training(training, normalized)
        noted.extend(zip(averages, amounts, strict=True))
        return outputs

    def _node_kind(self, inputs: Structure, arguments: dict[str, object]) -> str:
        return "FusedBatchNormV3" if inputs.shape.rank == 4 else "batchnorm/add_1"

    def _subtract(self, average: Any, amount: Any) -> None:
        if self._noted is None:
            super()._subtract(average, amount)
        else:
            self._noted.append((average, amount))

    def _follow_deviation(self, deviation: Any) -> Any:
        # In graphs the variance follows when the averages have been moved.
        return super()._follow_deviation(deviation) if self._noted is None else None

    def _with_updates(self, start: int, outputs: _core.Tensor) -> _core.Tensor:
        noted, self.__dict__["_noted"] = self._noted or (), None
        collections = self._updates_collections
        for average, amount in noted:
            update = average.assign_sub(amount)
            if average is getattr(self, "moving_stddev", None):
                update = super()._follow_deviation(update)
            if collections is not None:
                defaults.add_to_collections(collections, update.op)
        return with_effects(start, outputs) if collections is None else outputs


InputSpec = keras.InputSpec


def _function(cls: Any, parameters: str) -> Callable[..., _core.Tensor]:
    """The function that makes a layer and applies it at once.

    Args:
        cls: the layer's class.
        parameters: the names of the function's parameters after `inputs`, in order.
    """
    names = parameters.split()
    # The constructor that names its parameters may be that of Keras's layer.
    constructors = (inspect.signature(base.__init__).parameters for base in cls.__mro__)
    own = next(found for found in constructors if found.keys() & set(names))
    defaults = {name: own[name].default if name in own else None for name in names}
    declared = [
        inspect.Parameter("inputs", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *(
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
            for name, default in defaults.items()
        ),
    ]

    def apply(inputs: TensorLike, *args: Any, **kwargs: Any) -> _core.Tensor:
        given = dict(zip(defaults, args, strict=False))
        if len(args) > len(defaults) or given.keys() & kwargs.keys():
            inspect.Signature(declared).bind(inputs, *args, **kwargs)  # raises
        given.update(kwargs)
        training, reuse = given.pop("training", None), given.pop("reuse", None)
        layer = cls(**given, _scope=given.get("name"), _reuse=reuse)
        return layer(inputs) if training is None else layer(inputs, training=training)

    kind = naming.snake_case(cls.__name__)
    apply.__name__ = apply.__qualname__ = kind
    apply.__signature__ = inspect.Signature(declared)  # type: ignore[attr-defined]
    apply.__doc__ = f"""Makes a layer and applies it: {cls.__doc__.splitlines()[0]}

    Args:
        inputs: a tensor.
        *args: the layer's arguments.
        **kwargs: the layer's arguments; `training` for layers that behave differently in training,
            `name` for the layer's name, and that of its variable scope, `reuse` for whether its
            variables are those of an earlier layer of that name.
    """
    return apply


_WEIGHTS = (
    "activation use_bias kernel_initializer bias_initializer kernel_regularizer bias_regularizer "
    "activity_regularizer kernel_constraint bias_constraint trainable name reuse"
)
_CONV = f"filters kernel_size strides padding data_format dilation_rate {_WEIGHTS}"
_TRANSPOSED = f"filters kernel_size strides padding data_format {_WEIGHTS}"
_SEPARABLE = (
    "filters kernel_size strides padding data_format dilation_rate depth_multiplier activation "
    "use_bias depthwise_initializer pointwise_initializer bias_initializer depthwise_regularizer "
    "pointwise_regularizer bias_regularizer activity_regularizer depthwise_constraint "
    "pointwise_constraint bias_constraint trainable name reuse"
)
_NORMALIZATION = (
    "axis momentum epsilon center scale beta_initializer gamma_initializer moving_mean_initializer "
    "moving_variance_initializer beta_regularizer gamma_regularizer beta_constraint "
    "gamma_constraint training trainable name reuse renorm renorm_clipping renorm_momentum fused "
    "virtual_batch_size adjustment"
)
_POOLING = "pool_size strides padding data_format name"
dense = _function(Dense, f"units {_WEIGHTS}")
conv1d = _function(Conv1D, _CONV)
conv2d = _function(Conv2D, _CONV)
conv3d = _function(Conv3D, _CONV)
conv2d_transpose = _function(Conv2DTranspose, _TRANSPOSED)
conv3d_transpose = _function(Conv3DTranspose, _TRANSPOSED)
separable_conv1d = _function(SeparableConv1D, _SEPARABLE)
separable_conv2d = _function(SeparableConv2D, _SEPARABLE)
max_pooling1d = _function(MaxPooling1D, _POOLING)
max_pooling2d = _function(MaxPooling2D, _POOLING)
max_pooling3d = _function(MaxPooling3D, _POOLING)
average_pooling1d = _function(AveragePooling1D, _POOLING)
average_pooling2d = _function(AveragePooling2D, _POOLING)
average_pooling3d = _function(AveragePooling3D, _POOLING)
flatten = _function(Flatten, "name data_format")
dropout = _function(Dropout, "rate noise_shape seed training name")
batch_normalization = _function(BatchNormalization, _NORMALIZATION)
