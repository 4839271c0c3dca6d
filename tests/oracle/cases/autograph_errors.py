"""Functions that cannot be traced: variables of branches and loops that disagree, and other mistakes.

Messages name the line of the program; its number is the only thing in them that is not asked for.
"""

from oracle.registry import errors

PROGRAMS = {}


def wrong(*words):
    """Registers a program that must raise with these words in its message."""

    def decorate(program):
        PROGRAMS[program.__name__.replace("_", " ")] = (program, ("in user code:", *words))
        return program

    return decorate


@wrong("if n > 0:", "'y' must also be initialized in the else branch", "ValueError")
def missing_in_else(tf):
    @tf.function
    def f(n):
        if n > 0:
            y = 1
        return y

    f(tf.constant(3))


@wrong("'y' must also be initialized in the main branch")
def missing_in_main(tf):
    @tf.function
    def f(n):
        if n > 0:
            pass
        else:
            y = 1
        return y

    f(tf.constant(3))


@wrong("'y' is None at the end of the else branch.")
def none_in_else(tf):
    @tf.function
    def f(n):
        y = None
        if n > 0:
            y = 1
        return y

    f(tf.constant(3))


@wrong("'y' is None at the end of the main branch.")
def none_in_main(tf):
    @tf.function
    def f(n):
        y = 1
        if n > 0:
            y = None
        return y

    f(tf.constant(3))


@wrong("'n > 0' is None at the end of the else branch.")
def none_in_expression(tf):
    @tf.function
    def f(n):
        return 1 if n > 0 else None

    f(tf.constant(3))


@wrong("the else branch must also have a return statement.")
def return_in_one_branch(tf):
    @tf.function
    def f(n):
        if n > 0:
            return 1

    f(tf.constant(3))


@wrong("'y' has dtype int32 in the main branch, but dtype float32 in the else branch", "TypeError")
def dtypes_of_branches(tf):
    @tf.function
    def f(n):
        if n > 0:
            y = 1
        else:
            y = 2.0
        return y

    f(tf.constant(3))


@wrong("'n > 0' has dtype int32 in the main branch, but dtype float32 in the else branch")
def dtypes_of_expressions(tf):
    @tf.function
    def f(n):
        return 1 if n > 0 else 2.0

    f(tf.constant(3))


@wrong("'y' must have the same nested structure in the main and else branches:", "[1, 2]")
def structures_of_branches(tf):
    @tf.function
    def f(n):
        if n > 0:
            y = [1]
        else:
            y = [1, 2]
        return y

    f(tf.constant(3))


@wrong("'y' must have the same nested structure in the main and else branches:", "'a'", "'b'")
def keys_of_branches(tf):
    @tf.function
    def f(n):
        if n > 0:
            y = {"a": 1}
        else:
            y = {"b": 1}
        return y

    f(tf.constant(3))


@wrong("'d['a']' must also be initialized in the else branch")
def element_in_one_branch(tf):
    @tf.function
    def f(n):
        d = {}
        if n > 0:
            d["a"] = n
        return d["a"]

    f(tf.constant(3))


@wrong("'thing.x' must also be initialized in the else branch")
def attribute_in_one_branch(tf):
    class Thing:
        pass

    thing = Thing()

    @tf.function
    def f(n):
        if n > 0:
            thing.x = n
        return n

    f(tf.constant(3))


@wrong("condition of if statement expected to be `tf.bool` scalar", "int32", "`tf.cast`")
def number_as_condition(tf):
    @tf.function
    def f(n):
        if n:
            return 1
        return 2

    f(tf.constant(3))


@wrong("condition of if statement expected to be `tf.bool` scalar", "(2,)", "`is not None`")
def vector_as_condition(tf):
    @tf.function
    def f(n):
        if n > 0:
            return 1
        return 2

    f(tf.constant([3, 4]))


@wrong("condition of while loop expected to be `tf.bool` scalar", "int32", "`tf.cast`")
def number_as_loop_condition(tf):
    @tf.function
    def f(n):
        while n:
            n -= 1
        return n

    f(tf.constant(3))


@wrong("true_fn and false_fn", "int32", "bool")
def number_in_and(tf):
    @tf.function
    def f(n):
        return n > 0 and n

    f(tf.constant(3))


@wrong("while n > 0:", "'z' must be defined before the loop", "'z' must also be initialized in the")
def missing_before_loop(tf):
    @tf.function
    def f(n):
        while n > 0:
            y = n
            n -= 1
            if n > 2:
                z = y
        return z

    f(tf.constant(3))


@wrong("'x' is not allowed to be None before the loop")
def none_before_loop(tf):
    @tf.function
    def f(n):
        x = None
        while n > 0:
            x = None
            n -= 1
        return x

    f(tf.constant(3))


@wrong("'x' is None at the end of the iteration.")
def none_after_iteration(tf):
    @tf.function
    def f(n):
        x = 1
        while n > 0:
            x = None
            n -= 1
        return x

    f(tf.constant(3))


@wrong("'x' has dtype int32 before the loop, but dtype float32 after one iteration", "TypeError")
def dtype_of_loop(tf):
    @tf.function
    def f(n):
        x = 0
        while n > 0:
            x = 1.5
            n -= 1
        return x

    f(tf.constant(3))


@wrong(
    "'x' has shape () before the loop, but shape (1,) after one iteration.",
    "Use tf.autograph.experimental.set_loop_options to set shape invariants.",
)
def shape_of_loop(tf):
    @tf.function
    def f(n):
        x = tf.zeros([])
        while n > 0:
            x = tf.reshape(x, [1])
            n -= 1
        return x

    f(tf.constant(3))


@wrong("for i in tf.range(n):", "'x' has shape (1,) before the loop, but shape (2,) after")
def growing_in_loop(tf):
    @tf.function
    def f(n):
        x = tf.zeros([1])
        for i in tf.range(n):
            x = tf.concat([x, x], 0)
        return x

    f(tf.constant(3))


@wrong("'x' has shape (1,) before the loop, which does not conform with the shape invariant (2,).")
def invariant_before_loop(tf):
    @tf.function
    def f(n):
        x = tf.zeros([1])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([2]))])
            x = tf.concat([x, x], 0)
        return x

    f(tf.constant(3))


@wrong(
    "'x' has shape (2,) after one iteration, which does not conform with the shape invariant (1,)."
)
def invariant_after_iteration(tf):
    @tf.function
    def f(n):
        x = tf.zeros([1])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([1]))])
            x = tf.concat([x, x], 0)
        return x

    f(tf.constant(3))


@wrong("'x' does not have the same nested structure after one iteration.")
def structure_of_loop(tf):
    @tf.function
    def f(n):
        x = [1]
        while n > 0:
            x = x + [1]
            n -= 1
        return x

    f(tf.constant(3))


@wrong("a return statement cannot be placed inside this TensorFlow loop")
def return_in_loop(tf):
    @tf.function
    def f(n):
        for i in tf.range(n):
            if i > 1:
                return i
        return -1

    f(tf.constant(3))


@wrong("break and return statements which depend on a TF condition are not supported in Python")
def break_of_python_loop(tf):
    @tf.function
    def f(n):
        x = 0
        for i in range(5):
            x += i
            if n > 2:
                break
        return x

    f(tf.constant(3))


@wrong("The condition of while loop started as non-Tensor, then changed to Tensor.")
def condition_becomes_tensor(tf):
    @tf.function
    def f(n):
        x = 0
        while x < 5:
            x = n
        return x

    f(tf.constant(3))


@wrong("len requires a non-scalar tensor")
def loop_over_scalar(tf):
    @tf.function
    def f(n):
        for i in n:
            tf.print(i)
        return 0

    f(tf.constant(3))


@wrong("return [i for i in tf.range(n)]", "symbolic")
def comprehension_over_tensor(tf):
    @tf.function
    def f(n):
        return [i for i in tf.range(n)]

    f(tf.constant(3))


@wrong("symbolic", "as a Python `bool`")
def comprehension_by_tensor(tf):
    @tf.function
    def f(n):
        return [i for i in range(5) if n > i]

    f(tf.constant(3))


@wrong("return g(n)", "if n > 0: return 1", "as a Python `bool`")
def unconverted_function(tf):
    @tf.autograph.experimental.do_not_convert
    def g(n):
        if n > 0: return 1  # fmt: skip  # noqa: E701
        return 2

    @tf.function
    def f(n):
        return g(n)

    f(tf.constant(3))


@wrong("'x' is used before assignment")
def unbound_variable(tf):
    @tf.function
    def f(n):
        if False:
            x = 1
        return x

    f(tf.constant(3))


@wrong("n = layer(n)", "return helper(x)", "return tf.matmul(x, tf.ones([3, 4]))", "[2,2]", "[3,4]")
def shapes_in_called_functions(tf):
    def helper(x):
        return tf.matmul(x, tf.ones([3, 4]))

    class Layer:
        def __call__(self, x):
            return helper(x)

    layer = Layer()

    @tf.function
    def f(n):
        for i in tf.range(2):
            if i > 1:
                n = layer(n)
        return n

    f(tf.ones([2, 2]))


@wrong("return {}['a']", "KeyError: 'a'")
def missing_key(tf):
    @tf.function
    def f(n):
        return {}['a']  # fmt: skip

    f(tf.constant(3))


@wrong('raise ValueError("wrong")', "ValueError: wrong")
def raised_by_program(tf):
    def inner(n):
        raise ValueError("wrong")

    @tf.function
    def f(n):
        return inner(n)

    f(tf.constant(3))


@wrong("InvalidArgumentError: bad")
def raised_like_operations(tf):
    @tf.function
    def f(n):
        raise tf.errors.InvalidArgumentError(None, None, "bad")

    f(tf.constant(3))


@wrong("Input 'y' of 'AddV2' Op has type float32 that does not match type int32", "x = x + 1.5")
def dtypes_in_loop(tf):
    @tf.function
    def f(n):
        x = 0
        while n > 0:
            x = x + 1.5
            n -= 1
        return x

    f(tf.constant(3))


errors("autograph_errors", "trace", PROGRAMS)


def loops_without_iterations(tf):
    @tf.function
    def f(n):
        for i in tf.range(n):
            y = i * 2
        return y

    f(tf.constant(0))


def failed_assertions(tf):
    features = tf.autograph.experimental.Feature.ASSERT_STATEMENTS

    @tf.function(experimental_autograph_options=features)
    def f(n):
        assert n > 3, "hello"
        return n

    f(tf.constant(0))


def assertions_without_the_feature(tf):
    @tf.function
    def f(n):
        assert n > 3, "hello"
        return n

    f(tf.constant(0))


def functions_that_are_not_converted(tf):
    @tf.function(autograph=False)
    def f(n):
        if n > 0:
            return 1
        return 2

    f(tf.constant(0))


def functions_without_source(tf):
    namespace = {}
    exec("def f(n):\n    return 1 if n > 0 else 2", namespace)
    tf.function(namespace["f"])(tf.constant(3))


errors(
    "autograph_errors",
    "run",
    {
        "no iteration": (loops_without_iterations, ["loop must iterate at least once to", "y"]),
        "assert": (failed_assertions, ["assertion failed", "hello"]),
        "assert without feature": (assertions_without_the_feature, ["Python `bool`"]),
        "not converted": (functions_that_are_not_converted, ["Python `bool`"]),
        "no source": (functions_without_source, ["Python `bool`"]),
    },
)
errors(
    "autograph_errors",
    "convert",
    {
        "number": (lambda tf: tf.autograph.to_graph(3), ["3", "__code__", "python_function"]),
        "builtin": (lambda tf: tf.autograph.to_code(len), ["__code__"]),
        "function": (lambda tf: tf.autograph.to_code(tf.function(len)), ["__code__"]),
    },
)
