"""Draws statements one after the other; TensorFlow runs each at once, so that shapes are known."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from answers import Answer, Raised
from programs import Program, Recording, Statement, environment, finish

FLOATS = ("float32", "float32", "float32", "float64", "float16", "bfloat16")
COMPLEX = ("complex64", "complex128")
INTS = ("int32", "int64", "int32", "int8", "int16", "uint8", "uint16", "uint32", "uint64")
KINDS: dict[str, tuple[str, ...]] = {
    "f": FLOATS,
    "w": ("float32", "float64"),  # what linear algebra and windows have
    "c": (*FLOATS, *COMPLEX),
    "i": INTS,
    "j": ("int32", "int64"),
    "r": (*FLOATS, *INTS),
    "n": (*FLOATS, *INTS, *COMPLEX),
    "b": ("bool",),
    "s": ("string",),
    "a": (*FLOATS, *INTS, *COMPLEX, "bool", "string"),
    "p": FLOATS,  # positive
    "u": FLOATS,  # between 0 and 1
}
SHAPES = [(), (0,), (1,), (2,), (3,), (5,), (2, 3), (3, 3), (1, 3), (3, 1), (2, 0), (4, 5), (7, 2)]
SHAPES += [(2, 3, 4), (1, 1, 3), (2, 0, 3), (3, 2, 2), (2, 1, 2, 3), (1, 2, 3, 1), (2, 1, 1, 2, 2)]
LARGE = [(16384,), (20001,), (130, 131), (4, 4200), (2, 96, 100), (16384, 1)]
WORDS = ["", "a", "abc", "a b  c", "Hello, World", "1.5", "-7", "é漢", "a,b,,c", "x" * 20]
_SPEC = re.compile(r"([fwcijrnbsapu])(\d\+?)?([=~:@])?$")


class Unfit(Exception):
    """No operand fits: another operation is drawn."""


class Builder:
    """A program that grows.

    Args:
        tf: TensorFlow.
        chance: draws integers, as `randint` of random.Random does.

    Statements that raise stay where `failing` is set, and constants may be large where `large` is.
    """

    def __init__(self, tf: Any, chance: Any) -> None:
        self.tf, self.chance = tf, chance
        self.failing = True
        self.large = self.flag(4)
        self.limit = 60_000  # elements of operands
        self.recording: Recording | None = None
        self.raised: dict[str, Answer] = {}
        self.statements: list[Statement] = []
        self.names = environment(tf)
        self.values: dict[str, Any] = {}
        self.operands: list[str] = []
        self._count = 0

    # Choices.

    def flag(self, one_of: int) -> bool:
        """Once in so many; the simplest choice is no."""
        return self.chance.randint(0, one_of - 1) == one_of - 1

    def pick(self, options: Sequence[Any]) -> Any:
        return options[self.chance.randint(0, len(options) - 1)]

    def integer(self, low: int, high: int) -> int:
        return self.chance.randint(low, high)

    # Statements.

    def fresh(self, letter: str = "v") -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def add(
        self,
        op: str,
        source: str,
        reads: Sequence[str] = (),
        constant: bool = False,
        name: str = "",
    ) -> str | None:
        """Runs an expression, binds its value, and returns the name; None if TensorFlow raises."""
        target = name or self.fresh("a" if constant else "v")
        text = source if name else f"{target} = {source}"
        statement = Statement(target, op, text, tuple(dict.fromkeys(reads)), constant)
        try:
            exec(statement.code, self.names)
        except Exception as error:
            if self.failing and not constant:
                self.statements.append(statement)
                self.raised[target] = Raised.of(error)
            return None
        self.statements.append(statement)
        value = self.values[target] = self.names[target]
        if constant and self.recording and self._inexact(value):
            self.recording.watch([value])
        return target

    def record(self) -> None:
        """Takes gradients of an order drawn: the program is built under tapes."""
        order = self.pick((0, 0, 1, 1, 2))
        self.recording = Recording(self.tf, order) if order else None

    def _inexact(self, value: Any) -> bool:
        if not isinstance(value, self.tf.Tensor | self.tf.RaggedTensor):
            return False
        return value.dtype.is_floating or value.dtype.is_complex

    def constant(self, kind: str, shape: Sequence[int] | None = None, dtype: str = "") -> str:
        """A new constant; `kind` is a letter of KINDS."""
        dtype = dtype or self.pick(KINDS[kind])
        if shape is None:
            shape = self.shape()
        return self.named(self.literal(kind, tuple(shape), dtype))

    def named(self, source: str) -> str:
        """A new constant of any source."""
        name = self.add("constant", source, constant=True)
        if name is None:
            raise Unfit
        return name

    def indices(self, limit: int, shape: Sequence[int], dtype: str = "", low: int = 0) -> str:
        """A constant of indices below the limit, or very seldom beyond."""
        if limit <= low:
            raise Unfit
        top = limit - 1 + self.flag(50)
        count = self.integer(1, min(6, max(1, math.prod(shape))))
        picked = [self.integer(low, top) for _ in range(count)]
        dtype = dtype or self.pick(("int32", "int32", "int64"))
        return self.named(f"repeated({picked}, {tuple(shape)}, {dtype!r})")

    def literal(self, kind: str, shape: tuple, dtype: str) -> str:
        """The source of a constant."""
        if dtype == "string":
            words = [self.pick(WORDS) for _ in range(self.integer(1, 4))]
            return f"repeated({words}, {shape}, 'string')"
        if dtype == "bool":
            picked = [bool(self.integer(0, 1)) for _ in range(self.integer(1, 5))]
            return f"repeated({picked}, {shape}, 'bool')"
        if kind in "pu":
            bounds = "0.1, 3.0" if kind == "p" else "0.02, 0.98"
            return f"uniform({self.integer(0, 99)}, {shape}, {dtype!r}, {bounds})"
        if dtype in INTS:
            low = 0 if dtype[0] == "u" else -3
            simple = [*range(max(low, 0), 5), *range(low, 0), 100]
            picked = [self.pick(simple) for _ in range(self.integer(1, 6))]
            return f"repeated({picked}, {shape}, {dtype!r})"
        style = self.integer(0, 9)
        if style < 3:
            simple = [0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 3.0, 10.0, 0.1]
            if style == 0 and self.flag(4):
                simple += ["nan", "inf", "-inf", "-0.0", "1e-3", "30000.0"]
            picked = ", ".join(str(self.pick(simple)) for _ in range(self.integer(1, 6)))
            return f"repeated([{picked}], {shape}, {dtype!r})"
        return f"uniform({self.integer(0, 99)}, {shape}, {dtype!r})"

    def shape(self, rank: str = "") -> tuple:
        """A shape; `rank` is a number, or with "+" the least one."""
        options = [s for s in SHAPES if _ranked(len(s), rank)]
        if self.large and self.limit > 16_384 and self.flag(12):
            options = [s for s in LARGE if _ranked(len(s), rank)] or options
        if not options:
            options = [(2,) * int(rank[0]), (1,) * int(rank[0])]
        return self.pick(options)

    # Operands.

    def shape_of(self, name: str) -> tuple:
        return tuple(self.values[name].shape)

    def dtype_of(self, name: str) -> str:
        return self.values[name].dtype.name

    def existing(self, fits: Callable[[Any], bool]) -> str | None:
        """The name of a suitable earlier tensor; later ones are more likely."""
        names = [n for n, v in self.values.items() if self._readable(v) and fits(v)]
        if not names:
            return None
        back = min(self.integer(0, len(names) - 1), self.integer(0, len(names) - 1))
        return names[len(names) - 1 - back]

    def _readable(self, value: Any) -> bool:
        if not isinstance(value, self.tf.Tensor):
            return False
        return math.prod(value.shape) <= self.limit

    def operand(
        self,
        kind: str,
        rank: str = "",
        shape: Sequence[int] | None = None,
        dtype: str = "",
        reuse: int = 4,
    ) -> str:
        """The name of a tensor, mostly an earlier one."""
        dtypes = (dtype,) if dtype else KINDS[kind]

        def fits(value: Any) -> bool:
            if value.dtype.name not in dtypes or not _ranked(len(value.shape), rank):
                return False
            return shape is None or tuple(value.shape) == tuple(shape)

        name = None
        if kind not in "pu" and self.integer(0, reuse):
            name = self.existing(fits)
        if name is None:
            wanted = tuple(shape) if shape is not None else self.shape(rank)
            name = self.constant(kind, wanted, dtype or self.pick(dtypes))
        self.operands.append(name)
        return name

    def spec(self, text: str) -> str:
        """A placeholder of a template: an operand, as `_SPEC` reads it, or an attribute."""
        match = _SPEC.match(text)
        if text[0] in "RS" and text[1:] in ("", *KINDS):
            return self.composite(text[0], text[1:] or "f")
        if not match:
            word, *rest = text.split()
            return str(getattr(self, f"attribute_{word}")(*rest))
        kind, rank, relation = match.groups()
        if not relation:
            return self.operand(kind, rank or "")
        first = self.operands[0]
        shape, dtype = self.shape_of(first), self.dtype_of(first)
        if relation == "=":
            return self.operand(kind, shape=shape, dtype=dtype)
        if relation == ":":
            return self.operand(kind, rank or "", dtype=dtype)
        if relation == "@":
            return self.operand(kind, shape=shape)
        return self.broadcast(shape, dtype)

    def composite(self, letter: str, kind: str) -> str:
        """A ragged (R) or sparse (S) tensor."""
        cls = self.tf.RaggedTensor if letter == "R" else self.tf.SparseTensor
        names = [
            n for n, v in self.values.items() if isinstance(v, cls) and v.dtype.name in KINDS[kind]
        ]
        if names and self.integer(0, 2):
            name = self.pick(names[::-1])
        elif letter == "R":
            name = self.ragged(kind)
        else:
            shape = self.pick([(3,), (2, 3), (3, 3), (2, 0), (2, 2, 2), (4, 5)])
            dtype = self.pick(KINDS[kind])
            if kind == "s":
                values = [self.pick(["", "a", "b c", ""]) for _ in range(4)]
            else:
                values = [self.pick([0, 0, 1, 2, 3]) for _ in range(self.integer(1, 6))]
            name = self.named(f"tf.sparse.from_dense(repeated({values}, {shape}, {dtype!r}))")
        self.operands.append(name)
        return name

    def ragged(self, kind: str) -> str:
        """A new ragged tensor of one or two ragged dimensions."""
        dtype = self.pick(KINDS[kind])
        lengths = [self.integer(0, 3) for _ in range(self.integer(0, 4))]
        inner = self.pick([(), (), (), (2,)])
        if lengths and self.flag(4):
            deeper = [self.integer(0, 2) for _ in range(sum(lengths))]
            values = self.literal(kind, (sum(deeper), *inner), dtype)
            nested = f"[tf.constant({lengths}, tf.int64), tf.constant({deeper}, tf.int64)]"
            return self.named(f"tf.RaggedTensor.from_nested_row_lengths({values}, {nested})")
        values = self.literal(kind, (sum(lengths), *inner), dtype)
        return self.named(
            f"tf.RaggedTensor.from_row_lengths({values}, tf.constant({lengths}, tf.int64))"
        )

    def broadcast(self, shape: tuple, dtype: str) -> str:
        """An operand that broadcasts against a shape, rarely one that does not."""
        style = self.integer(0, 5)
        if style <= 1:
            return self.operand("a", shape=shape, dtype=dtype)
        if style == 2:
            return self.operand("a", shape=(), dtype=dtype)
        wanted = list(shape[self.integer(0, len(shape)) :])
        if style >= 4 and wanted:
            wanted[self.integer(0, len(wanted) - 1)] = 1
        if style == 5 and math.prod(shape) < 1000:
            wanted = [self.integer(1, 3), *wanted] if len(wanted) == len(shape) else wanted
        if self.flag(40):
            wanted = [*wanted, 7]
        return self.operand("a", shape=wanted, dtype=dtype)

    def template(self, text: str) -> str | None:
        """Adds a template's call: "tf.add({n}, {n~})"."""
        self.operands = []
        source = self.expand(text)
        op = re.match(r"[\w.]+(?=\()", text)
        return self.add(op[0] if op else text, source, self.operands)

    def expand(self, text: str) -> str:
        """A template with its placeholders filled."""
        return re.sub(r"\{(?!')([^{}]+)\}", lambda m: self.spec(m[1]), text)

    def template_of(self, x: str, templates: Sequence[str]) -> str | None:
        """A call of one tensor by its name."""
        text = self.pick(templates)
        return self.add(text[: text.index("(")], text.format(x), [x])

    # Attributes.

    def rank(self) -> int:
        return len(self.shape_of(self.operands[0]))

    def attribute_axis(self) -> int:
        rank = self.rank()
        if self.flag(60):
            return rank + 1
        if not rank:
            raise Unfit
        return self.integer(-rank, rank - 1)

    def attribute_axes(self) -> Any:
        rank = self.rank()
        style = self.integer(0, 3)
        if not rank or style == 0:
            return None
        if style < 3:
            return self.attribute_axis()
        return sorted({self.integer(0, rank - 1) for _ in range(2)})

    def attribute_perm(self) -> list[int]:
        left = list(range(self.rank()))
        return [left.pop(self.integer(0, len(left) - 1)) for _ in range(len(left))]

    def attribute_bool(self) -> bool:
        return bool(self.integer(0, 1))

    def attribute_int(self, low: str, high: str) -> int:
        return self.integer(int(low), int(high))

    def attribute_of(self, *words: str) -> str:
        return self.pick(words)

    def attribute_seeds(self) -> list[int]:
        return [self.integer(0, 9), self.integer(-2, 99)]

    def attribute_shape(self) -> list[int]:
        if self.flag(10):
            return [self.pick((1000, 4099, 20000))]
        return list(self.pick([(), (1,), (3,), (0,), (2, 3), (5,), (2, 1, 2), (17,), (33,)]))

    def attribute_activation(self) -> str:
        names = (
            None,
            "relu",
            "tanh",
            "sigmoid",
            "softmax",
            "elu",
            "selu",
            "gelu",
            "softplus",
            "swish",
        )
        return repr(
            self.pick((*names, "exponential", "hard_sigmoid", "softsign", "linear", "mish"))
        )

    def attribute_rate(self) -> str:
        decays = "tf.keras.optimizers.schedules."
        return self.pick(
            (
                *("0.01", "0.1", "1.0"),
                f"{decays}ExponentialDecay(0.1, 2, 0.5, {bool(self.flag(2))})",
                f"{decays}PolynomialDecay(0.1, {self.integer(1, 4)}, 0.01, 2.0, cycle={bool(self.flag(2))})",
                f"{decays}CosineDecay(0.1, {self.integer(1, 4)}, 0.2)",
                f"{decays}PiecewiseConstantDecay([1, 2], [0.1, 0.5, 0.2])",
                f"{decays}InverseTimeDecay(0.1, 2, 0.5, staircase={bool(self.flag(2))})",
                f"{decays}CosineDecayRestarts(0.1, 2)",
            )
        )

    def attribute_same(self) -> str:
        return self.operands[0]

    def attribute_shape2(self) -> list[int]:
        return [self.integer(1, 5), self.integer(1, 5)]

    def attribute_dtype(self, kind: str) -> str:
        return repr(self.pick(KINDS[kind]))

    def attribute_reshape(self) -> list[int]:
        """A shape with as many elements as the first operand."""
        shape = list(self.shape_of(self.operands[0]))
        style = self.integer(0, 4)
        if style == 0:
            return [-1]
        if style == 1:
            return [*shape, 1]
        if style == 2:
            return [1, *shape[::-1]]
        if style == 3 and len(shape) > 1 and math.prod(shape):
            return [shape[0] * shape[1], *shape[2:-1], -1] if len(shape) > 2 else [shape[1], -1]
        return [math.prod(shape)]

    def attribute_broadcast(self) -> list[int]:
        """A shape that the first operand broadcasts to."""
        shape = list(self.shape_of(self.operands[0]))
        if math.prod(shape) > 1000:
            return shape
        shape = [s if s != 1 else self.integer(1, 3) for s in shape]
        return [self.integer(0, 2), *shape] if self.flag(2) else shape

    def attribute_each(self, low: str, high: str) -> list[int]:
        """A value for each dimension."""
        if math.prod(self.shape_of(self.operands[0])) > 1000:
            return [1] * self.rank()
        return [self.integer(int(low), int(high)) for _ in range(self.rank())]

    def attribute_pads(self) -> list[list[int]]:
        return [[self.integer(0, 2), self.integer(0, 2)] for _ in range(self.rank())]

    def attribute_key(self) -> str:
        """What stands in the brackets of a slice."""
        parts = []
        shape = self.shape_of(self.operands[0])
        ellipsis = self.integer(0, 5) == 5
        for size in shape[: self.integer(0, len(shape))] if ellipsis or self.flag(2) else shape:
            style = self.integer(0, 5)
            if style == 0:
                parts.append(":")
            elif style == 1 and size:
                parts.append(str(self.integer(-size, size - 1)))
            elif style == 2:
                parts.append("tf.newaxis")
                parts.append(":")
            else:
                begin = self.pick(("", str(self.integer(-size, size))))
                end = self.pick(("", str(self.integer(-size - 1, size + 1))))
                step = self.pick(("", "", ":2", ":-1", ":-2"))
                parts.append(f"{begin}:{end}{step}")
        if ellipsis:
            parts.insert(self.integer(0, len(parts)), "...")
        return ", ".join(parts) or "..."

    def program(self, decorator: str = "", order: int = 0) -> Program:
        """The program; its results are all values, or sometimes only the last ones.

        `order` is that of the gradients, unless the program was recorded: then it has its own.
        """
        statements = sorted(self.statements, key=lambda s: not s.constant)
        made = [s.target for s in statements if not s.constant and s.target in self.values]
        if self.flag(3):
            made = made[-2:]
        if self.recording:
            order = self.recording.order
        watched = []
        if order:
            watched = [
                s.target for s in statements if s.constant and self._inexact(self.values[s.target])
            ]
        return Program(
            tuple(statements), tuple(made), tuple(watched), order if watched else 0, decorator
        )

    def answers(self, program: Program) -> dict[str, Answer] | None:
        """TensorFlow's answers to what was built, where building ran it as a program runs."""
        if program.decorator or program.exchanges or not self.failing:
            return None
        if program.order and not self.recording:
            return None
        found = dict(self.raised)
        tapes = self.recording if program.order else None
        finish(self.tf, program, self.names, found, tapes)
        return found


def _ranked(found: int, rank: str) -> bool:
    if not rank:
        return True
    return found >= int(rank[0]) if rank.endswith("+") else found == int(rank)
