"""Dispatchers that are asked about calls which raise: those of one function, and of all."""

import pytest

import eagerflow as tf
from eagerflow.experimental import fallback_dispatch
from eagerflow.experimental.fallback_dispatch import GlobalOpDispatcher, OpDispatcher


class Boxed:
    def __init__(self, value):
        self.value = value


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch):
    monkeypatch.setattr(fallback_dispatch, "_of_function", {})
    monkeypatch.setattr(fallback_dispatch, "_of_all", [])


def test_a_dispatcher_of_all_functions_replaces_failed_calls():
    calls = []

    class Unboxing(GlobalOpDispatcher):
        def handle(self, op, args, kwargs):
            calls.append((op, kwargs))
            if not any(isinstance(value, Boxed) for value in args):
                return self.NOT_SUPPORTED
            return Boxed(op(*[getattr(value, "value", value) for value in args], **kwargs))

    Unboxing().register()
    assert tf.add(1.0, 2.0).numpy() == 3.0 and not calls
    assert tf.add(Boxed(1.0), 2.0, name="n").value.numpy() == 3.0
    assert calls[-1] == (tf.add, {"name": "n"})
    assert tf.linalg.normalize(Boxed([3.0, 4.0])).value[1].numpy() == 5.0  # composed in Python
    with pytest.raises(ValueError, match="object"):
        tf.add(object(), 2.0)


def test_dispatchers_of_all_functions_get_the_public_one():
    asked = []

    class Noting(GlobalOpDispatcher):
        def handle(self, op, args, kwargs):
            asked.append(op)
            return Boxed(None)

    Noting().register()
    # Written in Python around operations of the same name, which no program calls by themselves.
    tf.cast(Boxed(1.0), tf.int32)
    tf.one_hot(Boxed(1), 3)
    tf.concat([Boxed(1.0), Boxed(2.0)], 0)
    tf.stack([Boxed(1.0)])
    assert asked == [tf.cast, tf.one_hot, tf.concat, tf.stack]


def test_a_dispatcher_of_one_function_goes_before_those_of_all():
    class Anything(GlobalOpDispatcher):
        def handle(self, op, args, kwargs):
            return "all"

    class OfExp(OpDispatcher):
        def handle(self, args, kwargs):
            return "exp" if isinstance(args[0], Boxed) else self.NOT_SUPPORTED

    OfExp().register(tf.exp)
    Anything().register()
    assert tf.exp(Boxed(1)) == "exp" and tf.sin(Boxed(1)) == "all" and tf.exp(object()) == "all"


def test_a_function_for_types_replaces_failed_calls_with_them():
    @fallback_dispatch.dispatch_for_types(tf.concat, Boxed)
    def concat(values, axis, name="concat"):
        return [value.value for value in values]

    assert tf.concat([Boxed(1), Boxed(2)], 0) == [1, 2]
    with pytest.raises(ValueError):
        tf.concat([object()], 0)


def test_the_error_of_a_dispatcher_is_raised():
    class Failing(GlobalOpDispatcher):
        def handle(self, op, args, kwargs):
            raise RuntimeError("in the dispatcher")

    Failing().register()
    with pytest.raises(RuntimeError, match="in the dispatcher"):
        tf.exp(Boxed(1))
    with pytest.raises(tf.errors.InvalidArgumentError):  # neither a TypeError nor a ValueError
        tf.reshape([1, 2], [3])


def test_only_functions_of_the_package_have_dispatchers():
    with pytest.raises(ValueError, match="does not support dispatch"):
        OpDispatcher().register(len)
