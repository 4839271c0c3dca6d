"""Random calls of public functions as lines of Python, most of them invalid.

Fuzzers and programs that compare TensorFlow's results (`oracle/fuzz.py`) draw them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

NAMESPACES = (
    "",
    *("audio", "bitwise", "debugging", "dtypes", "image", "io", "linalg", "math", "math.special"),
    *("nest", "nn", "quantization", "ragged", "random", "sets", "signal", "sparse", "strings"),
)

# They call their arguments, touch files or global state, print, or return results that depend on
# the machine.
LEFT_OUT = frozenset(
    """
    function init_scope load_library load_op_library numpy_function print py_function Assert
    executing_eagerly device Graph write_file io.write_file io.write_graph io.read_file read_file
    io.matching_files debugging.disable_traceback_filtering debugging.enable_traceback_filtering
    debugging.disable_check_numerics debugging.enable_check_numerics import_graph_def
    debugging.set_log_device_placement random.set_seed random.set_global_generator
    random.get_global_generator debugging.is_traceback_filtering_enabled timestamp
    debugging.get_log_device_placement io.TFRecordWriter io.gfile no_gradient
    register_tensor_conversion_function get_current_name_scope grad_pass_through recompute_grad
    custom_gradient no_op name_scope control_dependencies variable_creator_scope Module
    get_logger random.create_rng_state numpy_function saved_model debugging.Assert
    io.decode_and_crop_jpeg timestamp VariableAggregation VariableSynchronization
    """.split()
)

DTYPES = ["float32", "float64", "float16", "bfloat16", "complex64", "complex128", "bool", "string"]
DTYPES += [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
SHAPES = [(), (0,), (1,), (3,), (2, 3), (3, 3), (2, 0, 3), (1, 4, 4, 2), (2, 1, 3), (1,) * 6]

# Sizes are small, or too large for any machine: no large tensor fits into memory.
HUGE = ["2**40+3", "2**50", "-2**40", "2**62", "2**63-1", "-2**63", "2**64", "2**70", "-2**70"]
ODD = ["0.5", "1.0", "-1.5", "nan", "inf", "-inf", "1e300", "True", "False", "1j", "np.int32(2)"]
ODD += ["np.float32(1)", "np.int64(-1)", "np.uint8(200)"]
WORDS = ["", "a", "SAME", "VALID", "NHWC", "NCHW", "ij,jk->ik", "CONSTANT", "REFLECT", "float32"]
WORDS += ["euclidean", "left", "é", "\0", "...", "ASCENDING"]
JUNK = ["None", "[]", "{}", "b'\\xff\\x00'", "[[1, 2], [3]]", "[None]", "object()", "()"]
JUNK += ["tf.TensorShape([2, None])", "tf.IndexedSlices(tf.ones((2, 3)), tf.constant([0, 5]))"]
JUNK += ["lambda *args: args[0] if args else tf.constant(1.0)"]


class Calls:
    """Random arguments as source text: mostly values that suit a parameter of that name."""

    def __init__(self, chance: Any) -> None:
        """`chance` has the methods `choice`, `randint` and `random` of random.Random."""
        self.random = chance

    def call(self, name: str, parameters: list[str], required: int) -> str:
        """A call of a function with positional arguments."""
        count = self.random.choice([required, required, self.random.randint(0, len(parameters))])
        return f"tf.{name}({', '.join(self.value(p) for p in parameters[:count])})"

    def value(self, parameter: str) -> str:
        """A value for a parameter of that name."""
        for parts, makers in LIKELY:
            if any(p in parameter if len(p) > 1 else p == parameter for p in parts.split()):
                maker = self.random.choice([*makers, *makers, Calls.anything])
                return maker(self)
        return self.random.choice([Calls.tensor, Calls.tensor, Calls.anything])(self)

    def anything(self) -> str:
        """Any value at all."""
        makers = [Calls.tensor, Calls.tensor, Calls.number, Calls.sizes, Calls.junk]
        return self.random.choice([*makers, Calls.composite])(self)

    def tensor(self) -> str:
        """A tensor of any dtype and shape."""
        choice = self.random.choice
        dtype = choice(["float32", "float32", "int32", choice(DTYPES)])
        shape = choice(SHAPES)
        if dtype == "string":
            return f"tf.fill({shape}, 'ab')"
        elements = ["0", "1", "2", "3", "-1", "-2", "1.5", "100", "nan", "inf"]
        if "int" in dtype:
            elements = elements[: 4 if "uint" in dtype else 6]
        picked = ", ".join(choice(elements) for _ in range(self.random.randint(1, 7)))
        text = f"tf.cast(np.resize([{picked}], {shape}), '{dtype}')"
        return f"tf.Variable({text})" if self.random.random() < 0.1 else text

    def number(self) -> str:
        """A number, as often odd or huge as usual."""
        return self.random.choice(
            [str(self.random.randint(-4, 5)), self.random.choice(HUGE), self.random.choice(ODD)]
        )

    def small(self) -> str:
        """A small integer."""
        return str(self.random.randint(-3, 4))

    def sizes(self) -> str:
        """A list of integers."""
        count = self.random.choice([0, 1, 2, 2, 3, 4, 5])
        one = [lambda: str(self.random.randint(-2, 4))] * 4 + [lambda: self.random.choice(HUGE)]
        return f"[{', '.join(self.random.choice(one)() for _ in range(count))}]"

    def word(self) -> str:
        """A word that some function accepts."""
        return repr(self.random.choice(WORDS))

    def dtype(self) -> str:
        """A dtype or its name."""
        name = self.random.choice(DTYPES)
        return self.random.choice([repr(name), f"tf.{name}", "tf.float32", "np.float64"])

    def junk(self) -> str:
        """A value that hardly any function accepts."""
        choice = self.random.choice
        makers = [self.word, self.dtype, lambda: choice(JUNK), lambda: choice(JUNK)]
        makers += [
            lambda: f"[{', '.join(self.tensor() for _ in range(self.random.randint(0, 3)))}]"
        ]
        makers += [lambda: f"({self.number()}, {self.number()})", lambda: f"[{self.sizes()}]"]
        makers += [lambda: f"{{'a': {self.tensor()}}}"]
        return choice(makers)()

    def composite(self) -> str:
        """A sparse or a ragged tensor."""
        choice = self.random.choice
        numbers = choice(["1.0, 2.0", "1, -5", "'a', ''", "nan, inf"])
        shape = choice(["3, 2", "2**40, 2**40", "2**62, 8", "1, 1", "5, 2**33", "3, 4"])
        splits = choice(["0, 2, 2, 3", "0, 3", "0, 1, 3"])
        three = choice(["1.0, 2.0, 3.0", "1, -5, 0", "'a', '', 'b'", "[1.0], [2.0], [3.0]"])
        return choice(
            [
                f"tf.SparseTensor([[0, 1], [2, 0]], [{numbers}], [{shape}])",
                f"tf.RaggedTensor.from_row_splits([{three}], [{splits}], validate=False)",
            ]
        )


LIKELY = (
    ("sp_ rt_input", (Calls.composite,)),
    (
        "axis axes num depth size dim batch_dims index alpha rate k",
        (Calls.small, Calls.number, Calls.sizes),
    ),
    ("shape dims stride ksize begin perm multiples padd crop block", (Calls.sizes,)),
    ("type", (Calls.dtype,)),
    ("equation mode padding format method direction", (Calls.word,)),
    ("name", (lambda calls: "None",)),
)


OBJECTS = {
    "Tensor": "tf.reshape(tf.range(6.0), [2, 3])",
    "Variable": "tf.Variable([[1.0, 2.0], [3.0, 4.0]])",
    "Variable of integers": "tf.Variable([1, 2, 3])",
    "RaggedTensor": "tf.ragged.constant([[1.0, 2.0], [], [3.0]])",
    "SparseTensor": "tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])",
    "IndexedSlices": "tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 5]))",
    "Dataset": "tf.data.Dataset.range(5)",
    "Dataset of pairs": "tf.data.Dataset.from_tensor_slices((tf.ones([4, 2]), [1, 2, 3, 4]))",
    "Generator": "tf.random.Generator.from_seed(1)",
    "TensorArray": "tf.TensorArray(tf.float32, 3, dynamic_size=True).unstack(tf.ones([3, 2]))",
    "StaticHashTable": (
        "tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer("
        "['a', 'b'], tf.constant([1, 2], tf.int64)), -1)"
    ),
    "MutableHashTable": "tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)",
    "TensorShape": "tf.TensorShape([2, None])",
    "TensorSpec": "tf.TensorSpec([2, None], tf.float32)",
    "DType": "tf.float32",
}

# They print, write files, wait for others or run forever.
METHODS_LEFT_OUT = frozenset(
    """
    save shard_files snapshot load cache prefetch repeat ragged_batch export list_files
    from_generator rebatch random range counter
    """.split()
)


def methods(value: Any) -> list[str]:
    """The methods of an object that may be called with any arguments."""
    return [
        name
        for name in dir(type(value))
        if not name.startswith("_")
        and name not in METHODS_LEFT_OUT
        and callable(getattr(type(value), name, None))
    ]


def functions(tf: Any) -> dict[str, Callable]:
    """Each function once, by its first public name."""
    found: dict[int, tuple[str, Callable]] = {}
    for prefix in NAMESPACES:
        space = tf
        for part in filter(None, prefix.split(".")):
            space = getattr(space, part)
        for name in sorted(dir(space)):
            path = f"{prefix}.{name}".lstrip(".")
            value = getattr(space, name)
            if name.startswith("_") or path in LEFT_OUT or inspect.isclass(value):
                continue
            if callable(value) and not isinstance(value, tf.DType):
                found.setdefault(id(value), (path, value))
    return dict(found.values())


def parameters(function: Callable) -> tuple[list[str], int]:
    """The names of positional parameters, and how many are required."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ["a", "b"], 1
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p for p in signature.parameters.values() if p.kind in kinds]
    return [p.name for p in names], sum(p.default is p.empty for p in names)


def bytes_of(value: Any) -> int:
    """The bytes of the tensors in a result."""
    if hasattr(value, "_size") and hasattr(value, "dtype"):
        return value._size * max(value.dtype.size, 32 if value.dtype.name == "string" else 1)
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        value = list(value.values())
    return sum(map(bytes_of, value)) if isinstance(value, list | tuple) else 0
