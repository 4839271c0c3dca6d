"""TrackedModule: finds the variables and layers among its attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, ValuesView
from typing import Any

from eagerflow import _core, nest
from eagerflow.checkpoint.trackable import GROWING, attributes
from eagerflow.framework.module import Module
from eagerflow.framework.trackable import NoDependency
from eagerflow.framework.tracked_containers import wrapped
from eagerflow.keras import naming
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
restoring = lazy.Module("eagerflow.checkpoint.restoring")

_Variable = _core.Variable
_SIMPLE = frozenset(
    {type(None), bool, int, float, str, bytes, _core.EagerTensor, _core.SymbolicTensor}
)


class _Structure:
    """Counts the changes after which lists of weights must be collected again."""

    version = 0


def structure_changed() -> None:
    """Invalidates the lists of weights that layers have collected."""
    _Structure.version += 1


_WEIGHTS = ("_trainable_weights", "_non_trainable_weights")


def is_metric(value: object) -> bool:
    """Whether an object is a metric, whose variables are not among a layer's weights."""
    return isinstance(value, TrackedModule) and value._is_metric


def _is_container(value: object) -> bool:
    return isinstance(value, list | dict | tuple | ValuesView)


def unique(items: Iterable[object]) -> list[Any]:
    """The objects in order, each once."""
    items = list(items)
    return list(dict(zip(map(id, items), items, strict=True)).values())


def set_trainable(values: Iterable[tuple[Any, Any]]) -> None:
    """Sets whether layers, without their inner layers, are trainable."""
    for layer, value in values:
        layer.__dict__["_trainable"] = value
    structure_changed()


class RespectCompiledTrainableState:
    """Within this, the weights that were trainable when a model was compiled are so.

    Args:
        model: a Keras model; one that was not compiled stays as it is.

    >>> layer = tf.keras.layers.Dense(1)
    >>> model = tf.keras.Sequential([layer])
    >>> model.compile("sgd", "mse")
    >>> layer.trainable = False
    >>> from eagerflow.keras.engine.tracking import RespectCompiledTrainableState
    >>> with RespectCompiledTrainableState(model):
    ...     layer.trainable
    True
    >>> layer.trainable
    False
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._changed: list[tuple[Any, Any]] = []

    def __enter__(self) -> None:
        compiled = self._model._compiled_trainable
        if compiled is None:
            return
        now = [(layer, layer._trainable) for layer in self._model._flatten_layers()]
        self._changed = [pair for pair in now if compiled.get(*pair) is not pair[1]]
        if self._changed:
            set_trainable([(layer, compiled[layer]) for layer, _ in self._changed])

    def __exit__(self, *_: object) -> None:
        if self._changed:
            set_trainable(self._changed)


def set_frozen(layer: Any, variables: Iterable[Any], frozen: bool) -> None:
    """Sets whether training leaves some of a layer's own weights as they are."""
    changed = list(variables)
    for variable in changed:
        variable._trainable = not frozen
    others = [
        v for v in layer.__dict__.get("_frozen_weights", ()) if not any(v is w for w in changed)
    ]
    layer.__dict__["_frozen_weights"] = [*others, *changed] if frozen else others
    structure_changed()


def restore_grown() -> None:
    """Restores objects that were put into lists and dictionaries after a checkpoint was read."""
    restoring.look_again()


class OwnList:
    """A list that every object has, made when it is first read."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        structure_changed()  # whoever reads it may add to it
        return instance._list(self._name)


class TrackedModule(Module):
    """A module that tracks variables and layers when they become attributes.

    It lists its own variables in the order of creation, then those of the inner layers, in the
    order in which these became attributes. Lists and dictionaries are searched each time.
    """

    _TF_MODULE_IGNORED_PROPERTIES = frozenset(
        {
            "_called_with",
            "_called_with_also",
            "_trainable_weights",
            "_non_trainable_weights",
            "_frozen_weights",
            "_weights_by_name",
            "_self_tracked_trackables",
            "_inbound_nodes_value",
            "_outbound_nodes_value",
            "_losses",
            "_symbolic_losses",
            "_callable_losses",
            "_metrics",
            "_plan",
            "_weights_cache",
            "_layers_cache",
            "_without_containers",
            "_init_arguments",
            "_nodes",
            "_name_scope",
            "_dependencies",
        }
    )
    _trainable_weights = OwnList()
    _non_trainable_weights = OwnList()
    _metrics = OwnList()
    # The lists that modules search which contain this one.
    _LISTS = (
        "_trainable_weights",
        "_non_trainable_weights",
        "_self_tracked_trackables",
        "_metrics",
    )
    _is_metric = False
    _auto_track_sub_layers = True
    _plan: Any = None
    _weights_cache: Any = None
    # Attributes that call plans depend on.
    _PLAN_ATTRIBUTES = frozenset(
        {"built", "_activity_regularizer", "_supports_masking", "_input_spec", "_dtype_policy"}
        | {"_autocast", "supports_masking", "call", "compute_mask"}
    )

    def _flattened_attributes(self) -> dict[str, Any]:
        """The lists of weights and layers too, which may hold what no attribute does."""
        lists = {name: self.__dict__[name] for name in self._LISTS if name in self.__dict__}
        return super()._flattened_attributes() | lists

    def _list(self, name: str) -> list[Any]:
        """A list attribute, made at its first use."""
        attributes = self.__dict__
        values = attributes.get(name)
        if values is None:
            values = attributes[name] = []
        return values

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._PLAN_ATTRIBUTES:
            self.__dict__["_plan"] = None
        if type(value) is NoDependency:
            self.__dict__[name] = value.value
            structure_changed()
            return
        if name in self._TF_MODULE_IGNORED_PROPERTIES:
            self.__dict__[name] = value
            structure_changed()
            return
        if self._self_setattr_tracking:
            value = wrapped(value)
        before = self.__dict__.get(name)
        if before is not None and type(before) not in _SIMPLE and before is not value:
            self._forget(name, before)
        object.__setattr__(self, name, value)
        if type(value) not in _SIMPLE and self._self_setattr_tracking:
            self._notice(value)
            if "_pending_restorations" in self.__dict__:
                self.__dict__["_pending_restorations"].settle(self)

    def __delattr__(self, name: str) -> None:
        before = self.__dict__.get(name)
        object.__delattr__(self, name)
        if before is not None and type(before) not in _SIMPLE:
            self._forget(name, before)

    def _notice(self, value: object) -> None:
        if isinstance(value, _Variable):
            self._track_variable(value)
        elif isinstance(value, Module) and value._is_tracked_by_layers:
            if is_metric(value):
                self._add_once("_metrics", value)
            if self._auto_track_sub_layers:
                self._add_once("_self_tracked_trackables", value)
                structure_changed()
        elif _is_container(value):
            for leaf in _leaves(value):
                if is_metric(leaf):
                    self._add_once("_metrics", leaf)
                elif isinstance(leaf, _Variable):
                    self._track_variable(leaf)
            if self._auto_track_sub_layers and _may_hold_layers(value):
                self._add_once("_self_tracked_trackables", value)
                structure_changed()

    def _add_once(self, name: str, value: object) -> None:
        entries = self._list(name)
        if not any(entry is value for entry in entries):
            entries.append(value)

    def _track_variable(self, variable: _core.Variable, trainable: bool | None = None) -> None:
        """Adds a variable to the trainable or the other weights."""
        if trainable is None:
            trainable = variable.trainable
        name = "_trainable_weights" if trainable else "_non_trainable_weights"
        for other in _WEIGHTS:
            if any(entry is variable for entry in self.__dict__.get(other, ())):
                return
        self._list(name).append(variable)
        structure_changed()

    def _note_name(self, name: str, variable: _core.Variable) -> None:
        """Notes the name under which a weight was made, which checkpoints use."""
        self.__dict__.setdefault("_weights_by_name", {})[name] = variable
        if "_pending_restorations" in self.__dict__:
            self.__dict__["_pending_restorations"].settle(self)
        elif GROWING:
            restore_grown()

    def _saved_model_children(self) -> dict[str, Any]:
        """What functions of the layer use and checkpoints of it do not have, by name."""
        metrics = self.__dict__.get("_metrics")
        return {"_metrics": metrics} if metrics else {}

    def _checkpoint_children(self) -> dict[str, Any]:
        """The weights by the names they were made under, and the attributes by theirs."""
        named = self.__dict__.get("_weights_by_name")
        if not named:
            return attributes(self)
        lists = (self.__dict__.get(key, ()) for key in _WEIGHTS)
        kept = {id(variable) for weights in lists for variable in weights}
        return {
            name: variable for name, variable in named.items() if id(variable) in kept
        } | attributes(self)

    def _forget(self, name: str, value: object) -> None:
        """Stops tracking an attribute's old value, unless another attribute holds it."""
        for key, other in self.__dict__.items():
            ours = key in self._TF_MODULE_IGNORED_PROPERTIES
            if other is value and key != name and not ours:
                return
        for key in (*self._LISTS, "_frozen_weights"):
            entries = self.__dict__.get(key)
            if entries:
                kept = [entry for entry in entries if entry is not value]
                if len(kept) != len(entries):
                    entries[:] = kept
                    structure_changed()

    def _flatten_modules(self, recursive: bool = True, include_self: bool = True) -> Iterator[Any]:
        """Inner modules without metrics; containers are always searched."""
        if include_self:
            yield self
        seen: set[int] = set()
        stack = list(reversed(self.__dict__.get("_self_tracked_trackables", ())))
        while stack:
            value = stack.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            if isinstance(value, Module):
                if not is_metric(value):
                    yield value
                    if recursive:
                        inner = value.__dict__.get("_self_tracked_trackables")
                        if inner:
                            stack.extend(reversed(inner))
            elif isinstance(value, dict):
                stack.extend(reversed(_sorted_values(value)))
            elif isinstance(value, list | tuple):
                stack.extend(reversed(value))

    def _flatten_layers(self, recursive: bool = True, include_self: bool = True) -> Iterator[Any]:
        """Layers among `_flatten_modules`."""
        for module in self._flatten_modules(recursive, include_self):
            if isinstance(module, TrackedModule):
                yield module

    def _all_inner_layers(self) -> list[Any]:
        """This layer and all inner layers; collected again when a structure has changed."""
        key = self._structure()
        cache = self.__dict__.get("_layers_cache")
        if cache is None or cache[0] != key:
            cache = self.__dict__["_layers_cache"] = (key, list(self._flatten_layers()))
        return cache[1]

    def _container_variables(self) -> None:
        """Notices variables that were put into lists after these became attributes."""
        for value in self.__dict__.get("_self_tracked_trackables", ()):
            if _is_container(value):
                for leaf in _leaves(value):
                    if isinstance(leaf, _Variable):
                        self._track_variable(leaf)

    def _inner_weights(self, attribute: str) -> list[_core.Variable]:
        inner = []
        for module in self._flatten_modules(recursive=False, include_self=False):
            inner.extend(getattr(module, attribute))
        return inner

    def _collected(self, attribute: str) -> list[_core.Variable]:
        """A list of weights, collected again when a structure has changed."""
        cache = self._weights_cache
        key = self._structure()
        if cache is None or cache[0] != key:
            if GROWING:
                restore_grown()
            self._container_variables()
            key = self._structure()
            cache = self.__dict__["_weights_cache"] = (key, {})
        weights = cache[1].get(attribute)
        if weights is None:
            weights = cache[1][attribute] = unique(getattr(self, f"_collect_{attribute}")())
        return list(weights)

    def _structure(self) -> tuple[int, ...]:
        """What changes with the layers and weights below: how many changes of structure were noticed,
        and how much the lists and dictionaries below hold, which may grow unnoticed."""
        own = self.__dict__
        version = _Structure.version
        trained = len(own.get("_trainable_weights", ()))
        others = len(own.get("_non_trainable_weights", ()))
        if own.get("_without_containers") == version:
            return version, trained, others
        sizes: list[int] = []
        _count(own.get("_self_tracked_trackables", ()), sizes)
        if not sizes:
            own["_without_containers"] = version  # a new list below would be noticed
        return version, trained, others, *sizes

    def _collect_trainable(self) -> list[_core.Variable]:
        if not self.trainable:
            return []
        return self._own_trained() + self._inner_weights("trainable_variables")

    def _collect_non_trainable(self) -> list[_core.Variable]:
        if self.trainable:
            return self._own_untrained() + self._inner_weights("non_trainable_variables")
        own = self._list("_trainable_weights") + self._list("_non_trainable_weights")
        return own + self._inner_weights("variables")

    def _own_trained(self) -> list[_core.Variable]:
        """The own weights that are trained if the layer is."""
        frozen = set(map(id, self.__dict__.get("_frozen_weights", ())))
        return [v for v in self._list("_trainable_weights") if id(v) not in frozen]

    def _own_untrained(self) -> list[_core.Variable]:
        """The own weights that are not trained, frozen ones first."""
        frozen = set(map(id, self.__dict__.get("_frozen_weights", ())))
        own = [v for v in self._list("_trainable_weights") if id(v) in frozen]
        return own + self._list("_non_trainable_weights")

    @property
    def trainable(self) -> bool:
        """Whether the weights are to be trained; setting it sets it for all layers inside."""
        return self.__dict__.get("_trainable", True)

    @trainable.setter
    def trainable(self, value: Any) -> None:
        for layer in self._flatten_layers():
            layer.__dict__["_trainable"] = value
        structure_changed()

    @property
    def trainable_weights(self) -> list[_core.Variable]:
        """The variables that training changes."""
        return self._collected("trainable")

    @property
    def non_trainable_weights(self) -> list[_core.Variable]:
        """The variables that training leaves to the layers."""
        return self._collected("non_trainable")

    @property
    def weights(self) -> list[Any]:
        """All variables: the trainable ones, then the others."""
        return unique(self.trainable_weights + self.non_trainable_weights)

    @property
    def trainable_variables(self) -> Any:
        """The same as `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> Any:
        """The same as `non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> Any:
        """The same as `weights`."""
        return self.weights

    def _init_set_name(self, name: str | None, zero_based: bool = True) -> None:
        if name is None:
            name = naming.unique_name(naming.snake_case(type(self).__name__))
        elif not isinstance(name, str):
            raise TypeError(
                f"Expected `name` argument to be a string, but got: {name} (of type {type(name)})"
            )
        self.__dict__["_name"] = name


def _leaves(value: object) -> list[Any]:
    if isinstance(value, ValuesView):
        value = list(value)
    try:
        return nest.flatten(value)
    except TypeError:  # a dictionary whose keys have no order
        return list(value.values()) if isinstance(value, dict) else []


def _sorted_values(values: dict[Any, Any]) -> list[Any]:
    """The values of a dictionary in the order of its keys, if they can be sorted."""
    try:
        return [values[key] for key in sorted(values)]
    except TypeError:
        return list(values.values())


def weights_of(item: object, attribute: str) -> list[_core.Variable]:
    """The weights of a module, or of a container's items, with trainable weights first."""
    if isinstance(item, Module):
        return list(getattr(item, attribute))
    trained = attribute == "trainable_variables"
    if attribute == "variables":
        return weights_of(item, "trainable_variables") + weights_of(item, "non_trainable_variables")
    leaves = _leaves(item)
    inner = [w for leaf in leaves if isinstance(leaf, Module) for w in weights_of(leaf, attribute)]
    return inner + [v for v in leaves if isinstance(v, _Variable) and v.trainable == trained]


def _may_hold_layers(value: object) -> bool:
    """Whether layers are in a container or could come in later."""
    if isinstance(value, list | dict):
        leaves = _leaves(value)
        return not leaves or any(isinstance(leaf, Module | _Variable) for leaf in leaves)
    return any(isinstance(leaf, Module | _Variable) for leaf in _leaves(value))


def _count(values: Iterable[object], sizes: list[int]) -> None:
    for value in values:
        if isinstance(value, Module):
            inner = value.__dict__.get("_self_tracked_trackables")
            if inner:
                _count(inner, sizes)
        elif isinstance(value, dict):
            sizes.append(len(value))
            _count(value.values(), sizes)
        elif isinstance(value, list | tuple):
            sizes.append(len(value))
            _count(value, sizes)
