"""Functions that work on the host: while a graph is built, a call is one node that calls Python.

Functions that read the values of their tensors, such as those of text, files and images, cannot be
traced. Such a function is declared where it is defined, with the specs of its results:

    @op_function(in_graph=on_host(lambda filename, name=None: TensorSpec([], dtypes.string)))
    def read_file(filename, name=None):
        ...
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import random_seed
from eagerflow.framework.operation import last_operation
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.typing import DTypeLike, Structure

_ops = _core.ops
Tensor = _core.Tensor


def host_call(
    function: Callable[..., Any],
    specs: Structure,
    args: tuple = (),
    kwargs: dict[str, Any] | None = None,
    *,
    name: str,
    effects: bool = False,
    unless: Any = None,
    kind: str = "",
    in_programs: bool = False,
) -> Any:
    """Adds a node that calls a function with the values of its arguments when the graph runs.

    Args:
        function: the function, which is called eagerly.
        specs: the structure of TypeSpecs of its result; None if it returns nothing.
        args: its arguments, or structures of them: tensors, variables and composite tensors are
            read when the node runs, and everything else is constant.
        kwargs: the same by name.
        name: the node's name, and its type.
        effects: whether the function has side effects: its node then runs even if nothing reads
            its result.
        kind: the node's type; by default its name.
        in_programs: whether the function only calls operations if all shapes are known: the
            compiled program of a device then contains these operations.
        unless: a boolean scalar: the function is called only if it is false, and must not have a
            result.

    Returns:
        The function's result in the structure of `specs`, with tensors of the graph.

    >>> from eagerflow.framework import func_graph
    >>> from eagerflow.framework.host_call import host_call
    >>> def reversed_text(text):
    ...     return tf.constant(text.numpy()[::-1])
    >>> graph = func_graph.trace(
    ...     lambda x: host_call(reversed_text, tf.TensorSpec([], tf.string), (x,), name="Reverse"),
    ...     [tf.TensorSpec([], tf.string)],
    ...     name="f",
    ... )
    >>> graph.run([tf.constant("abc")])[0].numpy()
    b'cba'
    """
    arguments = LateArguments(args, kwargs or {})
    bound, listed = arguments.bound, _lister(specs)

    def run(*values: Tensor) -> list:
        bound_args, bound_kwargs = bound(values)
        return listed(function(*bound_args, **bound_kwargs))

    # For code that inspects the node: which function it calls, with which arguments.
    vars(run).update(function=function, bound=bound)
    parts = [] if specs is None else nest.flatten(specs, expand_composites=True)
    inputs = arguments.inputs
    if unless is not None:
        inputs.insert(0, _ops.reshape(unless, []))
    if not isinstance(name, str):
        raise TypeError(f"The name of an operation is a string, got {name!r}")
    outputs = _core.host_node(
        run,
        inputs,
        [(part.dtype, _dims(part)) for part in parts],
        name,
        effects,
        unless is not None,
        kind,
        in_programs,
    )
    return None if specs is None else nest.pack_sequence_as(specs, outputs, True)


def _lister(specs: Structure) -> Callable[[Any], list]:
    """A function that lists the tensors of a result with these specs."""
    if specs is None:
        return lambda result: []
    if type(specs) is TensorSpec:
        return lambda result: [result] if isinstance(result, Tensor) else nest.flatten(result)
    if type(specs) is dict and all(type(spec) is TensorSpec for spec in specs.values()):
        keys = sorted(specs)
        return lambda result: [result[key] for key in keys]
    if type(specs) in (list, tuple) and all(type(spec) is TensorSpec for spec in specs):
        return list
    return lambda result: nest.flatten(result, expand_composites=True)


Maker = Callable[[Iterator[Tensor]], Any]


class LateArguments:
    """The arguments of a call, of which some are known only when a graph runs.

    Args:
        args: arguments by position; see `host_call`.
        kwargs: arguments by name.
    """

    def __init__(self, args: tuple, kwargs: dict[str, Any]) -> None:
        # The tensors of the graph that the arguments are built from.
        self.inputs: list[Tensor] = []
        self._args = list(args)
        self._kwargs = dict(kwargs)
        # The arguments that are not constants, by position or name.
        self._late = self._makers(dict(enumerate(args)))
        self._late_by_name = self._makers(kwargs)

    def bound(self, values: Sequence[Tensor]) -> tuple[tuple, dict[str, Any]]:
        """The arguments for values of the inputs."""
        remaining = iter(values)
        args, kwargs = self._args.copy(), self._kwargs.copy()
        for position, make in self._late:
            args[position] = make(remaining)
        for name, make in self._late_by_name:
            kwargs[name] = make(remaining)
        return tuple(args), kwargs

    def _makers(self, arguments: dict[Any, Any]) -> list[tuple[Any, Maker]]:
        makers = [(key, self._argument(arguments[key])) for key in sorted(arguments)]
        return [(key, make) for key, make in makers if make is not None]

    def _argument(self, value: object) -> Maker | None:
        """A function from the remaining values to an argument; None for a constant."""
        if not nest.is_nested(value):
            return self._maker(value)
        leaves = nest.flatten(value)
        makers = [self._maker(leaf) for leaf in leaves]
        if all(maker is None for maker in makers):
            return None
        # The form holds the constant leaves.
        kept = [leaf if maker is None else None for leaf, maker in zip(leaves, makers, strict=True)]
        form = nest.pack_sequence_as(value, kept)

        def packed(remaining: Iterator[Tensor]) -> Any:
            parts = [
                leaf if make is None else make(remaining)
                for leaf, make in zip(kept, makers, strict=True)
            ]
            return nest.pack_sequence_as(form, parts)

        return packed

    def _maker(self, leaf: Any) -> Maker | None:
        """A function from the remaining values to a leaf; adds its inputs. None for a constant."""
        if isinstance(leaf, Tensor | _core.Variable):
            self.inputs.append(_core.as_tensor(leaf))
            return next
        if not getattr(leaf, "_is_composite_tensor", False):
            return None
        spec = leaf._type_spec
        parts = nest.flatten(leaf, expand_composites=True)
        self.inputs += [_core.as_tensor(part) for part in parts]
        return lambda remaining: nest.pack_sequence_as(
            spec, [next(remaining) for _ in parts], expand_composites=True
        )


def on_host(
    specs: Callable[..., object], *, effects: bool = False, in_programs: bool = False
) -> Callable[[Callable], Callable[..., Any]]:
    """The `in_graph` of `op_function` and `composed_op` for a function that works on the host.

    Args:
        specs: the specs of the result, from the function's arguments; see `host_call`.
        effects: see `host_call`.
        in_programs: see `host_call`.
    """

    def of(function: Callable) -> Callable[..., Any]:
        def call(*args: object, **kwargs: object) -> Any:
            result = specs(*args, **kwargs)
            return host_call(
                function,
                result,
                args,
                kwargs,
                name=function.__name__.strip("_"),
                effects=effects,
                in_programs=in_programs,
            )

        return call

    return of


def when_ranks_are_known(
    specs: Callable[..., object] | None = None,
) -> Callable[[Callable], Callable[..., Any]]:
    """The `in_graph` of a function composed of operations that needs the ranks of its tensors.

    If a rank is unknown, a call is a node that calls the function when the graph runs.

    Args:
        specs: the specs of the result then, see `on_host`; by default a tensor of the dtype of the
            first tensor.
    """

    def like_the_first(*args: object, **kwargs: object) -> TensorSpec:
        return TensorSpec(None, next(_tensors((args, kwargs))).dtype)

    def of(function: Callable) -> Callable[..., Any]:
        later = on_host(specs or like_the_first, in_programs=True)(function)

        def call(*args: object, **kwargs: object) -> Any:
            known = all(tensor.ndim is not None for tensor in _tensors((args, kwargs)))
            return function(*args, **kwargs) if known else later(*args, **kwargs)

        return call

    return of


def _tensors(structure: object) -> Iterator[Tensor]:
    leaves = nest.flatten(structure, expand_composites=True)
    return (_core.as_tensor(leaf) for leaf in leaves if isinstance(leaf, Tensor | _core.Variable))


def draws_on_host(
    specs: Callable[..., object], blocks: Callable[..., object]
) -> Callable[[Callable], Callable[..., Any]]:
    """The `in_graph` of `composed_op` for a function that draws random values on the host.

    The node reads the key and counter of its stream from another node, as operations do.

    Args:
        specs: the specs of the result, from the function's arguments; see `host_call`.
        blocks: how many blocks of random values a call consumes, from the function's arguments: an
            int or an int64 scalar. The function has an argument `seed`; 0 means None.
    """

    def of(function: Callable) -> Callable[..., Any]:
        signature = inspect.signature(function)

        def call(*args: object, **kwargs: object) -> Any:
            seed = signature.bind(*args, **kwargs).arguments.get("seed") or None
            name = function.__name__
            start = random_seed.draw(name, seed, blocks(*args, **kwargs))

            def run(start: tuple, args: tuple, kwargs: dict[str, object]) -> Any:
                key, low, high = map(int, start)
                stream = random_seed.Stream(key, (high % 2**64 << 64) + low % 2**64)
                with random_seed.drawing(lambda operation, seed, blocks: stream.take(blocks)):
                    return function(*args, **kwargs)

            return host_call(run, specs(*args, **kwargs), (start, args, kwargs), name=name)

        return call

    return of


def now_or_node(function: Callable[..., object], specs: Structure, name: str, *args: object) -> Any:
    """Calls a function that reads values, or adds a node that does while a graph is built.

    Args:
        function: the function.
        specs: see `host_call`; or a function that returns them, which only graphs call.
        name: see `host_call`.
        *args: its arguments.

    Returns:
        The result; of a function that returns nothing, the operation in a graph.
    """
    if _core.building() is None:
        return function(*args)
    if callable(specs):
        specs = specs()
    result = host_call(function, specs, args, name=name, effects=specs is None)
    return last_operation() if specs is None else result


def shaped_like(dtype: DTypeLike) -> Callable[..., TensorSpec]:
    """Specs of the shape of the first argument, for `on_host`."""
    return lambda value, *args, **kwargs: TensorSpec(_core.as_tensor(value).shape, dtype)


def hosted(specs: Callable[..., object]) -> Callable[[Callable], Callable[..., Any]]:
    """The decorator of a plain function that works on the host; see `on_host`."""

    def of(function: Callable) -> Callable[..., Any]:
        in_graph = on_host(specs)(function)

        @functools.wraps(function)
        def call(*args: object, **kwargs: object) -> Any:
            run = function if _core.building() is None else in_graph
            return run(*args, **kwargs)

        return call

    return of


def always(specs: Structure) -> Callable[..., Any]:
    """A function that returns these specs for all arguments."""
    return lambda *args, **kwargs: specs


def like(position: int = 0) -> Callable[..., TensorSpec]:
    """A function that returns the spec of its argument at a position."""

    def specs(*args: Any, **kwargs: Any) -> TensorSpec:
        argument = args[position] if position < len(args) else list(kwargs.values())[position]
        tensor = _core.as_tensor(argument)
        return TensorSpec(tensor.shape, tensor.dtype)

    return specs


def _dims(spec: TensorSpec) -> list[int | None] | None:
    return None if spec.shape.rank is None else spec.shape.as_list()
