"""Operations, control flow, variables and tapes, by themselves and in functions."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Callable

from builder import Builder, Unfit
from kinds.eager import TENSORS
from operations import step
from programs import Program

# Statements of a program, on average: TensorFlow spends seconds on the gradients of long ones.
LENGTH = 2
DECORATORS = (
    "@tf.function",
    "@tf.function",
    "@tf.function(reduce_retracing=True)",
    "specs",
    "specs",
    "",
)

# What keeps the shape and dtype of `{x}`; `{y}` is another such tensor.
SAME = (
    "{x} * 0.5 + {y}",
    "tf.sin({x}) + {y}",
    "tf.maximum({x}, {y})",
    "tf.where({x} > 0.0, {x}, {y} * 0.1)",
    "{x} - tf.reduce_mean({y})",
    "tf.tanh({x}) * {y}",
    "{x} * tf.cast(tf.size({y}), {x}.dtype)",
    "tf.nn.relu({x}) - {y}",
    "tf.identity({x})",
    "-{x}",
    "{x} / (1.0 + tf.abs({y}))",
    "tf.minimum({x} + 1.0, {y})",
    "tf.stop_gradient({x}) + {y}",
    "tf.clip_by_value({x}, -1.0, 1.0) + {y}",
    "tf.reshape(tf.cumsum(tf.reshape({x} * 0.5, [-1])), tf.shape({x}))",
    "tf.reverse({x}, list(range(len({x}.shape)))) + {y}",
    "tf.concat([tf.expand_dims({x}, 0), tf.expand_dims({y}, 0)], 0)[1] + {x}",
    "tf.ones_like({x}) + {y} * {x}",
    "tf.square({x} * 0.5)",
    "tf.sqrt(tf.abs({x}) + 0.1)",
)
TESTS = (
    "tf.reduce_sum({x}) > {n}.0",
    "tf.reduce_any({x} > 0.5)",
    "tf.size({x}) > {n}",
    "tf.reduce_max(tf.abs({x})) < {n}.5",
    "tf.constant({b})",
)


class Flow:
    """Draws statements of control flow around one tensor `x` and another like it, `y`."""

    def __init__(self, b: Builder) -> None:
        self.b = b
        self.x = b.operand("f", dtype=b.pick(("float32", "float32", "float64")))
        if len(b.shape_of(self.x)) and b.shape_of(self.x)[0] > 1000:
            raise Unfit
        self.y = b.operand("f", shape=b.shape_of(self.x), dtype=b.dtype_of(self.x))
        self.target = b.fresh()

    def same(self, x: str, y: str = "") -> str:
        """An expression like `x`."""
        return self.b.pick(SAME).format(x=x, y=y or self.y)

    def test(self, x: str) -> str:
        """A scalar that is true or false."""
        b = self.b
        return b.pick(TESTS).format(x=x, n=b.integer(0, 3), b=bool(b.integer(0, 1)))

    def add(self, op: str, lines: str, *more: str) -> str | None:
        """The statement whose lines bind the target."""
        reads = [self.x, self.y, *more]
        return self.b.add(op, textwrap.dedent(lines).strip("\n"), reads, name=self.target)

    def count(self) -> str:
        """How often a loop runs: a number or a tensor."""
        n = self.b.integer(0, 4)
        return self.b.pick((f"tf.range({n})", f"tf.range(tf.constant({n}))", f"range({n})"))


def if_else(f: Flow) -> str | None:
    v, x = f.target, f.x
    return f.add(
        "if",
        f"""
        if {f.test(x)}:
            {v} = {f.same(x)}
        else:
            {v} = {f.same(x)}
        """,
    )


def for_loop(f: Flow) -> str | None:
    v, b = f.target, f.b
    leave = b.pick(("", "", "break", "continue"))
    inner = f"\n            if {f.test(v)}:\n                {leave}" if leave else ""
    return f.add(
        f"for {leave}".strip(),
        f"""
        {v} = {f.x}
        for i in {f.count()}:
            {v} = {f.same(v)}{inner}
            {v} = {f.same(v)} + tf.cast(i, {v}.dtype)
        """,
    )


def while_loop(f: Flow) -> str | None:
    v, b = f.target, f.b
    return f.add(
        "while",
        f"""
        {v}, k = {f.x}, tf.constant({b.integer(0, 2)})
        while k < {b.integer(0, 5)} and {f.test(v)}:
            {v} = {f.same(v)}
            k += 1
        {v} = {v} + tf.cast(k, {v}.dtype)
        """,
    )


def nested_loops(f: Flow) -> str | None:
    v = f.target
    return f.add(
        "for for",
        f"""
        {v} = {f.x}
        for i in {f.count()}:
            for j in {f.count()}:
                if {f.test(v)}:
                    {v} = {f.same(v)} * tf.cast(j + 1, {v}.dtype)
                else:
                    {v} = {f.same(v)}
            {v} = {f.same(v)}
        """,
    )


def rows(f: Flow) -> str | None:
    v, b = f.target, f.b
    z = b.operand("f", "1+", dtype=b.dtype_of(f.x))
    if b.shape_of(z)[0] > 10:
        raise Unfit
    return f.add(
        "for row",
        f"""
        {v} = {f.x}
        for row in {z}:
            {v} = {f.same(v)} + tf.reduce_sum(row)
        """,
        z,
    )


def cond(f: Flow) -> str | None:
    call = f"tf.cond({f.test(f.x)}, lambda: {f.same(f.x)}, lambda: {f.same(f.x)})"
    return f.add("tf.cond", f"{f.target} = {call}")


def switch_case(f: Flow) -> str | None:
    branches = ", ".join(f"lambda: {f.same(f.x)}" for _ in range(f.b.integer(1, 3)))
    index = f"tf.constant({f.b.integer(-1, 3)})"
    return f.add("tf.switch_case", f"{f.target} = tf.switch_case({index}, [{branches}])")


def case(f: Flow) -> str | None:
    pairs = ", ".join(f"({f.test(f.x)}, lambda: {f.same(f.x)})" for _ in range(f.b.integer(1, 2)))
    call = f"tf.case([{pairs}], default=lambda: {f.same(f.x)})"
    return f.add("tf.case", f"{f.target} = {call}")


def tf_while(f: Flow) -> str | None:
    b = f.b
    limit = b.pick(("", "", ", maximum_iterations=2", ", parallel_iterations=1"))
    call = (
        f"tf.while_loop(lambda i, x: i < {b.integer(0, 4)}, "
        f"lambda i, x: (i + 1, {f.same('x')}), [tf.constant(0), {f.x}]{limit})"
    )
    return f.add("tf.while_loop", f"{f.target} = {call}[1]")


def folds(f: Flow) -> str | None:
    b = f.b
    z = b.operand("f", "1+", dtype=b.dtype_of(f.x))
    if b.shape_of(z)[0] > 10:
        raise Unfit
    how = b.pick(("tf.scan", "tf.foldl", "tf.foldr"))
    back = b.pick(("", ", reverse=True")) if how == "tf.scan" else ""
    body = f"lambda c, e: {f.same('c')} + tf.reduce_sum(e)"
    return f.add(how, f"{f.target} = {how}({body}, {z}, initializer={f.x}{back})", z)


def maps(f: Flow) -> str | None:
    b = f.b
    if not len(b.shape_of(f.x)):
        raise Unfit
    how = b.pick(("tf.map_fn", "tf.vectorized_map"))
    body = f.same("e[0]", "e[1]")
    out = f", fn_output_signature={f.x}.dtype" if how == "tf.map_fn" else ""
    return f.add(how, f"{f.target} = {how}(lambda e: {body}, ({f.x}, {f.y}){out})")


def arrays(f: Flow) -> str | None:
    v, b = f.target, f.b
    n = b.integer(1, 3)
    end = b.pick((f"{v} = parts.stack()", f"{v} = parts.read({n - 1})", f"{v} = parts.gather([0])"))
    return f.add(
        "tf.TensorArray",
        f"""
        parts, {v} = tf.TensorArray({f.x}.dtype, size={n}), {f.x}
        for i in tf.range({n}):
            {v} = {f.same(v)}
            parts = parts.write(i, {v})
        {end}
        """,
    )


def tape(f: Flow) -> str | None:
    v = f.target
    return f.add(
        "tape",
        f"""
        with tf.GradientTape(persistent={f.b.flag(2)}) as inner:
            inner.watch({f.x})
            {v} = {f.same(f.x)}
            {v} = {f.same(v)}
        {v} = tf.convert_to_tensor(inner.gradient({v}, {f.x}, unconnected_gradients='zero'))
        """,
    )


def jacobian(f: Flow) -> str | None:
    v, b = f.target, f.b
    size = 1
    for s in b.shape_of(f.x):
        size *= s
    if size > 30 or not size:
        raise Unfit
    return f.add(
        "jacobian",
        f"""
        with tf.GradientTape() as inner:
            inner.watch({f.x})
            {v} = {f.same(f.x)} * {f.x}
        {v} = inner.jacobian({v}, {f.x})
        """,
    )


def forward(f: Flow) -> str | None:
    v = f.target
    return f.add(
        "forward",
        f"""
        with tf.autodiff.ForwardAccumulator({f.x}, {f.y}) as inner:
            {v} = {f.same(f.x)}
            {v} = {f.same(v)} * {f.x}
        {v} = inner.jvp({v})
        """,
    )


def inner_function(f: Flow) -> str | None:
    v = f.target
    return f.add(
        "inner function",
        f"""
        @tf.function
        def inside(x, y):
            return {f.same("x", "y")}, {f.same("y", "x")}
        {v} = inside({f.x}, {f.y})
        {v} = {v}[0] * {v}[1]
        """,
    )


def custom_gradient(f: Flow) -> str | None:
    v = f.target
    return f.add(
        "tf.custom_gradient",
        f"""
        @tf.custom_gradient
        def inside(x):
            return {f.same("x", "x")}, lambda g: {f.same("g", "g")}
        {v} = inside({f.x})
        """,
    )


def recompute(f: Flow) -> str | None:
    inner = f"tf.recompute_grad(lambda x: {f.same('x', 'x')})"
    return f.add("tf.recompute_grad", f"{f.target} = {inner}({f.x})")


def variable(f: Flow) -> str | None:
    """A variable that changes, between reads and in loops."""
    b, v = f.b, f.target
    w = b.add("tf.Variable", f"tf.Variable({f.x})", [f.x], constant=True)
    if w is None:
        raise Unfit
    changes = [f"{w}.assign_add({f.y})", f"{w}.assign_sub({f.same(w)})", f"{w}.assign({f.same(w)})"]
    if len(b.shape_of(f.x)) and b.shape_of(f.x)[0] > 1:
        changes += [
            f"{w}[1:].assign({f.y}[1:])",
            f"{w}[0].assign({f.y}[-1])",
            f"{w}.scatter_add(tf.IndexedSlices({f.y}[:1], [1]))",
            f"{w}.scatter_nd_update([[0]], {f.y}[1:2])",
        ]
    one, other = b.pick(changes), b.pick(changes)
    lines = b.pick(
        [
            f"{v} = {w} * 2.0\n{one}\n{v} = {v} + {w}",
            f"{one}\n{other}\n{v} = {w}.read_value()",
            f"for i in tf.range({b.integer(0, 3)}):\n    {one}\n{v} = {w} + 0.0",
            f"if {f.test(f.x)}:\n    {one}\nelse:\n    {other}\n{v} = {w} + 0.0",
            f"before = tf.identity({w})\n{one}\n{v} = before * {w}",
            f"{v} = tf.cond({f.test(f.x)}, lambda: {one} + 0.0, lambda: {w} + 0.0)\n{v} = {v} + {w}",
        ]
    )
    return f.add("variable", lines, w)


MAKERS: tuple[Callable[[Flow], str | None], ...] = (
    *(
        if_else,
        for_loop,
        while_loop,
        nested_loops,
        rows,
        cond,
        switch_case,
        case,
        tf_while,
        folds,
        maps,
    ),
    *(
        arrays,
        tape,
        jacobian,
        forward,
        inner_function,
        custom_gradient,
        recompute,
        variable,
        variable,
    ),
)


def functions(b: Builder) -> Program:
    """Operations and control flow, in a function or not."""
    b.failing = False
    decorator = b.pick(DECORATORS)
    while True:
        try:
            if b.integer(0, 2):
                b.limit = 500
                b.pick(MAKERS)(Flow(b))
            else:
                step(b, TENSORS)
        except Unfit:
            pass
        b.limit = 60_000
        if not b.integer(0, LENGTH):
            break
    if decorator == "specs":
        decorator = f"@tf.function(input_signature=[{', '.join(_specs(b))}])"
    return b.program(decorator, b.pick((0, 0, 0, 1, 1, 1, 1, 2)))


def captures(b: Builder) -> Program:
    """The same, where functions find all tensors outside."""
    program = functions(b)
    if "input_signature" in program.decorator:
        raise Unfit
    return dataclasses.replace(program, decorator="@tf.function", captured=True)


def _specs(b: Builder) -> list[str]:
    """Types of the constants whose sizes are partly unknown."""
    specs = []
    for s in b.statements:
        if s.constant:
            if s.op == "tf.Variable":
                raise Unfit
            sizes = [None if b.integer(0, 2) else size for size in b.shape_of(s.target)]
            specs.append(f"tf.TensorSpec({sizes}, '{b.dtype_of(s.target)}')")
    return specs
