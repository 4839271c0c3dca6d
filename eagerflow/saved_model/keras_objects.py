"""Keras models of a SavedModel whose classes the program does not have: called by their functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from eagerflow import _core
from eagerflow.framework.dtypes import DType
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.keras import metrics
from eagerflow.keras.engine.calls.first_call import note_arguments, note_inputs
from eagerflow.keras.engine.calls.layer_call import mark_built, names_from_here
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.model import Model
from eagerflow.keras.layers.lambda_layer import Lambda
from eagerflow.keras.saving import keras3, reachable, registration, serialization
from eagerflow.saved_model.keras_functions import WITH_LOSSES
from eagerflow.saved_model.loaded_objects import ObjectLoader

# What Keras writes of a layer besides the attributes of the program.
_NOT_ATTRIBUTES = frozenset(
    "keras_api variables trainable_variables non_trainable_variables regularization_losses losses "
    "layers metrics layer_regularization_losses layer_metrics activity_regularizer_fn optimizer "
    f"__call__ _default_save_signature {WITH_LOSSES} call_and_return_all_conditional_losses".split()
)


class RevivedLayer(Layer):
    """A layer that is called by the functions of a file."""

    _called: Callable[..., Any] | None
    _config: dict[str, Any]

    def get_config(self) -> dict[str, Any]:
        """The configuration in the file, of a class that the program does not have."""
        return dict(self._config)


class RevivedModel(RevivedLayer, Model):
    """A model that is called by the functions of a file."""


class RevivedLambda(RevivedLayer, Lambda):
    """A Lambda layer that is called by the functions of a file: its code does not run."""


def knows_all(metadata: Mapping[int, object]) -> bool:
    """Whether all layers of a file can be made from their configurations."""
    return not unknown_classes(metadata)


def unknown_classes(metadata: Mapping[int, Any]) -> set[str]:
    """The classes of a file's layers that are not Keras's, and that the program has not registered.

    Lambda layers whose function is none of the program's are among them.
    """
    known = registration.known_objects()
    kinds = [reachable.KINDS[kind].objects() for kind in ("layer", "metric")]
    unknown = set()
    for _, entry in metadata.values():
        name = str(entry["class_name"])
        if name not in known:
            if not any(name in kind for kind in kinds):
                unknown.add(name)
            elif name == "Lambda" and not _is_allowed(entry.get("config")):
                unknown.add(name)
    return unknown


def _is_allowed(config: object) -> bool:
    """Whether a Lambda layer may be made from its configuration."""
    try:
        reachable.KINDS["layer"].objects()["Lambda"].from_config(config)
    except (TypeError, ValueError):
        return False
    return True


def _as_float(value: Any, dtype: DType) -> Any:
    """A tensor in the float dtype of a function's argument; others as they are."""
    floats = value.dtype.is_floating and dtype.is_floating and value.dtype is not dtype
    return _core.ops.cast(value, dtype) if floats else value


def _with_boolean(
    position: int | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A call's arguments with `training` as a boolean: learning phases are 0 and 1.

    Args:
        position: the index of `training` among the parameters, if it is one.
        args: the arguments.
        kwargs: those by name.
    """
    if position is not None and position < len(args) and type(args[position]) is int:
        args = (*args[:position], bool(args[position]), *args[position + 1 :])
    if type(kwargs.get("training")) is int:
        kwargs = {**kwargs, "training": bool(kwargs["training"])}
    return args, kwargs


class KerasObjectLoader(ObjectLoader):
    """Creates layers of known classes from their configurations, and the others from the file's functions.

    Args:
        meta_graph: the MetaGraphDef message.
        folder: the SavedModel's folder.
        stored: the size of its variables in bytes.
        metadata: Keras's metadata: identifier and entry, by node id.
    """

    def __init__(self, meta_graph: Any, folder: str, stored: int, metadata: Any) -> None:
        super().__init__(meta_graph, folder, stored, ())
        self._metadata = metadata
        self._unknown = unknown_classes(metadata)
        # Objects that layers have made themselves.
        self._claimed: set[int] = set()

    def load(self) -> Any:
        """The root of the objects."""
        # Functional models name the layers in them.
        stand_ins = {name: self._stand_in(name) for name in self._unknown}
        with registration.CustomObjectScope(stand_ins), names_from_here():
            for number in sorted(self._metadata):
                if number < len(self._nodes):
                    self._layer(number)
        return super().load()

    def _layer(self, number: int) -> Any:
        """A layer, model or metric, made from its configuration if that can be."""
        if number not in self._made:
            made = self._from_config(number)
            if made is None:
                made = self._revived(number)
            else:
                self._claim(made, number)
            self._made[number] = made
        return self._made[number]

    def _stand_in(self, class_name: str) -> type:
        """A class with the name of an unknown class, whose objects call the file's functions."""

        def from_config(cls: object, config: Any) -> Any:
            of_class = [
                n for n, (_, entry) in self._metadata.items() if entry["class_name"] == class_name
            ]
            named = [n for n in of_class if self._metadata[n][1]["name"] == config.get("name")]
            for number in named or (of_class if len(of_class) == 1 else ()):
                if class_name == "Lambda" and not self._functions(number):
                    break
                if number not in self._made:
                    self._made[number] = self._revived(number)
                    # The model calls its function at once: with the variables of its inner layers.
                    for inner in self._inner_layers(number):
                        self._layer(inner)
                return self._made[number]
            # The error says why the layer cannot be created.
            kind = reachable.KINDS["layer"].objects().get(class_name)
            if kind is not None:
                return kind.from_config(config)
            raise ValueError(f"Unknown layer: {class_name!r}, and the file has no functions of it.")

        return type(class_name, (RevivedLayer,), {"from_config": classmethod(from_config)})

    def _from_config(self, number: int) -> Any:
        """An object made from its configuration, with its variables; None if that cannot be."""
        identifier, entry = self._metadata[number]
        class_name, config = entry.get("class_name"), entry.get("config")
        if not config and class_name not in registration.known_objects():
            return None
        if str(class_name) in self._unknown:
            if identifier == "_tf_keras_network" and "input_layers" in config:
                class_name = "Functional"
            elif identifier == "_tf_keras_sequential":
                class_name = "Sequential"
            else:
                return None
        described = keras3.translated({"class_name": class_name, "config": config or {}})
        if identifier == "_tf_keras_metric":
            return metrics.deserialize(described)
        try:
            made = serialization.deserialize_as("layer", described)
        except (KeyError, TypeError, ValueError, NotImplementedError):
            if WITH_LOSSES in self._functions(number):
                return None
            raise
        self._build(made, number)
        names = {child.local_name: child.node_id for child in self._nodes[number].children}
        of_file = {name for name, n in names.items() if self._kind(n) == "variable"}
        has_all = of_file <= made._trackable_children().keys() if of_file else True
        return made if has_all or WITH_LOSSES not in self._functions(number) else None

    def _build(self, made: Any, number: int) -> None:
        """Builds a layer if the file has its input shape."""
        shape = self._metadata[number][1].get("build_input_shape")
        if isinstance(made, Layer) and not made.built and shape is not None:
            with name_scope(self._scope_of(number)):
                made.build(shape)
            mark_built(made, shape)

    def _kind(self, number: int) -> Any:
        return self._nodes[number].WhichOneof("kind")

    def _scope_of(self, number: int) -> str:
        """The scope of the names of a layer's own variables."""
        for child in self._nodes[number].children:
            if self._kind(child.node_id) == "variable":
                scope = self._nodes[child.node_id].variable.name.rpartition("/")[0]
                return scope + "/" if scope else ""
        return ""

    def _functions(self, number: int) -> dict[str, int]:
        """The node ids of a layer's call functions."""
        layers = {}
        for child in self._nodes[number].children:
            if child.local_name == "keras_api":
                inner = self._nodes[child.node_id].children
                layers.update({part.local_name: part.node_id for part in inner})
            layers[child.local_name] = child.node_id
        return {name: n for name, n in layers.items() if self._has_traces(n)}

    def _has_traces(self, number: int) -> bool:
        return len(self._nodes[number].function.concrete_functions) > 0

    def _claim(self, made: Any, number: int) -> None:
        """Uses the objects of a layer for the file's nodes with their names."""
        self._made[number] = made
        self._claimed.add(number)
        if number in self._metadata:
            self._build(made, number)
        own = made._trackable_children() if hasattr(made, "_trackable_children") else {}
        if isinstance(made, list):
            own = {str(k): item for k, item in enumerate(made)}
        for child in self._nodes[number].children:
            item = own.get(child.local_name)
            if isinstance(item, RevivedLayer):  # its children come from the file
                continue
            if item is not None and child.node_id not in self._claimed:
                if self._made.get(child.node_id, item) is item:
                    self._claim(item, child.node_id)

    def _revived(self, number: int) -> Any:
        identifier, entry = self._metadata[number]
        functions = self._functions(number)
        with_losses, plain = functions.get(WITH_LOSSES), functions.get("__call__")
        chosen = plain if with_losses is None else with_losses
        function = None if chosen is None else self._object(chosen)
        args, kwargs = ([], {}) if function is None else function._concrete[0].signature
        first = args[0] if args else None
        # Functional models pass a list of one tensor as the tensor.
        in_list = isinstance(first, list) and len(first) == 1

        def call(self: Any, *args: object, **kwargs: object) -> Any:
            if function is None:
                raise NotImplementedError(
                    f"When loading a layer, the `call` method of '{self.name}' was not found: the "
                    "layer was never called before it was saved. Pass its class in "
                    "`custom_objects=`, and give it a `get_config`."
                )
            if args and in_list and not isinstance(args[0], list):
                args = ([args[0]], *args[1:])
            args, kwargs = _with_boolean(position, args, kwargs)
            if args and isinstance(args[0], _core.Tensor) and isinstance(first, TensorSpec):
                args = (_as_float(args[0], first.dtype), *args[1:])
            outputs = function(*args, **kwargs)
            if with_losses is not None:
                outputs, losses = outputs
                self.add_loss(losses)
            return outputs

        names = [] if function is None else list(function.__signature__.parameters)
        position = names.index("training") if "training" in names else None
        owner = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if function is not None:
            # The functions are for either value, and None is neither.
            parameters = [
                p.replace(default=False) if p.name == "training" and p.default is None else p
                for p in function.__signature__.parameters.values()
            ]
            call.__signature__ = inspect.Signature([owner, *parameters])  # type: ignore[attr-defined]
        is_model = identifier in ("_tf_keras_model", "_tf_keras_network", "_tf_keras_sequential")
        class_name = str(entry.get("class_name", "Layer"))
        base: type[RevivedLayer] = RevivedModel if is_model else RevivedLayer
        if class_name == "Lambda":
            base = RevivedLambda
        kind: Any = type(class_name.rpartition(">")[2], (base,), {"call": call})
        own: dict[str, Any] = {} if is_model else {"trainable": bool(entry.get("trainable", True))}
        if class_name == "Lambda":
            arguments = (entry.get("config") or {}).get("arguments")
            own |= {"function": function, "arguments": arguments}
        if function is not None:  # it is for inputs of the dtype that it was called with
            own["autocast"] = False
        made = kind(name=entry.get("name"), dtype=entry.get("dtype"), **own)
        made.__dict__["_config"] = entry.get("config") or {}
        made.__dict__["_called"] = function
        mark_built(made, entry.get("build_input_shape"))
        if function is not None:
            note_inputs(made, first)
            others = [x for x in args[1:] if isinstance(x, TypeSpec)]
            note_arguments(made, tuple(others), kwargs)
        return made

    def _connect(self, number: int) -> None:
        if number in self._claimed:
            return
        made = self._made[number]
        if not isinstance(made, RevivedLayer):
            super()._connect(number)
            return
        parts = {child.local_name: child.node_id for child in self._nodes[number].children}
        for name, part in parts.items():
            if name not in _NOT_ATTRIBUTES:
                setattr(made, name, self._finished(part))
        if made._is_model:
            made.trainable = bool(self._metadata[number][1].get("trainable", True))
        inner = {n for child in self._inner_layers(number) for n in self._penalties(child)}
        for penalty in self._penalties(number):
            if penalty not in inner:
                made.add_loss(self._object(penalty))

    def _inner_layers(self, number: int) -> list[int]:
        """The node ids of a layer's inner layers."""
        reached, queue = [], [number]
        seen = {number}
        for each in queue:
            for child in self._nodes[each].children:
                if child.node_id not in seen and child.local_name not in _NOT_ATTRIBUTES:
                    seen.add(child.node_id)
                    queue.append(child.node_id)
                    if child.node_id in self._metadata:
                        reached.append(child.node_id)
        return reached

    def _penalties(self, number: int) -> list[int]:
        """The node ids of the regularizer functions of a layer's weights."""
        for child in self._nodes[number].children:
            if child.local_name == "regularization_losses":
                return [part.node_id for part in self._nodes[child.node_id].children]
        return []
