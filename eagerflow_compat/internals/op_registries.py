"""tensorflow.python.framework.ops: gradients and statistics that programs register by kind of operation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from eagerflow import _core, raw_ops
from eagerflow.autodiff import registry
from eagerflow.autodiff.tape import GradientTape
from eagerflow.errors import UnimplementedError
from eagerflow.framework.registered_gradients import registered
from eagerflow.graphdef import gradients, op_defs

__all__ = [
    "OpStats",
    "RegisterStatistics",
    "_gradient_registry",
    "get_gradient_function",
    "get_stats_for_node_def",
    "gradient_registry",
]


class _Entry(MutableMapping[str, Any]):
    """What the registry keeps of a name: the gradient under "type", and where it was registered.

    A gradient that is put under "type" replaces that of the operations of this type; the engine's
    own one, which is there before, restores it.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, key: str) -> Any:
        if key == "location":
            return ("UNKNOWN",) * 4
        if key != "type":
            raise KeyError(key)
        name = self._name
        return registered[name] if name in registered else own_gradient(name)

    def __setitem__(self, key: str, value: Any) -> None:
        if key != "type":
            raise KeyError(key)
        if value is not own_gradient(self._name):
            registry.register(self._name, value)
        elif self._name in registered:
            registry.forget(self._name)

    def __delitem__(self, key: str) -> None:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(("type", "location"))

    def __len__(self) -> int:
        return 2


class _Entries(MutableMapping[str, Any]):
    """The entries by name: of all operations, and of what programs have registered."""

    def __getitem__(self, name: str) -> _Entry:
        if name not in registered and op_defs.find(name) is None:
            raise KeyError(name)
        return _Entry(name)

    def __setitem__(self, name: str, entry: Mapping[str, Any]) -> None:
        _Entry(name)["type"] = entry["type"]

    def __delitem__(self, name: str) -> None:
        if name not in registered:
            raise KeyError(name)
        registry.forget(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*registered, *op_defs.names())))

    def __len__(self) -> int:
        return len({*registered, *op_defs.names()})


class _GradientRegistry:
    """The gradients of operations, by type, and those that programs have registered."""

    def __init__(self) -> None:
        self._registry = _Entries()

    def lookup(self, name: str) -> Any:
        """The gradient of a name, called as `gradient(op, *gradients)`; None if there shall be none.

        Raises:
            LookupError: if there is none.
        """
        try:
            return self._registry[name]["type"]
        except KeyError:
            raise LookupError(f"gradient registry has no entry for: {name}") from None

    def register(self, candidate: Any, name: str) -> None:
        """Registers a gradient under a name.

        Raises:
            KeyError: if the program has registered one.
        """
        if name in registered:
            raise KeyError(f"Registering two gradient with name '{name}'!")
        registry.register(name, candidate)

    def list(self) -> list[str]:
        """The names that have gradients."""
        return [*self._registry]


gradient_registry = _gradient_registry = _GradientRegistry()


@functools.cache
def own_gradient(name: str) -> Callable[..., Any]:
    """The engine's gradient of a type of operation.

    It accepts an operation and the gradients of its outputs. It returns the gradient of the input,
    or a list if there are several inputs; None for those without one.

    >>> from eagerflow_compat.internals import op_registries
    >>> @tf.function
    ... def f(x):
    ...     y = tf.tanh(x)
    ...     return op_registries.own_gradient("Tanh")(y.op, tf.ones_like(y))
    >>> f(tf.constant(0.0)).numpy()
    np.float32(1.0)
    """

    def gradient(op: Any, *weights: Any) -> Any:
        if isinstance(op, registry.EagerCall):
            results = _gradients_of_call(op, weights)
        else:
            results = _gradients_of_operation(op, weights)
        results += [None] * (len(op.inputs) - len(results))
        return results[0] if len(results) == 1 else results

    return gradient


def _gradients_of_operation(op: Any, weights: Sequence[Any]) -> list[Any]:
    node = op._node
    inputs, outputs = node.inputs, node.outputs
    wanted = [k for k, x in enumerate(inputs[: node.num_op_inputs]) if _has_gradients(x)]
    if node.op is not None and gradients.is_known(node):
        found = gradients.of_operation(node, wanted, list(weights), inputs, outputs)
    else:
        sources = [inputs[k] for k in wanted]
        found = _core.graph_gradients(node.graph, outputs, list(weights), sources, sources)
    by_input = dict(zip(wanted, found, strict=True))
    return [by_input.get(k) for k in range(len(inputs))]


def _gradients_of_call(call: registry.EagerCall, weights: Sequence[Any]) -> list[Any]:
    """The gradients of an operation that ran eagerly, if its attributes are known or it has none."""
    definition = op_defs.find(call.type)
    assert definition is not None, call.type
    names = [argument.name for argument in definition.inputs]
    unknown = definition.attributes.keys() - definition.of_inputs - (call.attributes or {}).keys()
    are_single = all(argument.is_single for argument in definition.inputs)
    if unknown or not are_single or len(names) != len(call.inputs):
        raise UnimplementedError._of(
            f"The gradient of {call.type} depends on attributes, which are not kept of an operation "
            "that ran eagerly; call it inside of a tf.function."
        )
    attributes = {
        name: value
        for name, value in (call.attributes or {}).items()
        if name not in definition.of_inputs
    }
    inputs = [_core.ops.identity(x) for x in call.inputs]
    with registry.own_gradients(), GradientTape() as tape:
        sources = [x for x in inputs if _has_gradients(x)]
        tape.watch(sources)
        operation = getattr(raw_ops, call.type)
        result = operation(**dict(zip(names, inputs, strict=True)), **attributes)
    found = iter(tape.gradient(result, sources, list(weights)))
    return [next(found) if _has_gradients(x) else None for x in inputs]


def _has_gradients(tensor: Any) -> bool:
    return tensor.dtype.is_floating or tensor.dtype.is_complex


def get_gradient_function(op: Any) -> Any:
    """The gradient of an operation: of the program's own, or the engine's.

    Raises:
        LookupError: if there is none.
    """
    if not op.inputs:
        return None
    if op in op.graph.overridden_operations():
        return op.graph.gradient_function_of(op)
    return gradient_registry.lookup(op.type)


class OpStats:
    """How much of something an operation needs.

    Args:
        statistic_type: of what, such as "flops".
        value: how much; None if it is unknown.
    """

    def __init__(self, statistic_type: str, value: float | None = None) -> None:
        self.statistic_type = statistic_type
        self.value = value

    @property
    def statistic_type(self) -> str:
        """Of what the operation needs something."""
        return self._statistic_type

    @statistic_type.setter
    def statistic_type(self, statistic_type: str) -> None:
        self._statistic_type = statistic_type

    @property
    def value(self) -> float | None:
        """How much it needs."""
        return self._value

    @value.setter
    def value(self, value: float | None) -> None:
        self._value = value

    def __iadd__(self, other: OpStats) -> OpStats:
        if other.statistic_type != self.statistic_type:
            raise ValueError(
                f"Can't add an OpStat of type {self.statistic_type} to one of {other.statistic_type}."
            )
        if self.value is None:
            self.value = other.value
        elif other.value is not None:
            self.value += other.value
        return self


_statistics: dict[str, Callable[[Any, Any], OpStats]] = {}


class RegisterStatistics:
    """A decorator of functions that return the `OpStats` of a node.

    Args:
        op_type: the kind of operation.
        statistic_type: of what they are, such as "flops".

    Raises:
        TypeError: if one is not a string, or has a comma.
        KeyError: when a function is decorated, if the kind has one already.

    >>> from eagerflow_compat.internals import op_registries
    >>> @op_registries.RegisterStatistics("Halve", "flops")
    ... def count(graph, node):
    ...     return op_registries.OpStats("flops", 7)
    """

    def __init__(self, op_type: str, statistic_type: str) -> None:
        for name, text in (("op_type", op_type), ("statistic_type", statistic_type)):
            if not isinstance(text, str):
                raise TypeError(f"{name} must be a string.")
            if "," in text:
                raise TypeError(f"{name} must not contain a comma.")
        self._key = f"{op_type},{statistic_type}"

    def __call__(self, f: Callable[[Any, Any], OpStats]) -> Callable[[Any, Any], OpStats]:
        if self._key in _statistics:
            raise KeyError(f"Registering two statistical functions with name '{self._key}'!")
        _statistics[self._key] = f
        return f


def get_stats_for_node_def(graph: Any, node: Any, statistic_type: str) -> OpStats:
    """The statistics of a node, without a value if none are registered for its kind.

    Args:
        graph: the graph, which the registered function is given.
        node: the NodeDef message.
        statistic_type: of what the statistics are.
    """
    count = _statistics.get(f"{node.op},{statistic_type}")
    return OpStats(statistic_type) if count is None else count(graph, node)
