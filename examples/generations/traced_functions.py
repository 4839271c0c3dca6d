"""tf.function in 2.0: AutoGraph's loops and branches, signatures, retracing, variables, input specs."""

import tensorflow as tf

traces = []


@tf.function
def fizz(n):
    traces.append("fizz")
    count = tf.constant(0)
    for i in tf.range(1, n + 1):
        if i % 15 == 0:
            count += 100
        elif i % 3 == 0 or i % 5 == 0:
            count += 1
    return count


print(fizz(tf.constant(20)).numpy(), fizz(tf.constant(30)).numpy(), len(traces))


@tf.function
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


print(collatz(tf.constant(27)).numpy())


@tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
def normalize(x):
    print("tracing with", x.shape)
    return x / tf.reduce_sum(x, axis=1, keepdims=True)


print(normalize(tf.constant([[1.0, 3.0]])).numpy(), normalize(tf.ones([2, 5])).numpy()[0, 0])
try:
    normalize(tf.constant([1, 2]))
except (ValueError, TypeError) as error:
    print(type(error).__name__ in ("ValueError", "TypeError"))
concrete = normalize.get_concrete_function()
print(
    concrete.structured_input_signature[0][0].shape,
    [op.type for op in concrete.graph.get_operations()][:1],
)


@tf.function
def dynamic_rnn(cell, sequence, state):
    outputs = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for t in tf.range(tf.shape(sequence)[0]):
        output, state = cell(sequence[t], state)
        outputs = outputs.write(t, output)
    return outputs.stack(), state


cell = lambda x, h: (x * 2.0 + h, h + x)  # noqa: E731
found, last = dynamic_rnn(cell, tf.reshape(tf.range(6.0), [3, 2]), tf.zeros([2]))
print(found.numpy().tolist(), last.numpy())


class Counter(tf.Module):
    def __init__(self):
        self.count = None

    @tf.function
    def __call__(self, x):
        if self.count is None:
            self.count = tf.Variable(0)
        return self.count.assign_add(x)


counter = Counter()
print([counter(tf.constant(k)).numpy() for k in (1, 2, 3)])
state = tf.Variable([1.0, 2.0])


@tf.function
def early(x):
    for v in x:
        if v < 0:
            break
        if v > 10:
            continue
        state.assign_add([v, v])
    else:
        state.assign_sub([100.0, 100.0])
    return state.read_value()


print(early(tf.constant([1.0, 20.0, 2.0, -1.0, 5.0])).numpy())


@tf.function
def stats(dataset):
    total, n = 0.0, 0
    for batch in dataset:
        total += tf.reduce_sum(batch)
        n += 1
    tf.print("batches:", n)
    return total


print(stats(tf.data.Dataset.range(10).map(lambda v: tf.cast(v, tf.float32)).batch(4)).numpy())


@tf.function
def gradient_inside(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, tf.constant(1.0)))[1]
    return tape.gradient(y, x)


print(gradient_inside(tf.constant(2.0)).numpy(), tf.autograph.to_code(collatz.python_function)[:3])


@tf.function
def raises(x):
    tf.debugging.assert_positive(x, message="must be positive")
    return tf.math.log(x)


try:
    raises(tf.constant(-1.0))
except tf.errors.InvalidArgumentError as error:
    print("must be positive" in error.message)
tf.config.experimental_run_functions_eagerly(True)
print(fizz(tf.constant(3)).numpy(), len(traces))
