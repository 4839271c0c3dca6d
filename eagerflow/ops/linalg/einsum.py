"""Einstein's summation, by transposes, sums and matrix products."""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.framework.host_call import when_ranks_are_known
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import Size, is_known, of_rank, reshaped, sizes_of
from eagerflow.ops.array import invalid_argument
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

# Labels for the axes of an ellipsis; a user cannot write them.
_FIRST_HIDDEN_LABEL = 0x1000
_FORMAT = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*")


@op_function
def einsum(equation: str, *inputs: Any, **kwargs: object) -> Tensor:
    """Sums products of elements as an equation says.

    Args:
        equation: a label (a letter) for each axis of each input, inputs separated by commas; then
            `->` and the labels of the result. Labels missing there are summed over. A label that
            appears twice for one input picks its diagonal; `...` represents axes that broadcast.
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
    tensors: Sequence[Tensor] = inputs
    if any(not isinstance(x, Tensor) or x.dtype is not inputs[0].dtype for x in inputs):
        tensors = _converted(inputs)
    shapes = tuple([x._shape_tuple() for x in tensors])
    for shape in shapes:
        if shape is None or None in shape:
            # Unknown sizes are tensors of the graph, so the plan belongs to that graph.
            tensors = _with_ranks(equation, tensors)
            if any(x.ndim is None for x in tensors):
                return when_ranks_are_known()(einsum)(equation, *tensors)
            return _plan.__wrapped__(equation, tuple(map(sizes_of, tensors)))(tensors)
    return _plan(equation, shapes)(tensors)


def _with_ranks(equation: str, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The inputs; those of unknown rank get that of their term if it has no ellipsis."""
    terms = equation.replace(" ", "").partition("->")[0].split(",")
    return [
        x if x.ndim is not None or "..." in term else of_rank(x, len(term))
        for x, term in zip(inputs, terms, strict=False)
    ]


def _converted(inputs: Sequence[TensorLike]) -> list[Tensor]:
    """The inputs as tensors; Python values get the dtype of the first tensor."""
    dtype = next((x.dtype for x in inputs if isinstance(x, Tensor | _core.Variable)), None)
    tensors = []
    for k, value in enumerate(inputs):
        tensor = _core.convert(value, None, dtype)
        dtype = dtype or tensor.dtype
        if tensor.dtype is not dtype:
            _core.refuse_input("Einsum", k, dtype, tensor.dtype)
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


def _same(a: Size, b: Size) -> bool:
    """Whether sizes are known to be the same."""
    return a is b or (is_known(a, b) and a == b)


def _larger(a: Size, b: Size) -> Size:
    """The broadcast size of an axis, of which one size may be 1."""
    if is_known(a, b):
        return max(a, b)
    if is_known(a):
        return b if a == 1 else a
    if is_known(b):
        return a if b == 1 else b
    return a if a is b else _ops.maximum(a, b)


class _Operand(NamedTuple):
    """A lazy tensor: its axes' labels and sizes, and how to compute it from the inputs."""

    labels: str
    shape: tuple[Size, ...]
    value: Callable[[Sequence[Tensor]], Tensor]

    def size(self, label: str) -> Size:
        return self.shape[self.labels.index(label)]

    def sizes(self, labels: str) -> list[Size]:
        return [self.size(label) for label in labels]

    def then(
        self, labels: str, shape: Sequence[Size], function: Callable[..., Tensor], *arguments: Any
    ) -> _Operand:
        """The lazy result of a function of this value and further arguments."""
        value = self.value
        return _Operand(labels, tuple(shape), lambda inputs: function(value(inputs), *arguments))

    def reshaped(self, labels: str, shape: Sequence[Size]) -> _Operand:
        if len(shape) == len(self.shape) and all(map(_same, shape, self.shape)):
            return self._replace(labels=labels)
        function = _ops.reshape if is_known(*shape) else reshaped
        return self.then(labels, shape, function, list(shape))

    def transposed(self, labels: str) -> _Operand:
        if labels == self.labels:
            return self
        perm = [self.labels.index(label) for label in labels]
        return self.then(labels, [self.shape[k] for k in perm], _ops.transpose, perm)

    def stretched(self, label: str, size: Size) -> _Operand:
        shape = list(self.shape)
        shape[self.labels.index(label)] = size
        return self.then(self.labels, shape, _ops.broadcast_to, shape)

    def arranged(self, wanted: str) -> _Operand:
        """Summed over the labels that are not wanted, the others in order."""
        dropped = [axis for axis, label in enumerate(self.labels) if label not in wanted]
        if not dropped:
            return self.transposed(wanted)
        kept = "".join(label for label in self.labels if label in wanted)
        return self.then(kept, self.sizes(kept), _ops.reduce_sum, dropped).transposed(wanted)


@functools.lru_cache(maxsize=512)
def _plan(
    equation: str, shapes: tuple[tuple[Size, ...], ...]
) -> Callable[[Sequence[Tensor]], Tensor]:
    """A function that computes the equation for inputs of these shapes."""
    terms, result = _labels(equation, tuple(len(shape) for shape in shapes))
    operands = [
        _with_unique_labels(_Operand(term, shape, operator.itemgetter(k)))
        for k, (term, shape) in enumerate(zip(terms, shapes, strict=True))
    ]
    operands = _with_common_sizes(operands)
    while len(operands) > 1:
        # From left to right: the equation determines the order of the products.
        needed = set(result).union(*(operand.labels for operand in operands[2:]))
        operands[:2] = [_product(operands[0], operands[1], needed, result)]
    return operands[0].arranged(result).value


def _with_unique_labels(operand: _Operand) -> _Operand:
    """Takes diagonals until each label appears once."""
    for label in dict.fromkeys(operand.labels):
        while operand.labels.count(label) > 1:
            labels, shape, _ = operand
            first = labels.index(label)
            second = labels.index(label, first + 1)
            size = shape[first]
            if is_known(size, shape[second]) and shape[second] != size:
                raise invalid_argument(
                    f"Expected dimension {size} at axis {second} of the input shaped "
                    f"{list(shape)} but got dimension {shape[second]} [Op:Einsum]"
                )
            rest = [k for k in range(len(shape)) if k not in (first, second)]
            sizes = [shape[k] for k in rest]
            moved = operand.then("", [size, size, *sizes], _ops.transpose, [first, second, *rest])
            flat = moved.then("", [size * size, *sizes], _ops.reshape, [size * size, *sizes])
            labels = label + "".join(labels[k] for k in rest)
            operand = flat.then(labels, [size, *sizes], _first_of_each, size + 1)
    return operand


def _first_of_each(rows: Tensor, step: int) -> Tensor:
    return rows[::step]


def _with_common_sizes(operands: Sequence[_Operand]) -> list[_Operand]:
    """The operands with one size per label: the known size if there is one, else one tensor.

    Raises:
        tf.errors.InvalidArgumentError: if sizes differ.
    """
    known_sizes: dict[str, Size] = {}
    for operand in operands:
        for axis, (label, size) in enumerate(zip(operand.labels, operand.shape, strict=True)):
            known = known_sizes.setdefault(label, size)
            if not is_known(known, size):
                if ord(label) < _FIRST_HIDDEN_LABEL and is_known(size):
                    known_sizes[label] = size
                continue
            if known == size:
                continue
            if ord(label) >= _FIRST_HIDDEN_LABEL and 1 in (known, size):
                known_sizes[label] = max(known, size) if 0 not in (known, size) else 0
                continue
            raise invalid_argument(
                f"Expected dimension {known} at axis {axis} of the input shaped "
                f"[{','.join(map(str, operand.shape))}] but got dimension {size} [Op:Einsum]"
            )
    return [
        operand
        if is_known(*operand.shape)
        else operand._replace(
            shape=tuple(
                size if ord(label) >= _FIRST_HIDDEN_LABEL else known_sizes[label]
                for label, size in zip(operand.labels, operand.shape, strict=True)
            )
        )
        for operand in operands
    ]


def _product(x: _Operand, y: _Operand, needed: set[str], result: str) -> _Operand:
    """Multiplies two operands, and sums over labels used nowhere else, by one matrix product."""
    both = [label for label in x.labels if label in y.labels]
    batch = "".join(label for label in both if label in needed)
    summed = "".join(label for label in both if label not in needed)
    x_own = "".join(label for label in x.labels if label not in y.labels and label in needed)
    y_own = "".join(label for label in y.labels if label not in x.labels and label in needed)
    x = x.arranged("".join(label for label in x.labels if label in batch + summed + x_own))
    y = y.arranged("".join(label for label in y.labels if label in batch + summed + y_own))
    for label in summed:
        size = _larger(x.size(label), y.size(label))
        x = x if _same(x.size(label), size) else x.stretched(label, size)
        y = y if _same(y.size(label), size) else y.stretched(label, size)
    if result == batch + y_own + x_own:
        x, y, x_own, y_own = y, x, y_own, x_own
    n = len(batch)
    sizes = [_larger(x.size(label), y.size(label)) for label in batch]
    rows, columns = x.sizes(x_own), y.sizes(y_own)
    if summed:
        left, left_turned = _matrices(x, batch, x_own, summed)
        right, right_turned = _matrices(y, batch, summed, y_own)
        shape = [*sizes, math.prod(rows), math.prod(columns)]
        function: Callable[..., Tensor]
        turns: tuple[bool, ...]
        function, turns = _ops.matmul, (left_turned, right_turned)
    else:
        # An outer product has no sums: broadcast and multiply.
        left = x.transposed(batch + x_own)
        left = left.reshaped("", [*left.shape, *(1 for _ in y_own)])
        right = y.transposed(batch + y_own)
        right = right.reshaped("", [*right.shape[:n], *(1 for _ in x_own), *columns])
        shape = [*sizes, *rows, *columns]
        function, turns = _ops.multiply, ()
    left_value, right_value = left.value, right.value
    product = _Operand(
        "", tuple(shape), lambda inputs: function(left_value(inputs), right_value(inputs), *turns)
    )
    return product.reshaped(batch + x_own + y_own, [*sizes, *rows, *columns])


def _matrices(operand: _Operand, batch: str, rows: str, columns: str) -> tuple[_Operand, bool]:
    """One axis each for rows and columns after those of the batch; whether they are swapped."""
    turned = operand.labels == batch + columns + rows != batch + rows + columns
    if turned:
        rows, columns = columns, rows
    operand = operand.transposed(batch + rows + columns)
    sizes = [math.prod(operand.sizes(rows)), math.prod(operand.sizes(columns))]
    return operand.reshaped("", [*operand.sizes(batch), *sizes]), turned
