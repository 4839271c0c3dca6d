"""Einstein's summation, by transposes, sums and matrix products."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.ops.array import invalid_argument

_ops = _core.ops
Tensor = _core.Tensor

# Labels for the axes that an ellipsis stands for; a user cannot write them.
_FIRST_HIDDEN_LABEL = 0x1000
_FORMAT = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*")


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums products of elements as an equation says.

    Args:
        equation: a label (a letter) for each axis of each input, inputs separated by commas; then
            `->` and the labels of the result. Labels missing there are summed over. A label that
            appears twice for one input picks its diagonal; `...` stands for axes that broadcast.
            Without `->` the result has the labels that appear once, in alphabetical order.
        *inputs: tensors of one dtype.
        **kwargs: `optimize` and `name` are ignored.

    Raises:
        ValueError: if the equation is not well formed or does not fit the number of inputs.
        tf.errors.InvalidArgumentError: if ranks or sizes do not fit.

    >>> a, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([10.0, 1.0])
    >>> tf.einsum("ij,j->i", a, b).numpy()
    array([12., 34.], dtype=float32)
    >>> tf.einsum("ii", a).numpy()
    np.float32(5.0)
    """
    for key in kwargs:
        if key not in ("name", "optimize", "greedy"):
            raise TypeError(
                f"Invalid keyword arguments for einsum: {key}. "
                "Valid arguments: name, optimize, greedy."
            )
    tensors = _converted(inputs)
    terms, result = _labels(equation, tuple(tensor.ndim for tensor in tensors))
    operands = [_with_unique_labels(t, term) for t, term in zip(tensors, terms, strict=True)]
    _check_sizes(operands)
    while len(operands) > 1:
        # From the left, as the equation reads: the user orders the products.
        a, b = operands[0], operands[1]
        needed = set(result).union(*(labels for _, labels in operands[2:]))
        operands[:2] = [_product(a, b, needed)]
    return _arranged(*operands[0], result)


def _converted(inputs: Sequence[Any]) -> list[Tensor]:
    """The inputs as tensors; Python values take the dtype of the first tensor."""
    dtype = next((x.dtype for x in inputs if isinstance(x, Tensor | _core.Variable)), None)
    tensors = []
    for k, value in enumerate(inputs):
        tensor = _core.convert(value, None, dtype)
        dtype = dtype or tensor.dtype
        if tensor.dtype is not dtype:
            raise invalid_argument(
                f"cannot compute Einsum as input #{k}(zero-based) was expected to be a "
                f"{dtype.name} tensor but is a {tensor.dtype.name} tensor [Op:Einsum]"
            )
        tensors.append(tensor)
    return tensors


@functools.lru_cache(maxsize=256)
def _labels(equation: str, ranks: tuple[int, ...]) -> tuple[list[str], str]:
    """A label for every axis of the inputs, and those of the result."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    for term in (*terms, right):
        if not _FORMAT.fullmatch(term):
            raise ValueError(f"Subscripts have incorrect format: {equation}")
    if len(terms) != len(ranks):
        raise ValueError(
            f'Got {len(ranks)} inputs for equation "{equation}", expecting {len(terms)}'
        )
    full = []
    hidden = ""
    for k, (term, rank) in enumerate(zip(terms, ranks, strict=True)):
        named = len(term.replace("...", ""))
        has_ellipsis = "..." in term
        if rank < named or (rank > named and not has_ellipsis):
            raise invalid_argument(
                f"Expected input {k} to have rank {'at least ' if has_ellipsis else ''}{named} "
                f"but got: {rank} [Op:Einsum]"
            )
        # Broadcasting aligns the last axes, so that the last ones share labels.
        dots = "".join(chr(_FIRST_HIDDEN_LABEL + i) for i in reversed(range(rank - named)))
        hidden = max(hidden, dots, key=len)
        full.append(term.replace("...", dots))
    if not arrow:
        joined = left.replace("...", "").replace(",", "")
        once = (label for label in sorted(set(joined)) if joined.count(label) == 1)
        right = ("..." if "..." in left else "") + "".join(once)
    elif hidden and "..." not in right:
        raise invalid_argument(
            f"Output contains {len(hidden)} broadcasting dimension(s) but no ellipsis (...) was "
            "found in the output subscripts. [Op:Einsum]"
        )
    result = right.replace("...", hidden)
    for label in result:
        if not any(label in term for term in full):
            raise ValueError(
                f"Output subscripts contain the label {label} not present in the input subscripts."
            )
        if result.count(label) > 1:
            raise ValueError(
                f"Output subscripts contain a label appearing more than once: {equation}"
            )
    return full, result


def _with_unique_labels(tensor: Tensor, labels: str) -> tuple[Tensor, str]:
    """Takes diagonals until each label appears once."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            shape = tensor._shape_tuple()
            size = shape[first]
            if shape[second] != size:
                raise invalid_argument(
                    f"Expected dimension {size} at axis {second} of the input shaped "
                    f"{list(shape)} but got dimension {shape[second]} [Op:Einsum]"
                )
            rest = [k for k in range(tensor.ndim) if k not in (first, second)]
            moved = _ops.transpose(tensor, [first, second, *rest])
            flat = _ops.reshape(moved, [size * size, *(shape[k] for k in rest)])
            diagonal = flat[:: size + 1] if size else flat
            labels = label + "".join(labels[k] for k in rest)
            tensor = diagonal
    return tensor, labels


def _check_sizes(operands: list[tuple[Tensor, str]]) -> None:
    sizes: dict[str, int] = {}
    for tensor, labels in operands:
        shape = tensor._shape_tuple()
        for axis, label in enumerate(labels):
            size = shape[axis]
            known = sizes.setdefault(label, size)
            if known == size:
                continue
            if ord(label) >= _FIRST_HIDDEN_LABEL and 1 in (known, size):
                sizes[label] = max(known, size) if 0 not in (known, size) else 0
                continue
            raise invalid_argument(
                f"Expected dimension {known} at axis {axis} of the input shaped "
                f"[{','.join(map(str, shape))}] but got dimension {size} [Op:Einsum]"
            )


def _arranged(tensor: Tensor, labels: str, wanted: str) -> Tensor:
    """Sums over the labels that are not wanted and orders the others."""
    dropped = [axis for axis, label in enumerate(labels) if label not in wanted]
    if dropped:
        tensor = _ops.reduce_sum(tensor, axis=dropped)
        labels = "".join(label for label in labels if label in wanted)
    if labels == wanted:
        return tensor
    return _ops.transpose(tensor, [labels.index(label) for label in wanted])


def _product(a: tuple[Tensor, str], b: tuple[Tensor, str], needed: set[str]) -> tuple[Tensor, str]:
    """Multiplies two operands, and sums over what nobody else needs, by one matrix product."""
    (x, x_labels), (y, y_labels) = a, b
    both = [label for label in x_labels if label in y_labels]
    batch = "".join(label for label in both if label in needed)
    summed = "".join(label for label in both if label not in needed)
    x_own = "".join(label for label in x_labels if label not in y_labels and label in needed)
    y_own = "".join(label for label in y_labels if label not in x_labels and label in needed)
    stretched = [label for label in both if _size(x, x_labels, label) != _size(y, y_labels, label)]
    for label in stretched:
        size = max(_size(x, x_labels, label), _size(y, y_labels, label))
        if label in summed:
            x, y = _stretch(x, x_labels, label, size), _stretch(y, y_labels, label, size)
    x = _arranged(x, x_labels, batch + x_own + summed)
    y = _arranged(y, y_labels, batch + summed + y_own)
    x_shape, y_shape = x._shape_tuple(), y._shape_tuple()
    n = len(batch)
    rows = x_shape[n : n + len(x_own)]
    columns = y_shape[n + len(summed) :]
    inner = math.prod(x_shape[n + len(x_own) :])
    if not summed:
        # An outer product needs no sums: stretch and multiply.
        x = _ops.reshape(x, [*x_shape, *(1 for _ in y_own)])
        y = _ops.reshape(y, [*y_shape[:n], *(1 for _ in x_own), *columns])
        return _ops.multiply(x, y), batch + x_own + y_own
    x = _ops.reshape(x, [*x_shape[:n], math.prod(rows), inner])
    y = _ops.reshape(y, [*y_shape[:n], inner, math.prod(columns)])
    product = _ops.matmul(x, y)
    shape = [*product._shape_tuple()[:n], *rows, *columns]
    return _ops.reshape(product, shape), batch + x_own + y_own


def _size(tensor: Tensor, labels: str, label: str) -> int:
    return tensor._shape_tuple()[labels.index(label)]


def _stretch(tensor: Tensor, labels: str, label: str, size: int) -> Tensor:
    shape = list(tensor._shape_tuple())
    shape[labels.index(label)] = size
    return _ops.broadcast_to(tensor, shape)
