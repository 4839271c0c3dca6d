"""GradientTape in every respect: what is watched, what is returned, nesting, and its limits."""

import numpy as np

from oracle.inputs import dense, resolve, tensor
from oracle.registry import case, errors


def x_of(tf):
    return tf.constant([1.0, 2.0, 3.0])


def square(tf, **options):
    x = x_of(tf)
    with tf.GradientTape(**options) as tape:
        tape.watch(x)
        y = x * x
    return tape, x, y


def scalar(tf):
    tape, x, y = square(tf)
    return tape.gradient(y, x)


def variable(tf):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v)


def unwatched(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)


def persistent(tf):
    tape, x, y = square(tf, persistent=True)
    return [tape.gradient(y, x), tape.gradient(y, x), tape.gradient(y * 1.0, x)]


def persistent_intermediate(tf):
    x = x_of(tf)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return [tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y), tape.gradient(x, x)]


def intermediate_source(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = tf.exp(y)
    return tape.gradient(z, [x, y])


def watch_late(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        a = x * 2.0
        tape.watch(x)
        b = x * 3.0
        y = a + b
    return tape.gradient(y, x)


def watch_intermediate(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(y)
        z = y * y
    return tape.gradient(z, [x, y])


def watch_list(tf):
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = a * b
    return tape.gradient(y, [a, b])


def watch_nested(tf):
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch({"a": a, "rest": (b,)})
        y = a * b
    return tape.gradient(y, [a, b])


def no_automatic_watching(tf):
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * w
    return [tape.gradient(y, [v, w]), [u.numpy() for u in tape.watched_variables()]]


def watched_variables(tf):
    v, w = tf.Variable(2.0, name="v"), tf.Variable(3.0, name="w")
    frozen = tf.Variable(4.0, trainable=False)
    with tf.GradientTape() as tape:
        before = len(tape.watched_variables())
        w.read_value()
        v * w * frozen
        v + 1.0
    return [before, [u.name for u in tape.watched_variables()]]


def not_trainable_watched(tf):
    frozen = tf.Variable(4.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(frozen)
        y = frozen * frozen
    return [tape.gradient(y, frozen), len(tape.watched_variables())]


def targets(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, z = x * x, tf.exp(x)
    return tape.gradient([y, z], x)


def targets_dict(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = {"a": x * x, "b": [x, 2.0 * x]}
    return tape.gradient(y, x)


def sources_dict(tf):
    a, b, c = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b, c])
        y = a * b * c
    return tape.gradient(y, {"a": a, "rest": [b, (c,)]})


def sources_tuple(tf):
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = a * b
    grads = tape.gradient(y, (a, b))
    return [isinstance(grads, tuple), list(grads)]


def source_twice(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, [x, x])


def empty_sources(tf):
    tape, _, y = square(tf)
    return tape.gradient(y, [])


def unconnected(tf):
    x, z = tf.constant([1.0, 2.0]), tf.constant([[3.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = x * x
    return [
        tape.gradient(y, z),
        tape.gradient(y, [x, z]),
        tape.gradient(y, [x, z], unconnected_gradients=tf.UnconnectedGradients.ZERO),
        tape.gradient(y, z, unconnected_gradients="zero"),
        tape.gradient(y, z, unconnected_gradients=tf.UnconnectedGradients.NONE),
    ]


def unconnected_variable(tf):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([[3]], dtype=tf.float32)
    with tf.GradientTape() as tape:
        y = v * 2.0
    return tape.gradient(y, [v, w], unconnected_gradients=tf.UnconnectedGradients.ZERO)


def output_gradients(tf):
    tape, x, y = square(tf, persistent=True)
    return [
        tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0, -2.0])),
        tape.gradient([y, y], x, output_gradients=[tf.ones([3]), tf.constant([0.0, 1.0, 2.0])]),
        tape.gradient(y, x, output_gradients=None),
    ]


def target_is_source(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient(x, x)


def target_unrelated(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.gradient(tf.constant(1.0), x)


def stop_recording(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * 10.0
        w = y + z
    return tape.gradient(w, x)


def stop_recording_gradient(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            inner = tape.gradient(y, x)
        z = y * inner
    return [inner, tape.gradient(z, x)]


def reset(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = x * x * x
    return tape.gradient([y, z], x)


def reset_forgets(tf):
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
        tape.reset()
        watched = len(tape.watched_variables())
        z = v * 5.0
    return [watched, tape.gradient(y, v), tape.gradient(z, v)]


def gradient_inside(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**3
        first = tape.gradient(y, x)
    return [first, tape.gradient(first, x)]


def second_order(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        first = inner.gradient(y, x)
    return [first, outer.gradient(first, x)]


def third_order(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as t3:
        with tf.GradientTape() as t2:
            with tf.GradientTape() as t1:
                y = tf.sin(v) * v**4
            first = t1.gradient(y, v)
        second = t2.gradient(first, v)
    return [first, second, t3.gradient(second, v)]


def nested_different_sources(tf):
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(b)
        with tf.GradientTape() as inner:
            inner.watch(a)
            y = a * a * b
        first = inner.gradient(y, a)
    return [first, outer.gradient(first, b)]


def sibling_tapes(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as one, tf.GradientTape() as two:
        one.watch(x)
        two.watch(x)
        y = x * x
        z = y * x
    return [one.gradient(y, x), two.gradient(z, x)]


def continued(tf):
    x = tf.constant(2.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
    with tape:
        z = y * x
    return tape.gradient(z, x)


def after_the_block(tf):
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    z = y * 3.0
    return [tape.gradient(y, x), tape.gradient(z, x)]


def integers(tf):
    v, x = tf.Variable(2.0), tf.constant([1, 2])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = tf.cast(v, tf.int32) * x
        z = tf.cast(y, tf.float32) * v
    return tape.gradient(z, v)


def through_argmax(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.argmax(x), tf.float32)
    return tape.gradient(y, x)


def through_comparison(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x > 1.5, tf.float32) * x
    return tape.gradient(y, x)


def through_numpy(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.constant(x.numpy()) * 2.0)
    return tape.gradient(y, x)


def stop_gradient(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stop_gradient(x * x) * x
    return tape.gradient(y, x)


def control_flow(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(4):
            y = y * x if y < 10.0 else y + x
    return [y, tape.gradient(y, x)]


def many_uses(tf):
    x = x_of(tf)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sum((x * float(i) for i in range(20)), tf.zeros([3]))
    return tape.gradient(y, x)


def long_chain(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(3000):
            y = y * 1.0005
    return [y, tape.gradient(y, x)]


def multiple_outputs(tf):
    x = tensor(tf, (2, 3))
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, _, c = tf.unstack(x, axis=1)
        y = tf.reduce_sum(a * c)
    return tape.gradient(y, x)


def variable_assigned_within(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(10.0)
        z = y + v * 3.0
    return [tape.gradient(z, v), v]


def variable_added_to_within(tf):
    v = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        y = v * v
        v.assign_add([1.0, 1.0])
        z = y * v
    return [z, tape.gradient(z, v)]


def assign_from_watched(tf):
    x, v = tf.constant(2.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        v.assign(x * x)
        y = v * 2.0
    return tape.gradient(y, [x, v])


def read_value_differentiates(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v.read_value() * v.value() + tf.identity(v) * tf.convert_to_tensor(v)
    return tape.gradient(y, v)


def variable_indexed(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = v[0] * v[1, ::-1]
    return tape.gradient(y, v)


def variable_gathered(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [1, 1])) + tf.reduce_sum(v * v)
    return dense(tf, tape.gradient(y, v))


def complex_gradient(tf):
    z = tf.constant(1.0 + 2.0j)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        y = z * z
        w = tf.abs(z)
    return [tape.gradient(y, z), tape.gradient(w, z)]


def half_gradient(tf):
    x = tf.constant([1.0, 2.0], tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(x * x, tf.float32) * 3.0
    return tape.gradient(y, x)


def hessian_vector(tf):
    v = tf.constant([1.0, -1.0, 2.0])
    x = x_of(tf)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x**3) + x[0] * x[1]
        first = inner.gradient(y, x)
    return outer.gradient(first, x, output_gradients=v)


def accumulated_broadcast(tf):
    w, b = tf.Variable([[1.0], [2.0]]), tf.Variable(0.5)
    x = tensor(tf, (4, 2))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - tf.ones([4, 1])))
    return [loss, tape.gradient(loss, [w, b])]


def linear_regression(tf):
    rng = np.random.RandomState(3)
    xs = rng.normal(size=50).astype(np.float32)
    ys = (3.0 * xs + 2.0 + rng.normal(size=50)).astype(np.float32)
    w, b = tf.Variable(5.0), tf.Variable(10.0)
    losses = []
    for _ in range(10):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(ys - (w * xs + b)))
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        losses.append(loss)
    return [losses, w, b]


def autodiff_alias(tf):
    x = tf.constant(2.0)
    with tf.autodiff.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def python_target(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = [x * x, x]
    return tape.gradient(y, [x])


def watch_integer(tf):
    x = tf.constant([1, 2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def integer_variable(tf):
    v = tf.Variable([1, 2])
    with tf.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v)


def bool_source(tf):
    x = tf.constant([True, False])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.where(x, 1.0, 2.0)
    return tape.gradient(y, x)


def truncated_by_inner_tape_exit(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        z = y * x
    return [inner.gradient(y, x), outer.gradient(z, x)]


def gradient_of_empty(tf):
    x = tf.zeros([0, 3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.exp(x))
    return [y, tape.gradient(y, x)]


def del_persistent(tf):
    tape, x, y = square(tf, persistent=True)
    grad = tape.gradient(y, x)
    del tape
    return grad


PROGRAMS = [
    value
    for name, value in list(globals().items())
    if callable(value)
    and getattr(value, "__module__", None) == __name__
    and name not in ("x_of", "square")
]


@case(program={program.__name__: program for program in PROGRAMS})
def tape(tf, program):
    return program(tf)


@case(
    name=("custom", "with variables"),
)
def custom_gradient(tf, name):
    if name == "custom":

        @tf.custom_gradient
        def log1pexp(x):
            e = tf.exp(x)

            def grad(upstream):
                return upstream * (1 - 1 / (1 + e))

            return tf.math.log(1 + e), grad
    else:

        @tf.custom_gradient
        def log1pexp(x):
            def grad(upstream):
                return upstream * 7.0

            return x * 2.0, grad

    x = tf.constant([0.5, 10.0])
    with tf.GradientTape() as recorder:
        recorder.watch(x)
        y = log1pexp(x)
    return [y, recorder.gradient(y, x)]


@case(op=("floor", "round", "sign", "math.ceil", "zeros_like", "ones_like", "shape", "argmax"))
def which_gradients_are_none(tf, op):
    x = tf.constant([[1.5, -2.0]])
    with tf.GradientTape() as recorder:
        recorder.watch(x)
        y = resolve(tf, op)(x)
    return recorder.gradient(y, x)


@case(op=("less", "equal", "math.floordiv", "math.floormod", "logical_and"))
def which_pairs_have_none(tf, op):
    x, y = tf.constant([1.5, 4.0]), tf.constant([1.0, 3.0])
    if op == "logical_and":
        x, y = tf.cast(x, tf.bool), tf.cast(y, tf.bool)
    with tf.GradientTape() as recorder:
        recorder.watch([x, y])
        z = resolve(tf, op)(x, y)
    return recorder.gradient(z, [x, y])


@case(dtype=("string", "int32", "bool", "uint8", "complex64", "float16"), watched=(True, False))
def target_is_source_by_dtype(tf, dtype, watched):
    x = tf.constant({"string": "a", "bool": True}.get(dtype, 2), dtype)
    f = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        if watched:
            tape.watch([x, f])
        z = tf.identity(x)
    return [tape.gradient(x, x), tape.gradient([f * f, z, x], [f, x, z])]


@case(dtype=("int32", "bool", "float32"))
def variable_is_target_and_source(tf, dtype):
    v = tf.Variable(tf.cast([1, 0], dtype))
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(v, v)


@case(dtype=("string", "int32", "bool"), kind=("none", "zero"))
def jacobian_by_itself(tf, dtype, kind):
    x = tf.zeros([2], dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
    return tape.jacobian(x, x, unconnected_gradients=kind)


@case
def nested_accumulators_read_afterwards(tf):
    x, one = tf.constant(2.0), tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, one) as a:
        with tf.autodiff.ForwardAccumulator(x, one) as b:
            with tf.autodiff.ForwardAccumulator(x, one) as c:
                y = x**4.0
                inside = [a.jvp(b.jvp(y)), b.jvp(a.jvp(y))]
    return [
        *inside,
        a.jvp(b.jvp(y)),
        b.jvp(a.jvp(y)),
        a.jvp(b.jvp(c.jvp(y))),
        a.jvp(c.jvp(y)),
        c.jvp(y),
    ]


@case
def accumulators_and_tapes_read_afterwards(tf):
    x, one = tf.constant(2.0), tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, one) as a:
        with tf.GradientTape(persistent=True) as t:
            t.watch(x)
            with tf.autodiff.ForwardAccumulator(x, one) as b:
                y = x**4.0
        outer = t.gradient(b.jvp(y), x)
        inner = t.gradient(a.jvp(y), x)
    with tf.GradientTape() as late:
        late.watch(x)
        product = a.jvp(y)
    return [outer, a.jvp(outer), inner, product, late.gradient(product, x)]


@case
def accumulators_inside_functions(tf):
    @tf.function
    def second(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as a:
            with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as b:
                y = x**3.0
        return a.jvp(b.jvp(y))

    return second(tf.constant(2.0))


@case
def accumulators_of_custom_gradients(tf):
    """Operations are differentiated; where they have no derivative, the gradient counts."""

    def custom(f):
        return tf.custom_gradient(lambda x: (f(x), lambda dy: dy * x * 10.0))

    x, one = tf.constant(2.0), tf.constant(1.0)
    functions = [custom(tf.square), custom(tf.round), custom(lambda x: tf.stop_gradient(x * x))]
    with tf.autodiff.ForwardAccumulator(x, one) as outer:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            results = [f(x) for f in functions]
        gradients = [tape.gradient(y, x) for y in results]
    twice = functions[0](functions[0](x))
    return [*outer.jvp(results), *gradients, *outer.jvp(gradients), outer.jvp(twice)]


@case
def accumulator_before_it_begins(tf):
    x = tf.constant(2.0)
    accumulator = tf.autodiff.ForwardAccumulator(x, tf.constant(3.0))
    return [accumulator.jvp(x), accumulator.jvp(x * x)]


@case
def accumulator_of_integers(tf):
    x = tf.constant(2)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(3)) as accumulator:
        y = x * 2
    return [accumulator.jvp(y), accumulator.jvp(y, unconnected_gradients="zero")]


def ragged_parts(value):
    return [value.flat_values, value.row_splits]


@case
def custom_gradient_of_ragged(tf):
    @tf.custom_gradient
    def both(x, factor):
        def grad(dy, dsum):
            return dy * 10.0 + dsum, dsum * tf.reduce_sum(dy)

        return (x * factor, tf.reduce_sum(x)), grad

    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    factor = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, factor])
        y, total = both(x, factor)
    by_x, by_factor = tape.gradient([y, total], [x, factor])
    return [*ragged_parts(y), total, *ragged_parts(by_x), by_factor]


@case
def custom_gradient_gives_ragged(tf):
    @tf.custom_gradient
    def rows(x):
        return tf.RaggedTensor.from_row_lengths(x * 2.0, [1, 2]), lambda dy: dy.flat_values * 7.0

    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = rows(x)
    return [*ragged_parts(y), tape.gradient(y, x)]


@case
def gradients_by_objects_that_come_apart(tf):
    class Masked:
        def __init__(self, mask, value):
            self.mask, self.value = mask, value

        def __tf_flatten__(self):
            return (self.mask,), (self.value,)

        @classmethod
        def __tf_unflatten__(cls, metadata, components):
            return cls(*metadata, *components)

    x = Masked("mask", tf.constant([2.0, 1.0]))
    tangent = Masked("mask", tf.constant([1.0, 0.0]))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = Masked("other", x.value * x.value)
    with tf.autodiff.ForwardAccumulator(x, tangent) as accumulator:
        z = Masked("other", x.value * x.value)
    gradient, product = tape.gradient(y, x), accumulator.jvp(z)
    step = lambda i, m: (i + 1, Masked(m.mask, m.value * 2.0))  # noqa: E731
    looped = tf.while_loop(lambda i, m: i < 3, step, (0, x))[1]
    mapped = tf.map_fn(lambda m: Masked(m.mask, m.value * 3.0), x)
    scanned = tf.scan(lambda a, m: Masked(a.mask, a.value + m.value), x)
    (row,) = tf.data.Dataset.from_tensors(x).map(lambda m: Masked(m.mask, m.value + 1.0))
    found = [gradient, product, looped, mapped, scanned, row]
    return [[item.mask, item.value] for item in found] + [tape.jacobian(y.value, x).value]


@case(dtype=("float64", "complex128"))
def compute_gradient(tf, dtype):
    x = tf.constant([1.0, 3.0], dtype)

    def f(x):
        return tf.stack([x[0] * 2.0, x[1] * x[1], x[0] * x[1]])

    def pairs(function, *arguments):
        return [list(part) for part in tf.test.compute_gradient(function, arguments, delta=0.125)]

    return [
        *pairs(f, x),
        *pairs(lambda x, y: tf.matmul(x[None], y), x, tf.ones([2, 3], dtype)),
        *pairs(tf.math.real, x),
        *pairs(lambda x: tf.constant(1.0, dtype), x),
    ]


@case
def compute_gradient_of_rows(tf):
    x = tf.reshape(tf.range(6.0), [3, 2])
    return [list(p) for p in tf.test.compute_gradient(lambda x: tf.gather(x, [0, 2, 0]), [x], 0.5)]


errors(
    "tape",
    "compute_gradient",
    {
        "integer": (
            lambda tf: tf.test.compute_gradient(tf.square, [3]),
            ["unsupported type int32 of argument 0"],
        ),
        "no list": (
            lambda tf: tf.test.compute_gradient(tf.square, 3.0),
            ["`x` must be a list or tuple"],
        ),
    },
)
