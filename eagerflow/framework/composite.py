"""CompositeTensor: the base of values made of several tensors."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest

# The parts of a sparse tensor as arrays.
SparseTensorValue = namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


# Operations that return their input: those of a composite value return one of the same parts.
FORWARDING = frozenset([_core.ops.identity, _core.ops.stop_gradient])


class CompositeTensor:
    """A value that consists of several tensors, such as a ragged or a sparse tensor.

    A subclass has a `_type_spec` whose `_to_components` and `_from_components` split it and
    put it together. `_gradient_component` names the component that has the gradient.
    """

    _is_composite_tensor = True
    # Whether it has elements, a dtype and a gradient like a tensor; False for plain named fields.
    _stands_for_tensor = True

    dtype: Any  # of the elements, where there are some

    @property
    def _type_spec(self) -> Any:
        raise TypeError(f"{type(self).__name__} has no type specification.")

    def _shape_invariant_to_type_spec(self, shape: Any) -> Any:
        """The spec of the values that a variable of a loop has whose shape invariant this is."""
        raise TypeError(
            f"A shape does not constrain a {type(self).__name__}; use a "
            f"{type(self._type_spec).__name__} as its shape invariant."
        )

    @property
    def _gradient_component(self) -> Any:
        raise TypeError(f"{type(self).__name__} has no gradient.")

    def _with_gradient(self, gradient: object) -> Any:
        """The gradient with respect to this value, from that of its component."""
        raise TypeError(f"{type(self).__name__} has no gradient.")

    def __op_function__(
        self, function: Callable[..., object], args: tuple, kwargs: dict[str, object]
    ) -> Any:
        """The result of a function that has this value among its arguments.

        NotImplemented if the value does not override the function.
        """
        if function in FORWARDING:
            spec = self._type_spec
            return spec._from_components(nest.map_structure(function, spec._to_components(self)))
        return NotImplemented

    def _convert_variables_to_tensors(self) -> CompositeTensor:
        """This value with its variables replaced by tensors."""
        return self

    def _print_text(self, summarize: int) -> str:
        """The text that `tf.print` prints."""
        return repr(self)

    def _no_tensor(self) -> Exception:
        error = ValueError(
            f"Attempt to convert a value ({self!r}) with an unsupported type ({type(self)}) to a "
            "Tensor."
        )
        setattr(error, "no_tensor", True)  # noqa: B010
        return error

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        raise self._no_tensor()


def gradient_leaves(structure: Any) -> list:
    """The tensors of a nested structure that gradients are taken with respect to."""
    leaves: list = []
    for leaf in nest.flatten(structure):
        if not isinstance(leaf, CompositeTensor):
            leaves.append(leaf)
        elif leaf._stands_for_tensor:
            leaves.append(leaf._gradient_component)
        else:
            leaves.extend(nest.flatten(leaf, expand_composites=True))
    return leaves


def pack_gradients(structure: Any, gradients: list) -> Any:
    """Packs gradients into the structure of the sources.

    Raises:
        ValueError: if the structure holds values without gradients.
    """
    for leaf in nest.flatten(structure):
        if isinstance(leaf, CompositeTensor) and not leaf._stands_for_tensor:
            raise ValueError(
                f"Type {type(leaf).__name__} is not supported as a gradient source or gradient "
                "target."
            )
    packed = [
        leaf._with_gradient(gradient) if isinstance(leaf, CompositeTensor) else gradient
        for leaf, gradient in zip(nest.flatten(structure), gradients, strict=True)
    ]
    return nest.pack_sequence_as(structure, packed)
