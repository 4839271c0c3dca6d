"""Functions are converted once, keep what they are, and run as they are where they cannot be converted."""

import functools
import gc
import importlib
import inspect
import logging
import subprocess
import sys
import traceback
import weakref

import pytest

import eagerflow as tf
from eagerflow.autograph import conversion, log, status, transpiler
from eagerflow.autograph.user_code import is_converted

LIBRARY_NAME = "eagerflow"


def converted(function):
    return tf.autograph.to_graph(function)


def sign(x, scale=2, *more, bias: int = 0, **options) -> int:
    """Says which."""
    if x > 0:
        return scale + bias
    return -scale + len(more) + len(options)


def test_arguments_name_and_docstring_are_kept():
    ours = converted(sign)
    assert ours(3) == 2 and ours(3, bias=4) == 6 and ours(-1, 5, 6, 7, a=1) == -2
    assert inspect.signature(ours) == inspect.signature(sign)
    assert ours.__name__ == "tf__sign" and ours.__doc__ == "Says which."


def test_closures_are_shared():
    count = 0

    def increase(n):
        nonlocal count
        while n > 0:
            count += 1
            n -= 1
        return count

    assert converted(increase)(3) == 3 and count == 3
    count = 10
    assert converted(increase)(1) == 11


def test_globals_are_looked_up_late(monkeypatch):
    def name(x):
        return LIBRARY_NAME if x > 0 else ""

    ours = converted(name)
    assert ours(1) == "eagerflow"
    monkeypatch.setitem(globals(), "LIBRARY_NAME", "other")
    assert ours(1) == "other"


def test_code_is_converted_once(monkeypatch):
    calls = []
    transpile = transpiler._transpile
    monkeypatch.setattr(
        transpiler, "_transpile", lambda *args: calls.append(args) or transpile(*args)
    )

    def make(k):
        def add(x):
            return x + k if x > 0 else x

        return add

    assert [converted(make(k))(1) for k in range(3)] == [1, 2, 3]
    assert len(calls) == 1


def test_converted_code_goes_with_its_function():
    namespace = {}
    source = "def f(x):\n    return 1 if x > 0 else 2\n"
    name = "<test_converted_code_goes>"
    import linecache

    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), namespace)
    assert converted(namespace["f"])(-1) == 2
    code = weakref.ref(namespace["f"].__code__)
    namespace.clear()
    gc.collect()
    assert code() is None


def test_code_of_lambdas_and_methods():
    pick = lambda x: x if x > 1 else -x  # noqa: E731
    assert tf.autograph.to_code(pick).startswith("tf__lam = lambda x: ag__.with_function_scope(")
    assert converted(pick)(-4) == 4

    class Shape:
        sides = 4

        def count(self, more=1):
            if more:
                return self.sides + more
            return self.sides

    ours = converted(Shape().count)
    assert ours(Shape(), 2) == 6 and ours(Shape(), 0) == 4


def test_conditional_expressions_inside_others():
    def grade(x):
        return 1 if x > 0 else 2 if x < -5 else (3 if x == 0 else 4)

    assert [converted(grade)(x) for x in (1, -9, 0, -1)] == [1, 2, 3, 4]
    assert "if x" not in tf.autograph.to_code(grade)


def test_functions_that_look_at_their_frame():
    class Base:
        def name(self):
            return "base"

    class Derived(Base):
        def name(self):
            if self:
                return super().name() + " of derived"
            return ""

    assert converted(Derived.name)(Derived()) == "base of derived"

    def look(n):
        if n:
            local = n + 1
            return eval("local + 1"), "local" in locals(), "sign" in globals()
        return None

    assert converted(look)(1) == (3, True, True)


def test_private_names():
    class _Box:
        __default = 4

        def __init__(self, size):
            self.__size = size

        def size(self, __more=0):
            class Other:
                __size = 10

                def size(self):
                    return self.__size

            if self.__size < 0:
                return Other().size()
            return self.__size + self.__default + __more

        def later(self):
            def inner():
                return self.__size if self.__size > 0 else 0

            return inner

    size = converted(_Box.size)
    assert size(_Box(3)) == 7 and size(_Box(3), 2) == 9 and size(_Box(-3)) == 10
    assert converted(_Box(5).later())() == 5


def test_else_of_loops():
    def found(items, wanted, log):
        for item in items:
            if item == wanted:
                break
            log.append(item)
        else:
            log.append("else")
        n = len(log)
        while n > 0:
            n -= 1
        else:
            log.append(n)
        for _ in items:
            for k in range(3):
                if k == 1:
                    continue
            else:
                log.append("inner")
                break
        else:
            log.append("never")
        return log

    for wanted in (1, 2, 3):
        assert converted(found)([1, 2], wanted, []) == found([1, 2], wanted, [])


def test_statements_that_are_not_converted_run_as_they_are(caplog):
    def named(item):
        match item:
            case 1:
                return "one"
        if item:
            return "many"
        return "none"

    with caplog.at_level(logging.WARNING, "eagerflow"):
        ours = conversion.convert(named)
        assert ours(1) == "one" and ours(2) == "many" and ours(0) == "none"
    assert len(caplog.records) == 1
    assert "could not transform" in caplog.text and "do_not_convert" in caplog.text
    with pytest.raises(Exception):  # noqa: B017  # malt's own
        converted(named)


def test_names_that_parts_assign_run_as_they_are(caplog):
    def branch(x, last=0):
        if x > 0:
            print(last := x)
        return last

    def conjunction(x):
        if (y := x + 1) > 0 and (z := x * 2) < 10:
            return y + z
        return x

    def loop(x):
        count = 0
        while (following := count + 1) < 4:
            count = following
        return x + following

    def choice(x):
        first = (second := 2) if x else 0
        return first + second

    def chain(x):
        return (0 < (y := x) < (z := 5), y, z)

    with caplog.at_level(logging.WARNING, "eagerflow"):
        for function in (branch, conjunction, loop, choice, chain):
            assert conversion.convert(function)(2) == function(2)
    assert caplog.text.count("`:=` is not supported") == 5


def test_names_that_a_test_assigns_are_converted(caplog):
    def scaled(x):
        if (total := tf.reduce_sum(x)) > 0:
            x = x / total
        return x, [y for y in (1, 2) if (square := y * y)], square

    shares, numbers, square = tf.function(scaled)(tf.constant([1.0, 3.0]))
    assert shares.numpy().tolist() == [0.25, 0.75] and int(square) == 4
    assert [int(n) for n in numbers] == [1, 2] and not caplog.records


def test_code_without_source_says_so(caplog):
    namespace = {}
    exec(compile("def f(x):\n    return x if x else 0\n", "<console>", "exec"), namespace)
    with pytest.raises(ValueError, match="Unable to locate the source code of <function f"):
        converted(namespace["f"])
    with caplog.at_level(logging.WARNING, "eagerflow"):
        assert conversion.convert(namespace["f"])(3) == 3
    assert "Unable to locate the source" in caplog.text


def test_choices_in_code_without_source_say_what_autograph_needs():
    namespace = {}
    exec(compile("def f(x):\n    return x if x > 0 else -x\n", "<stdin>", "exec"), namespace)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Python's prompt"):
        tf.function(namespace["f"])(tf.constant(1.0))


@pytest.mark.parametrize("thing", [3, len, int, tf.function(sign), tf.add, functools.partial(sign)])
def test_only_functions_are_converted(thing):
    for convert in (tf.autograph.to_graph, tf.autograph.to_code):
        with pytest.raises(Exception, match="__code__.*f.python_function"):
            convert(thing)


def test_generators_are_not_converted():
    def numbers(n):
        while n:
            yield n
            n -= 1

    def total(n):
        return sum(numbers(n))

    assert conversion.convert(total)(3) == 6
    assert list(conversion.convert(numbers)(2)) == [2, 1]
    with pytest.raises(NotImplementedError, match="generators"):
        converted(numbers)


@tf.autograph.experimental.do_not_convert
def names_of_callers():
    """The functions that are running, converted ones in capitals."""
    frames = inspect.stack()[1:]
    return [
        f.function.upper() if is_converted(f.frame.f_code) else f.function
        for f in frames
        if f.filename == __file__
    ]


class Thing:
    def __call__(self, x):
        return names_of_callers()

    def method(self):
        return names_of_callers()

    @classmethod
    def made(cls):
        return names_of_callers()

    @staticmethod
    def static():
        return names_of_callers()


@functools.lru_cache
def cached():
    return names_of_callers()


@tf.autograph.experimental.do_not_convert
def plain():
    return inside_plain()


def inside_plain():
    return names_of_callers()


def test_which_called_functions_are_converted():
    def call(function, *args):
        return function(*args)

    def first(function, *args):
        return conversion.convert(call)(function, *args)[0]

    thing = Thing()
    assert first(thing, 1) == "__CALL__"
    assert first(thing.method) == first(functools.partial(Thing.method, thing)) == "METHOD"
    assert first(Thing.made) == "MADE" and first(Thing.static) == "STATIC"
    assert first(cached) == "cached"
    assert conversion.convert(call)(plain)[:3] == ["inside_plain", "plain", "CALL"]
    not_recursive = tf.autograph.to_graph(call, recursive=False)
    assert not_recursive(thing.method)[:2] == ["method", "CALL"]


def test_libraries_run_as_they_are(monkeypatch):
    def use(model, x):
        return model(x), tf.image.per_image_standardization(x)

    class Model(tf.keras.Model):
        def call(self, x):
            return x

    model = Model()
    names = []
    transpile = transpiler._transpile
    monkeypatch.setattr(
        transpiler,
        "_transpile",
        lambda f, options: names.append(f.__name__) or transpile(f, options),
    )
    conversion.convert(use)(model, tf.ones([2, 2, 3]))
    assert "use" in names and set(names) <= {"use", "call"}


def test_methods_that_a_library_decorates_are_converted(tmp_path, monkeypatch):
    # A module of a package whose functions run as they are, unless they ask for their conversion.
    (tmp_path / "tensorflow_probability.py").write_text(
        "import eagerflow as tf\n"
        "class Counter:\n"
        "    def __init__(self):\n"
        "        self.begun = tf.Variable(False)\n"
        "    @tf.function\n"
        "    def step(self, x):\n"
        "        if not self.begun:\n"
        "            self.begun.assign(True)\n"
        "            x = x + 10\n"
        "        return x\n"
        "    def plain(self, x):\n"
        "        return 1 if x > 0 else 2\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    counter = importlib.import_module("tensorflow_probability").Counter()
    monkeypatch.delitem(sys.modules, "tensorflow_probability")
    assert [int(counter.step(tf.constant(1))) for _ in range(2)] == [11, 1]
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: counter.plain(x))(tf.constant(1))


def test_decorated_methods_keep_what_decorates_them():
    class Adder:
        @tf.function
        def add(self, x):
            return x + 1

    def doubled(function):
        @functools.wraps(function)
        def wrapper(*args):
            return 2 * function(*args)

        return wrapper

    adder = Adder()
    adder.add.experimental_get_tracing_count()
    adder.add._decorate(doubled)
    assert int(adder.add(tf.constant(1))) == 4


def test_status_decides_about_functions_that_libraries_call():
    def ask():
        return status.current(), names_of_callers()[0]

    def by_library():
        return conversion.convert_in_context(ask)()

    enabled, disabled = status.Status.ENABLED, status.Status.DISABLED
    assert by_library() == (enabled, "ASK")
    assert conversion.convert(by_library)() == (enabled, "ASK")
    assert tf.autograph.experimental.do_not_convert(by_library)() == (disabled, "ask")
    assert status.current() is status.Status.UNSPECIFIED


def test_functions_of_a_converted_function_are_converted_with_it():
    def outer():
        def inner():
            return names_of_callers()

        return inner(), (lambda: names_of_callers())()

    inner, anonymous = conversion.convert(outer)()
    assert inner[:2] == ["INNER", "OUTER"] and anonymous[:2] == ["OUTER", "OUTER"]


def test_tracebacks_show_the_program():
    def failing(n):
        while n > 0:
            n -= 1
            if n == 1:
                raise ValueError("one")  # here
        return n

    with pytest.raises(ValueError, match="one") as caught:
        conversion.convert(failing)(3)
    frames = [f for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
    lines = [f.line for f in frames]
    assert lines[-3:] == ["while n > 0:", "if n == 1:", 'raise ValueError("one")  # here']
    assert {f.name for f in frames[1:]} == {"failing"}


def test_reports(capsys, monkeypatch):
    def doubled(x):
        return x * 2

    monkeypatch.setattr(log._settings, "verbosity", None)
    monkeypatch.setattr(log._settings, "to_stdout", False)
    tf.autograph.set_verbosity(3, alsologtostdout=True)
    conversion.convert(doubled)(2)
    text = capsys.readouterr().out
    assert "def tf__doubled(x" in text and "Converted call of" in text
    tf.autograph.set_verbosity(0, True)
    conversion.convert(doubled)(2)
    tf.autograph.trace("a", 1)
    assert capsys.readouterr().out == "a 1\n"


def test_features_are_listed():
    feature = tf.autograph.experimental.Feature
    assert len(feature.all()) == 7
    assert set(feature.all_but(feature.LISTS)) == {*feature} - {feature.LISTS, feature.ALL}
    code = tf.autograph.to_code(lambda x: x == 1, experimental_optional_features=feature.ALL)
    assert "ag__.eq(" in code and "ag__.Feature.ALL" in code
    assert "ag__.eq(" not in tf.autograph.to_code(lambda x: x == 1)


def test_malt_is_imported_for_the_first_conversion_only():
    program = (
        "import sys, eagerflow as tf\n"
        "tf.autograph.experimental.do_not_convert(lambda: 1)()\n"
        "tf.keras.Sequential([tf.keras.layers.Dense(1)])(tf.ones([1, 2]))\n"
        "assert 'malt' not in sys.modules\n"
        "tf.autograph.to_graph(tf.test.TestCase.setUp)\n"
        "assert 'malt' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
