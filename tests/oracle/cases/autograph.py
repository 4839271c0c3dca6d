"""Programs of functions that are traced: statements, loops and calls that tensors decide."""

import contextlib
import functools
import io

import numpy as np

from oracle.registry import case


def printed(call, *args):
    """What is printed while a function is called, and its result."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        result = call(*args)
    return text.getvalue(), result


def each(function, *inputs):
    """The function's results for several inputs."""
    return [function(value) for value in inputs]


@case
def branches(tf):
    @tf.function
    def grade(x):
        if x < 0:
            text = "below"
        elif x == 0:
            text = "none"
        elif x < 10 and not x > 5:
            text = "few"
        else:
            text = "many"
        return text, x

    return each(grade, tf.constant(-3), tf.constant(0), tf.constant(4), tf.constant(7))


@case
def branch_variables(tf):
    @tf.function
    def step(x):
        y, z = 1, x
        if x > 0:
            y = y + 1
            w = z * 2
        else:
            z = -z
            w = z
        return y, z, w

    return each(step, tf.constant(3), tf.constant(-3))


@case
def early_returns(tf):
    @tf.function
    def sign(x):
        if x > 0:
            return 1
        if x < 0:
            return -1
        return 0

    return each(sign, tf.constant(2.0), tf.constant(-2.0), tf.constant(0.0))


@case
def conditional_expressions(tf):
    @tf.function
    def chosen(x):
        return (x if x > 0 else -x), [1, 2] if x > -5 else [3, 4]

    return each(chosen, tf.constant(2), tf.constant(-2), tf.constant(-9))


@case
def boolean_operators(tf):
    @tf.function
    def logic(n):
        return (
            n > 0 and n < 5,
            n > 0 or n < -5,
            not n > 0,
            0 < n < 3,
            -10 < n <= 2 != 7,
            True and n,
            0 or n,
            False or n > 1,
            (n > 0 and n < 5) or (n < 0 and n > -5),
        )

    return each(logic, tf.constant(2), tf.constant(-7), tf.constant(5))


@case
def lazy_operands(tf):
    @tf.function
    def safe(x, n):
        if tf.size(x) > n and x[n] > 0:
            return x[n]
        return -1

    x = tf.constant([5, 6])
    return [safe(x, tf.constant(1)), safe(x, tf.constant(9))]


@case
def python_conditions(tf):
    @tf.function
    def scaled(x, double, name=None):
        if double:
            x = x * 2
        if name is None:
            return x
        return x + len(name)

    return [scaled(tf.constant(1), True), scaled(tf.constant(1), False, "abc")]


@case
def collatz(tf):
    @tf.function
    def steps(n):
        count = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            count += 1
        return count

    return each(steps, tf.constant(27), tf.constant(1), tf.constant(97))


@case
def greatest_divisor(tf):
    @tf.function
    def divisor(a, b):
        while b > 0:
            a, b = b, a % b
        return a

    return [divisor(tf.constant(84), tf.constant(36)), divisor(tf.constant(5), tf.constant(0))]


@case
def while_break_continue(tf):
    @tf.function
    def odd_sum(n):
        total = 0
        while True:
            n -= 1
            if n < 0:
                break
            if n % 2 == 0:
                continue
            total += n
        return total

    @tf.function
    def searched(n):
        found = -1
        i = 0
        while i < n:
            if i * i > 30:
                found = i
                break
            i += 1
        return found, i

    return [each(searched, tf.constant(20), tf.constant(3))]


@case
def for_range(tf):
    @tf.function
    def sums(n):
        total, product = 0, 1.0
        for i in tf.range(n):
            total += i
            product *= 1.5
        down = 0
        for i in tf.range(n, -3, -2):
            down = down * 3 + i
        return total, product, down

    return each(sums, tf.constant(5), tf.constant(0))


@case
def for_range_limits(tf):
    @tf.function
    def steps(start, limit, delta):
        seen = 0.0
        for x in tf.range(start, limit, delta):
            seen = seen * 10.0 + x
        return seen

    ranges = [(0.0, 3.0, 0.5), (3.0, 0.0, -1.0), (1.0, 1.0, 1.0)]
    return [steps(*map(tf.constant, limits)) for limits in ranges]


@case
def for_python_range(tf):
    @tf.function
    def both(n):
        total = 0
        for i in range(4):
            for j in range(n):
                if j > i:
                    break
                total += i * 10 + j
        for i in range(n, 3):
            total -= i
        for i in range(n, 0, -2):
            total += 100 * i
        return total

    return each(both, tf.constant(2), tf.constant(6), tf.constant(-1))


@case
def for_rows(tf):
    @tf.function
    def weighed(x):
        total = tf.zeros([2])
        last = tf.constant(0.0)
        for row in x:
            total += row * last
            last = tf.reduce_max(row)
        return total, last

    return each(weighed, tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.zeros([0, 2]))


@case
def for_rows_of_unknown_size(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def summed(x):
        total = tf.zeros([3])
        for row in x:
            total += row
        return total, len(x)

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def of_any_rank(x):
        total = 0.0
        for row in x:
            total += tf.reduce_sum(row)
        return total

    return [
        each(summed, tf.ones([2, 3]), tf.ones([0, 3])),
        each(of_any_rank, tf.ones([4]), tf.ones([2, 3, 2])),
    ]


@case
def for_targets(tf):
    @tf.function
    def pairs(x):
        total = 0
        for a, b in [(1, 2), (3, 4)]:
            for _, c in enumerate([a, b]):
                total += x * c
        return total

    @tf.function
    def last(n):
        for i in tf.range(n):
            pass
        return i

    return [pairs(tf.constant(2)), each(last, tf.constant(3), tf.constant(0))]


@case
def for_break_continue(tf):
    @tf.function
    def first_square(n, limit):
        result = -1
        for i in tf.range(n):
            if i % 2 == 1:
                continue
            if i * i > limit:
                result = i
                break
        return result

    @tf.function
    def stops(x):
        total = 0
        for value in x:
            if value < 0:
                break
            total += value
        return total

    return [
        first_square(tf.constant(50), tf.constant(60)),
        first_square(tf.constant(5), tf.constant(60)),
        stops(tf.constant([1, 2, -1, 5])),
        stops(tf.constant([1, 2])),
    ]


@case
def return_in_loops(tf):
    @tf.function
    def index_of(x, wanted):
        result = -1
        found = False
        for i in tf.range(tf.size(x)):
            if not found and x[i] == wanted:
                result = i
                found = True
        return result

    @tf.function
    def first(n):
        for i in tf.range(n):
            if True:
                return i * 2

    @tf.function
    def python_loop(n):
        for i in range(5):
            if i == 3:
                return n * i
        return n

    x = tf.constant([4, 7, 9, 7])
    return [
        index_of(x, tf.constant(7)),
        index_of(x, tf.constant(5)),
        first(tf.constant(4)),
        python_loop(tf.constant(4)),
    ]


@case
def nested_loops(tf):
    @tf.function
    def table(n, m):
        total = 0
        rows = 0
        for i in tf.range(n):
            inside = 0
            j = 0
            while j < m:
                j += 1
                if (i + j) % 3 == 0:
                    continue
                if inside > 20:
                    break
                inside += i * j
            total += inside
            if total > 100:
                break
            rows += 1
        return total, rows

    return [table(tf.constant(4), tf.constant(5)), table(tf.constant(20), tf.constant(9))]


@case
def sieve(tf):
    @tf.function
    def primes(n):
        composite = tf.zeros([n], tf.bool)
        count = 0
        for i in tf.range(2, n):
            if not composite[i]:
                count += 1
                for j in tf.range(i * i, n, i):
                    composite = tf.tensor_scatter_nd_update(composite, [[j]], [True])
        return count

    return each(primes, tf.constant(30), tf.constant(100))


@case
def variables_defined_in_loops(tf):
    @tf.function
    def last_value(n):
        for i in tf.range(n):
            y = i * 2
            parts = (y, [1.5, y + 1])
        return y, parts

    return last_value(tf.constant(4))


@case
def none_before_loops(tf):
    @tf.function
    def last_value(n):
        best = None
        while n > 0:
            best = n * 10
            n -= 1
        return best

    return last_value(tf.constant(3))


@case
def state_in_containers(tf):
    @tf.function
    def walked(n):
        d = {"a": 0, "b": (1, 2.0)}
        while n > 0:
            d["a"] += n
            d = {"a": d["a"], "b": (d["b"][0] + 1, d["b"][1] * 2)}
            n -= 1
        if n > -1:
            d["a"] = d["a"] + 100
        return d

    return each(walked, tf.constant(3), tf.constant(-3))


@case
def state_in_attributes(tf):
    class Counter:
        def __init__(self):
            self.total = tf.constant(0)
            self.calls = 0

        def add(self, n):
            self.calls += 1
            for i in tf.range(n):
                self.total += i
                if i > 2:
                    self.total += 100
            return self.total

    @tf.function
    def run(n):
        counter = Counter()
        counter.add(n)
        return counter.add(n), counter.calls

    return each(run, tf.constant(2), tf.constant(5))


@case
def state_of_variables(tf):
    v = tf.Variable(3)
    w = tf.Variable(0.0)

    @tf.function
    def drained(step):
        while v > 0:
            v.assign_sub(1)
            w.assign_add(step)
        if w > 1.0:
            w.assign(-w)
        return v, w

    return [drained(tf.constant(0.5)), v.numpy(), w.numpy()]


@case
def shape_invariants(tf):
    @tf.function
    def doubled(n):
        x = tf.zeros([1])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(x, tf.TensorShape([None]))], maximum_iterations=2
            )
            x = tf.concat([x, x + tf.cast(i, tf.float32)], 0)
        return x

    @tf.function
    def collected(n):
        xs = tf.zeros([0, 2])
        k = 0
        while k < n:
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(xs, tf.TensorShape([None, 2]))]
            )
            xs = tf.concat([xs, [[float(1), 2.0]]], 0)
            k += 1
        return xs

    return [each(doubled, tf.constant(3), tf.constant(1)), collected(tf.constant(3))]


@case
def tensor_arrays(tf):
    @tf.function
    def squares(n):
        ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            ta = ta.write(i, i * i)
        return ta.stack(), len(ta)

    @tf.function
    def fibonacci(n):
        ta = tf.TensorArray(tf.int32, size=n, clear_after_read=False)
        ta = ta.write(0, 1)
        ta = ta.write(1, 1)
        for i in tf.range(2, n):
            ta = ta.write(i, ta.read(i - 1) + ta.read(i - 2))
        return ta.stack()

    return [squares(tf.constant(5)), fibonacci(tf.constant(10))]


@case
def gradients_of_loops(tf):
    @tf.function
    def power(x, n):
        y = tf.ones_like(x)
        for _ in tf.range(n):
            y *= x
        return y

    @tf.function
    def clipped(x):
        total = 0.0
        for value in x:
            if value > 0:
                total += value * value
            else:
                total += 3.0 * value
        return total

    x = tf.constant([2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = power(x, tf.constant(3))
        z = clipped(tf.stack([x[0], -x[1], x[1]]))
    return [y, tape.gradient(y, x), z, tape.gradient(z, x)]


@case
def calls(tf):
    def helper(x, scale=2, *more, bias=0):
        if x > 0:
            return x * scale + bias + len(more)
        return x - bias

    class Model:
        factor = 3

        def __call__(self, x):
            while x < 10:
                x = self.grow(x)
            return x

        def grow(self, x):
            return x * self.factor if x > 1 else x + 1

        @staticmethod
        def shrink(x):
            if x > 5:
                return x - 5
            return x

        @classmethod
        def make(cls, x):
            return cls().grow(x) if x > 0 else x

    def twice(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(function(x))

        return wrapper

    @twice
    def halved(x):
        if x > 1:
            return x // 2
        return x

    def recursive(x, depth):
        if depth == 0:
            return x
        if x > 0:
            x = x - depth
        return recursive(x, depth - 1)

    @tf.function
    def everything(x):
        model = Model()
        args, kwargs = [3], {"bias": 4}
        return (
            helper(x),
            helper(x, *args, 5, 6, **kwargs),
            functools.partial(helper, scale=10)(x),
            model(x),
            Model.shrink(x),
            Model.make(x),
            halved(x),
            recursive(x, 3),
            (lambda y: y + 1 if y > 0 else y)(x),
            [helper(x, k) for k in range(2)],
        )

    return each(everything, tf.constant(6), tf.constant(-2))


@case
def inner_functions(tf):
    @tf.function
    def outer(x):
        total = x

        def add(y):
            nonlocal total
            if y > 2:
                total = total + y
            return total

        first = add(1)
        second = add(5)
        return first, second, total

    return outer(tf.constant(10))


@case
def builtin_functions(tf):
    @tf.function
    def numbers(x):
        return (
            abs(x),
            float(x[0]),
            int(tf.cast(x[1], tf.float32) * 1.5),
            len(x),
            int(tf.strings.as_string(x[0])),
            float(tf.strings.as_string(x[0])),
            sorted(x),
            sorted(x, reverse=True),
            sorted(x, key=lambda value: -value),
            list(range(3)),
            max(3, 4),
            sum([1, 2]),
            [a + b for a, b in zip([1, 2], [3, 4])],
        )

    return numbers(tf.constant([-3, 1, 2]))


@case
def prints_once(tf):
    @tf.function
    def traced(n):
        if n > 2:
            print("first")
        else:
            print("second")
        for i in tf.range(n):
            print("range", i.shape)
        while n > 0:
            print("while")
            n -= 1
        return n

    @tf.function
    def retraced(n):
        for i in tf.range(n):
            print("twice")
            y = i
        return y

    text, results = printed(lambda: [traced(tf.constant(3)), traced(tf.constant(0))])
    return [text, results, printed(retraced, tf.constant(2))]


@case
def features(tf):
    feature = tf.autograph.experimental.Feature

    @tf.function(experimental_autograph_options=feature.EQUALITY_OPERATORS)
    def equal(x, y):
        return x == y, x != y, 3 == 3

    @tf.function(
        experimental_autograph_options=(feature.ASSERT_STATEMENTS, feature.BUILTIN_FUNCTIONS)
    )
    def checked(n):
        assert n > 0, "positive"
        print(n, "text", sep="|")
        return n

    x = tf.constant([1, 2])
    return [equal(x, tf.constant([1, 3])), printed(checked, tf.constant(4))]


@case
def unconverted_functions(tf):
    @tf.autograph.experimental.do_not_convert
    def plain(x, flag):
        return x if flag else -x

    namespace = {}
    exec("def made(x): return [x + k for k in range(2)]", namespace)

    def generator(n):
        for k in range(n):
            yield k * 2

    @tf.function
    def run(x):
        return plain(x, True), namespace["made"](x), [x * k for k in generator(3)]

    return run(tf.constant(3))


@case
def python_semantics(tf):
    @tf.function
    def caught(n):
        try:
            if n > 0:
                value = 1
        except ValueError:
            return "caught"
        names = sorted(name for name in ("b", "a"))
        with contextlib.suppress(KeyError):
            {}["missing"]
        return names, n + 1, "tf" in globals()

    @tf.function
    def deleted(n):
        y = n + 1
        z = y * 2
        del y
        y = z
        y += 1
        first, *rest = [y, z, n]
        return first, rest

    return [caught(tf.constant(2)), deleted(tf.constant(2))]


@case
def datasets(tf):
    numbers = tf.data.Dataset.range(10)

    @tf.function
    def summed():
        total = tf.constant(0, tf.int64)
        for i, x in enumerate(numbers):
            if x > 5:
                break
            if x == 2:
                continue
            total += x * i
        return total

    @tf.function
    def together():
        total = tf.constant(0, tf.int64)
        for a, b in zip(numbers, numbers.map(lambda v: v + 1)):
            total += a * b
        return total, any(numbers.map(lambda x: x > 3)), all(numbers.map(lambda x: x > 3))

    @tf.function
    def counted(dataset):
        count = 0
        last = tf.constant(-1, tf.int64)
        for batch in dataset:
            count += tf.size(batch)
            last = batch[-1]
        return count, last

    results = [summed(), summed(), together(), len(numbers)]
    return [*results, counted(numbers.batch(4)), counted(numbers.take(0).batch(4))]


@case
def dataset_iterators(tf):
    iterator = iter(tf.data.Dataset.range(5))

    @tf.function
    def some(limit):
        total = tf.constant(0, tf.int64)
        for x in iterator:
            total += x
            if total > limit:
                break
        return total

    return [some(tf.constant(2, tf.int64)), next(iterator), some(tf.constant(99, tf.int64))]


@case
def ragged_rows(tf):
    @tf.function
    def summed(ragged):
        total = 0
        longest = 0
        for row in ragged:
            total += tf.reduce_sum(row)
            if tf.size(row) > longest:
                longest = tf.size(row)
        return total, longest

    return summed(tf.ragged.constant([[1, 2], [3], []]))


@case
def composite_state(tf):
    @tf.function
    def grown(ragged, n):
        for _ in tf.range(n):
            ragged = ragged * 2
        return ragged.values, ragged.row_splits

    return grown(tf.ragged.constant([[1, 2], [3], []]), tf.constant(3))


@case
def strings(tf):
    @tf.function
    def repeated(n):
        text = "a"
        for i in tf.range(n):
            text = text + "b"
        return text

    return each(repeated, tf.constant(3), tf.constant(0))


@case
def dynamic_rnn(tf):
    w = tf.constant(np.linspace(-0.5, 0.5, 12, dtype=np.float32).reshape(4, 3))
    u = tf.constant(np.linspace(-0.4, 0.4, 9, dtype=np.float32).reshape(3, 3))

    @tf.function(input_signature=[tf.TensorSpec([None, None, 4]), tf.TensorSpec([None], tf.int32)])
    def rnn(x, lengths):
        batch = tf.shape(x)[0]
        steps = tf.shape(x)[1]
        state = tf.zeros([batch, 3])
        outputs = tf.TensorArray(tf.float32, size=steps)
        inputs = tf.transpose(x, [1, 0, 2])
        for t in tf.range(steps):
            new = tf.tanh(inputs[t] @ w + state @ u)
            keep = tf.expand_dims(t < lengths, 1)
            state = tf.where(keep, new, state)
            outputs = outputs.write(t, tf.where(keep, new, 0.0))
        return tf.transpose(outputs.stack(), [1, 0, 2]), state

    x = tf.constant(np.sin(np.arange(40, dtype=np.float32)).reshape(2, 5, 4))
    return rnn(x, tf.constant([3, 5]))


@case
def beam_search(tf):
    scores = tf.constant(np.cos(np.arange(25, dtype=np.float32) * 1.7).reshape(5, 5))

    @tf.function
    def search(width, steps):
        beams = tf.fill([width, 1], 0)
        total = tf.concat([[0.0], tf.fill([width - 1], -1e9)], 0)
        done = tf.zeros([width], tf.bool)
        for step in tf.range(steps):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[
                    (beams, tf.TensorShape([None, None])),
                    (total, tf.TensorShape([None])),
                    (done, tf.TensorShape([None])),
                ]
            )
            following = tf.gather(scores, beams[:, -1])
            following = tf.where(done[:, tf.newaxis], -10.0, following)
            candidates = tf.reshape(total[:, tf.newaxis] + following, [-1])
            total, index = tf.math.top_k(candidates, width)
            parents, tokens = index // 5, index % 5
            beams = tf.concat([tf.gather(beams, parents), tokens[:, tf.newaxis]], 1)
            done = tf.logical_or(tf.gather(done, parents), tokens == 4)
            if tf.reduce_all(done):
                break
        return beams, total

    return [search(tf.constant(3), tf.constant(4)), search(tf.constant(2), tf.constant(6))]


@case
def rollout(tf):
    policy = tf.constant([[0.2, -0.1], [0.05, 0.3]])

    @tf.function
    def episode(state, limit):
        rewards = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        steps = 0
        alive = True
        while alive and steps < limit:
            action = tf.argmax(tf.linalg.matvec(policy, state))
            if action == 0:
                state = state + [0.5, -0.25]
            else:
                state = state * [-0.9, 1.1]
            reward = tf.reduce_sum(state)
            rewards = rewards.write(steps, reward)
            steps += 1
            if tf.norm(state) > 3.0:
                alive = False
        values = rewards.stack()
        returns = tf.TensorArray(tf.float32, steps)
        discounted = 0.0
        for t in tf.range(steps - 1, -1, -1):
            discounted = values[t] + 0.9 * discounted
            returns = returns.write(t, discounted)
        return returns.stack(), state, alive

    return [episode(tf.constant([1.0, 0.5]), tf.constant(n)) for n in (1, 4, 30)]


@case
def adaptive_ode(tf):
    def slope(t, y):
        return -2.0 * y + t

    @tf.function
    def solve(y, end, tolerance):
        t, h = 0.0, 0.1
        rejected = 0
        while t < end:
            if t + h > end:
                h = end - t
            k1 = slope(t, y)
            k2 = slope(t + h, y + h * k1)
            error = tf.abs(h * (k2 - k1) / 2.0)
            if error > tolerance:
                h = h * 0.5
                rejected += 1
                continue
            y = y + h * (k1 + k2) / 2.0
            t = t + h
            h = tf.minimum(h * 1.5, 0.2)
        return t, y, rejected

    return solve(tf.constant(1.0), tf.constant(1.0), tf.constant(1e-2))


@case
def leapfrog(tf):
    def energy(q):
        return tf.reduce_sum(q**4 / 4.0 - q**2 / 2.0)

    def force(q):
        with tf.GradientTape() as tape:
            tape.watch(q)
            value = energy(q)
        return -tape.gradient(value, q)

    @tf.function
    def trajectory(q, p, steps, epsilon):
        p = p + 0.5 * epsilon * force(q)
        for i in tf.range(steps):
            q = q + epsilon * p
            if i < steps - 1:
                p = p + epsilon * force(q)
        p = p + 0.5 * epsilon * force(q)
        accepted = q if energy(q) < 10.0 else q * 0.0
        return accepted, p

    q = tf.constant([0.3, -0.7])
    return trajectory(q, tf.constant([0.5, 0.1]), tf.constant(5), tf.constant(0.1))


@case
def newton(tf):
    @tf.function
    def root(c):
        x = c
        for i in tf.range(50):
            following = 0.5 * (x + c / x)
            if tf.abs(following - x) < 1e-6:
                break
            x = following
        return x, i < 20

    return each(root, tf.constant(2.0), tf.constant(81.0))


@case
def fizzbuzz(tf):
    @tf.function
    def words(limit):
        result = tf.TensorArray(tf.string, size=limit)
        for n in tf.range(1, limit + 1):
            if n % 15 == 0:
                word = "fizzbuzz"
            elif n % 3 == 0:
                word = "fizz"
            elif n % 5 == 0:
                word = "buzz"
            else:
                word = tf.strings.as_string(n)
            result = result.write(n - 1, word)
        return result.stack()

    return words(tf.constant(15))


@case
def bisection_with_methods(tf):
    class Solver:
        def __init__(self):
            self.low, self.high = tf.constant(0.0), tf.constant(4.0)
            self.steps = 0

        def middle(self):
            return (self.low + self.high) / 2.0

        def solve(self, function):
            while self.high - self.low > 1e-3:
                if function(self.middle()) > 0:
                    self.high = self.middle()
                else:
                    self.low = self.middle()
                self.steps += 1
            return self.middle(), self.steps

    @tf.function
    def solve(target):
        return Solver().solve(lambda x: x * x - target)

    return each(solve, tf.constant(2.0), tf.constant(9.0))


@case
def converted_by_hand(tf):
    def sign(x, scale=2):
        """Says which."""
        if x > 0:
            return scale
        return -scale

    converted = tf.autograph.to_graph(sign)
    return [
        converted(3),
        converted(-3, scale=5),
        converted.__name__,
        converted.__doc__,
        tf.autograph.to_code(lambda x: x if x > 1 else -x),
        tf.function(converted, autograph=False)(tf.constant(4)),
    ]
