"""Programs of StableHLO, as `core/lower` writes them, as the text of HLO modules that XLA's tools read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from eagerflow import errors

# Dtypes of StableHLO: their names in HLO, and NumPy's dtype of elements that are written as bytes.
_DTYPES = {
    "i1": ("pred", "?"),
    "i8": ("s8", "i1"),
    "i16": ("s16", "i2"),
    "i32": ("s32", "i4"),
    "i64": ("s64", "i8"),
    "ui8": ("u8", "u1"),
    "ui16": ("u16", "u2"),
    "ui32": ("u32", "u4"),
    "ui64": ("u64", "u8"),
    "f16": ("f16", "f2"),
    "bf16": ("bf16", "u2"),
    "f32": ("f32", "f4"),
    "f64": ("f64", "f8"),
    "complex<f32>": ("c64", "c8"),
    "complex<f64>": ("c128", "c16"),
}
# The bits of infinities and NaN, as StableHLO writes them.
_SPECIAL = {
    **dict.fromkeys(["0x7C00", "0x7F80", "0x7F800000", "0x7FF0000000000000"], "inf"),
    **dict.fromkeys(["0xFC00", "0xFF80", "0xFF800000", "0xFFF0000000000000"], "-inf"),
    **dict.fromkeys(["0x7E00", "0x7FC0", "0x7FC00000", "0x7FF8000000000000"], "nan"),
}
# Operations whose HLO name is not that of StableHLO with dashes.
_NAMES = {
    "broadcast_in_dim": "broadcast",
    "dot_general": "dot",
    "case": "conditional",
    "top_k": "topk",
}
_WITHOUT_HLO = frozenset({"chlo.bessel_i1e", "chlo.polygamma", "chlo.zeta"})


class _Type(NamedTuple):
    """The type of a value."""

    sizes: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        order = ",".join(str(axis) for axis in reversed(range(len(self.sizes))))
        layout = f"{{{order}}}" if self.sizes else ""
        return f"{self.scalar}[{','.join(map(str, self.sizes))}]{layout}"

    @property
    def scalar(self) -> str:
        """HLO's name of the dtype."""
        return _DTYPES[self.dtype][0]


class _Value(NamedTuple):
    """An instruction of HLO and the type of its result; a tuple of types for a tuple."""

    name: str
    type: _Type | tuple[_Type, ...]


class _Region(NamedTuple):
    """A block of operations."""

    parameters: list[tuple[str, _Type]]
    operations: list[_Operation]

    @property
    def results(self) -> list[str]:
        """The names of the values that the block returns."""
        return self.operations[-1].operands


class _Operation(NamedTuple):
    """A line of StableHLO."""

    name: str
    results: list[str]
    operands: list[str]
    types: list[_Type]
    regions: list[_Region]
    attributes: str


def hlo_text(program: str, name: str) -> str:
    """The HLO module of a program.

    Args:
        program: the text of a StableHLO module in the form that `core/lower` writes: one function, one
            operation a line.
        name: the name of the module.

    Raises:
        tf.errors.UnimplementedError: for operations that HLO does not have.
    """
    return _Module().text(program, re.sub(r"\W", "_", name))


# Reading StableHLO.


_TYPE = re.compile(r"tensor<((?:\d+x)*)([a-z]+\d+|complex<f\d+>)>")
_PARAMETER = re.compile(rf"(%\w+): ({_TYPE.pattern})(?: {{tf\.aliasing_output = (\d+) : i32}})?")
_BEGIN = re.compile(r'(?:(%\w+)(?::(\d+))? = )?"([\w.]+)"\(([^)]*)\)')


def _types(text: str) -> list[_Type]:
    return [
        _Type(tuple(int(size) for size in sizes.split("x")[:-1]), dtype)
        for sizes, dtype in _TYPE.findall(text)
    ]


def _block(lines: Iterator[str]) -> tuple[_Region, str]:
    """The block that begins, and the line that ends it."""
    region = _Region([], [])
    for line in lines:
        if line.startswith("^"):
            region.parameters.extend((m[1], _types(m[2])[0]) for m in _PARAMETER.finditer(line))
        elif line.startswith("}"):
            return region, line
        else:
            region.operations.append(_operation(line, lines))
    return region, ""


def _operation(line: str, lines: Iterator[str]) -> _Operation:
    begin = _BEGIN.match(line)
    assert begin is not None, line
    result, count, name, operands = begin.groups()
    rest, regions = line[begin.end() :], []
    if rest == " ({":
        while rest.endswith("{"):
            region, rest = _block(lines)
            regions.append(region)
        rest = rest.removeprefix("})")
    attributes, _, types = rest.rpartition(" : (")
    results = [result] if count is None else [f"{result}#{k}" for k in range(int(count))]
    return _Operation(
        name,
        results if result else [],
        operands.split(", ") if operands else [],
        _types(types.partition(" -> ")[2]),
        regions,
        attributes.strip(" {}"),
    )


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", text)]


def _free(region: _Region) -> list[str]:
    """The names of values from outside that a block reads, in order."""
    inside = {name for name, _ in region.parameters}
    free: dict[str, None] = {}
    for operation in region.operations:
        read = [
            *operation.operands,
            *(name for inner in operation.regions for name in _free(inner)),
        ]
        free.update(dict.fromkeys(name for name in read if name not in inside))
        inside.update(operation.results)
    return list(free)


# Writing HLO.


def _listed(numbers: Sequence[object]) -> str:
    return f"{{{','.join(map(str, numbers))}}}"


class _Attributes:
    """The attributes of an operation of StableHLO."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __contains__(self, name: str) -> bool:
        return re.search(rf"\b{name} = ", self._text) is not None

    def text(self, before: str, after: str) -> str:
        """What stands between two texts."""
        return self._text.partition(before)[2].partition(after)[0]

    def word(self, name: str) -> str:
        """The last word of an attribute: LT of `#stablehlo<comparison_direction LT>`; true; 3."""
        found = re.search(rf'\b{name} = (?:#stablehlo<\w+ )?(?:"([^"]*)|([\w.-]+))', self._text)
        assert found is not None, (name, self._text)
        return found[1] or found[2]

    def numbers(self, name: str) -> list[int]:
        """The numbers of an attribute, of a list or an array; of none if there is no such attribute."""
        found = re.search(
            rf"\b{name} = (?:array<i64:? ?|dense<|\[|(?=\d))([^]>:]*(?:\], \[[^]>]*)*)", self._text
        )
        return [] if found is None else _numbers(found[1])

    def pairs(self, name: str) -> list[tuple[int, int]]:
        """The pairs of numbers of a table with two columns."""
        numbers = self.numbers(name)
        return list(zip(numbers[::2], numbers[1::2], strict=True))


class _Computation:
    """The instructions of one computation."""

    def __init__(self, module: _Module) -> None:
        self._module = module
        self._lines: list[str] = []
        self.values: dict[str, _Value] = {}

    def add(
        self, kind: str, operands: Sequence[_Value], result: object, *attributes: str
    ) -> _Value:
        """Adds an instruction."""
        given = ", ".join(operand.name for operand in operands)
        return self._line(kind, f"{kind}({given})", result, attributes)

    def _line(self, kind: str, call: str, result: object, attributes: Sequence[str] = ()) -> _Value:
        value = _Value(self._module.unique(kind), result)  # type: ignore[arg-type]
        self._lines.append(f"{value.name} = {_shown(value.type)} {', '.join([call, *attributes])}")
        return value

    def parameter(self, index: int, of: _Type | tuple[_Type, ...]) -> _Value:
        """Adds a parameter."""
        return self._line("parameter", f"parameter({index})", of)

    def tuple_of(self, values: Sequence[_Value]) -> _Value:
        """Adds a tuple."""
        return self.add("tuple", values, tuple(value.type for value in values))

    def elements(self, value: _Value) -> list[_Value]:
        """Adds an instruction for each element of a tuple."""
        assert isinstance(value.type, tuple)
        return [
            self.add("get-tuple-element", [value], part, f"index={k}")
            for k, part in enumerate(value.type)
        ]

    def constant(self, text: str, of: _Type) -> _Value:
        """Adds a constant from the text between `dense<` and `>`: one element, or all as bytes."""
        if text.startswith('"'):
            array = np.frombuffer(bytes.fromhex(text[3:-1]), _DTYPES[of.dtype][1])
            if of.dtype == "bf16":
                array = (array.astype(np.uint32) << 16).view(np.float32)
            elements = [_number(element) for element in array]
        elif text.startswith("("):
            elements = [f"({', '.join(_literal(part, 'f8') for part in text[1:-1].split(', '))})"]
        else:
            dtype = "f4" if of.dtype == "bf16" else _DTYPES[of.dtype][1]
            elements = [_literal(text or "0", dtype)]
        if len(elements) > 1:
            return self._line("constant", f"constant({_nested(elements, of.sizes)})", of)
        value = self._line("constant", f"constant({elements[0]})", _Type((), of.dtype))
        return self.broadcast(value, [], of) if of.sizes else value

    def text(self, header: str, root: _Value) -> str:
        """The computation."""
        lines = [f"  {'ROOT ' * line.startswith(root.name + ' =')}{line}\n" for line in self._lines]
        return f"{header} {{\n{''.join(lines)}}}\n"

    # Operations.

    def write_all(self, region: _Region) -> list[_Value]:
        """Adds the operations of a block; its results."""
        for operation in region.operations[:-1]:
            self.write(operation)
        return [self.values[name] for name in region.results]

    def write(self, operation: _Operation) -> None:
        """Adds the instructions of an operation of StableHLO."""
        if operation.name in _WITHOUT_HLO:
            raise errors.UnimplementedError._of(
                f"HLO has no instruction for '{operation.name}', of which compilers make many."
            )
        operands = [self.values[operand] for operand in operation.operands]
        of, attributes = operation.types[0], _Attributes(operation.attributes)
        match name := operation.name.partition(".")[2]:
            case "constant":
                results = [self.constant(attributes.text("value = dense<", "> : "), of)]
            case "broadcast_in_dim":
                axes = attributes.numbers("broadcast_dimensions")
                results = [self.broadcast(operands[0], axes, of)]
            case "while":
                results = self._loop(operation, operands)
            case "case":
                results = self._choice(operation, operands)
            case _:
                writers = _ATTRIBUTES.get(name, ())
                given = [text for writer in writers for text in writer(attributes, operands)]
                roles = _CALLED.get(name, ("to_apply",))
                for role, region in zip(roles, operation.regions, strict=False):
                    given.append(f"{role}={self._module.computation(region)}")
                kind = _NAMES.get(name, name.replace("_", "-"))
                several = len(operation.types) > 1
                value = self.add(kind, operands, tuple(operation.types) if several else of, *given)
                results = self.elements(value) if several else [value]
        self.values.update(zip(operation.results, results, strict=True))

    def broadcast(self, x: _Value, axes: Sequence[int], of: _Type) -> _Value:
        """Adds a broadcast of a value whose axes are these of the result."""
        assert isinstance(x.type, _Type)
        # HLO's broadcasts do not stretch axes of size 1.
        kept = [k for k, axis in enumerate(axes) if x.type.sizes[k] == of.sizes[axis]]
        if len(kept) < len(axes):
            x = self.add("reshape", [x], _Type(tuple(x.type.sizes[k] for k in kept), of.dtype))
        return self.add("broadcast", [x], of, f"dimensions={_listed([axes[k] for k in kept])}")

    def _loop(self, operation: _Operation, operands: list[_Value]) -> list[_Value]:
        """A loop, whose blocks get what they read from outside as more loop variables."""
        condition, body = operation.regions
        outside = list(dict.fromkeys([*_free(condition), *_free(body)]))
        state = self.tuple_of([*operands, *(self.values[name] for name in outside)])
        parts = []
        for role, part, returned in (("condition", condition, None), ("body", body, outside)):
            names = [*(name for name, _ in part.parameters), *outside]
            parts.append(f"{role}={self._module.computation_of(part, names, state, returned)}")
        value = self.add("while", [state], state.type, *parts)
        return self.elements(value)[: len(operands)]

    def _choice(self, operation: _Operation, operands: list[_Value]) -> list[_Value]:
        """A choice, whose branches get what they read from outside as a tuple."""
        given, names = list(operands), []
        for branch in operation.regions:
            outside = _free(branch)
            given.append(self.tuple_of([self.values[name] for name in outside]))
            names.append(self._module.computation_of(branch, outside, given[-1], ()))
        calls = f"branch_computations={_listed(names)}"
        return self.elements(self.add("conditional", given, tuple(operation.types), calls))


class _Module:
    """The computations of a module."""

    def __init__(self) -> None:
        self._computations: list[str] = []
        self._numbers: dict[str, int] = {}

    def text(self, program: str, name: str) -> str:
        """The module of a program."""
        lines = iter(program.splitlines())
        next(lines)
        first = next(lines)
        declared = list(_PARAMETER.finditer(first.partition(") -> (")[0]))
        region, _ = _block(lines)
        types = [_types(parameter[2])[0] for parameter in declared]
        entry = _Computation(self)
        for k, (parameter, of) in enumerate(zip(declared, types, strict=True)):
            entry.values[parameter[1]] = entry.parameter(k, of)
        results = entry.write_all(region)
        root = results[0] if len(results) == 1 else entry.tuple_of(results)
        aliases = [
            f"{{{parameter[5] if len(results) != 1 else ''}}}: ({k}, {{}}, may-alias)"
            for k, parameter in enumerate(declared)
            if parameter[5] is not None
        ]
        alias = f", input_output_alias={{ {', '.join(aliases)} }}" * bool(aliases)
        layout = f"{{({', '.join(map(str, types))})->{_shown(root.type)}}}"
        header = f"HloModule {name}{alias}, entry_computation_layout={layout}\n"
        body = entry.text(f"ENTRY {self.unique('main')}", root)
        return "\n".join([header, *self._computations, body])

    def unique(self, kind: str) -> str:
        """A name that nothing in the module has."""
        self._numbers[kind] = number = self._numbers.get(kind, 0) + 1
        return f"{kind}.{number}"

    def computation(self, region: _Region) -> str:
        """Writes a block whose parameters are those of its computation; its name."""
        part = _Computation(self)
        for k, (name, of) in enumerate(region.parameters):
            part.values[name] = part.parameter(k, of)
        results = part.write_all(region)
        return self._finish(part, results[0] if len(results) == 1 else part.tuple_of(results))

    def computation_of(
        self, region: _Region, names: Sequence[str], state: _Value, returned: Sequence[str] | None
    ) -> str:
        """Writes a block whose computation has one parameter, a tuple; its name.

        Args:
            region: the block.
            names: of the elements of the tuple.
            state: the tuple.
            returned: names of values that follow the results; None for a single result, no tuple.
        """
        part = _Computation(self)
        part.values.update(zip(names, part.elements(part.parameter(0, state.type)), strict=True))
        results = part.write_all(region)
        if returned is None:
            return self._finish(part, results[0])
        return self._finish(part, part.tuple_of([*results, *(part.values[n] for n in returned)]))

    def _finish(self, part: _Computation, root: _Value) -> str:
        name = self.unique("region")
        self._computations.append(part.text(name, root))
        return name


def _shown(of: _Type | tuple[_Type, ...]) -> str:
    return str(of) if isinstance(of, _Type) else f"({', '.join(map(str, of))})"


def _literal(text: str, dtype: str) -> str:
    """A number of StableHLO's text."""
    if text in _SPECIAL:
        return _SPECIAL[text]
    return _number(np.dtype(dtype).type(float(text))) if "e+" in text or "e-" in text else text


def _number(element: np.generic) -> str:
    """An element of a constant."""
    if isinstance(element, np.bool_):
        return str(bool(element)).lower()
    if isinstance(element, np.complexfloating):
        return f"({_number(element.real)}, {_number(element.imag)})"
    return repr(element.item()) if isinstance(element, np.float64) else str(element)


def _nested(elements: Sequence[str], sizes: Sequence[int]) -> str:
    """The elements of an array in braces, row by row."""
    for size in reversed(sizes):
        starts = range(0, len(elements), size)
        elements = [f"{{{', '.join(elements[start : start + size])}}}" for start in starts]
    return elements[0]


# The attributes of HLO's instructions, from those of StableHLO's operations.


_Writer = Callable[["_Attributes", list["_Value"]], list[str]]


def _lists(*names: str) -> _Writer:
    """What writes attributes that are lists of numbers in both languages: "old" or "old new"."""
    pairs = [name.split() for name in names]

    def write(a: _Attributes, operands: list[_Value]) -> list[str]:
        return [f"{pair[-1]}={_listed(a.numbers(pair[0]))}" for pair in pairs if pair[0] in a]

    return write


def _words(*names: str) -> _Writer:
    """What writes attributes that are words in both languages: "old" or "old new"."""
    pairs = [name.split() for name in names]

    def write(a: _Attributes, operands: list[_Value]) -> list[str]:
        return [f"{pair[-1]}={a.word(pair[0])}" for pair in pairs if pair[0] in a]

    return write


def _slice(a: _Attributes, operands: list[_Value]) -> list[str]:
    names = "start_indices", "limit_indices", "strides"
    bounds = zip(*(a.numbers(name) for name in names), strict=True)
    return [f"slice={_listed([f'[{begin}:{end}:{step}]' for begin, end, step in bounds])}"]


def _pad(a: _Attributes, operands: list[_Value]) -> list[str]:
    names = "edge_padding_low", "edge_padding_high", "interior_padding"
    return [f"padding={_by_axis(list(zip(*(a.numbers(name) for name in names), strict=True)))}"]


def _compare(a: _Attributes, operands: list[_Value]) -> list[str]:
    total = ["type=TOTALORDER"] if a.word("compare_type") == "TOTALORDER" else []
    return [f"direction={a.word('comparison_direction')}", *total]


def _convolution(a: _Attributes, operands: list[_Value]) -> list[str]:
    order = re.sub("[][, ]", "", a.text("dimension_numbers = #stablehlo.conv<", ">, "))
    sizes = operands[1].type.sizes  # type: ignore[union-attr]
    letters = order.split("x")[1].split("->")[0]
    window = _window(
        [sizes[letters.index(str(axis))] for axis in range(len(sizes) - 2)],
        stride=a.numbers("window_strides"),
        pad=a.pairs("padding"),
        lhs_dilate=a.numbers("lhs_dilation"),
        rhs_dilate=a.numbers("rhs_dilation"),
    )
    return [window, f"dim_labels={order.replace('x', '_')}"]


def _windows(a: _Attributes, operands: list[_Value]) -> list[str]:
    window = _window(
        a.numbers("window_dimensions"),
        stride=a.numbers("window_strides"),
        pad=a.pairs("padding"),
        rhs_dilate=a.numbers("window_dilations"),
    )
    return [window]


def _window(sizes: Sequence[int], **more: Sequence[object]) -> str:
    parts = {"size": sizes, **{name: values for name, values in more.items() if values}}
    return f"window={{{' '.join(f'{name}={_by_axis(values)}' for name, values in parts.items())}}}"


def _by_axis(values: Sequence[object]) -> str:
    return "x".join(
        "_".join(map(str, value)) if isinstance(value, tuple) else str(value) for value in values
    )


def _custom_call(a: _Attributes, operands: list[_Value]) -> list[str]:
    config = [f'backend_config="{a.word("backend_config")}"'] if "backend_config" in a else []
    return [f'custom_call_target="{a.word("call_target_name")}"', *config]


def _groups(a: _Attributes, operands: list[_Value]) -> list[str]:
    return [f"replica_groups={{{_listed(a.numbers('replica_groups'))}}}"]


def _largest(a: _Attributes, operands: list[_Value]) -> list[str]:
    return [f"k={a.word('k')}", "largest=true"]


_ATTRIBUTES: dict[str, tuple[_Writer, ...]] = {
    "all_gather": (_groups, _lists("all_gather_dim dimensions")),
    "all_reduce": (_groups,),
    "cholesky": (_words("lower"),),
    "compare": (_compare,),
    "concatenate": (_lists("dimension dimensions"),),
    "convolution": (_convolution, _words("feature_group_count", "batch_group_count")),
    "custom_call": (_custom_call,),
    "dot_general": (
        _lists(
            "lhs_batching_dimensions lhs_batch_dims",
            "lhs_contracting_dimensions lhs_contracting_dims",
            "rhs_batching_dimensions rhs_batch_dims",
            "rhs_contracting_dimensions rhs_contracting_dims",
        ),
    ),
    "dynamic_slice": (_lists("slice_sizes dynamic_slice_sizes"),),
    "fft": (_words("fft_type"), _lists("fft_length")),
    "gather": (
        _lists(
            "offset_dims",
            "collapsed_slice_dims",
            "start_index_map",
            "operand_batching_dims",
            "start_indices_batching_dims",
            "slice_sizes",
        ),
        _words("index_vector_dim", "indices_are_sorted"),
    ),
    "iota": (_words("iota_dimension"),),
    "pad": (_pad,),
    "reduce": (_lists("dimensions"),),
    "reduce_window": (_windows,),
    "reverse": (_lists("dimensions"),),
    "scatter": (
        _lists(
            "update_window_dims",
            "inserted_window_dims",
            "scatter_dims_to_operand_dims",
            "input_batching_dims",
            "scatter_indices_batching_dims",
        ),
        _words("index_vector_dim", "indices_are_sorted", "unique_indices"),
    ),
    "select_and_scatter": (_windows,),
    "slice": (_slice,),
    "sort": (_lists("dimension dimensions"), _words("is_stable")),
    "top_k": (_largest,),
    "transpose": (_lists("permutation dimensions"),),
    "triangular_solve": (_words("left_side", "lower", "unit_diagonal", "transpose_a"),),
}
# What the computations of an operation are called, in the order of its blocks.
_CALLED = {"select_and_scatter": ("select", "scatter")}
