"""Layers, metrics and others of which a file says one huge number: none takes seconds or gigabytes."""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import operator
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import eagerflow as tf
import layer_cases
from peak_memory import data_bytes, forget_peak, peak

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and Linux's limits")

HUGE = (1 << 30, (1 << 62) + 1)
SECONDS, MEMORY = 2, 500 << 20
# What says that a number is not taken.
REFUSALS = (
    *(ValueError, TypeError, IndexError, NotImplementedError, OverflowError),
    tf.errors.OpError,
)


def changed(value: Any, huge: int) -> Iterator[tuple[str, Any]]:
    """The copies of a configuration with one whole number replaced, each with that number's path."""
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield "", huge
    if isinstance(value, dict | list | tuple):
        for key in value if isinstance(value, dict) else range(len(value)):
            for path, other in changed(value[key], huge):
                made = list(value) if isinstance(value, tuple) else copy.copy(value)
                made[key] = other
                yield f"{key}.{path}", type(value)(made) if isinstance(value, tuple) else made


def answer(use: Callable[[], object]) -> str:
    """What is wrong with a call, or an empty text."""
    forget_peak()
    begin, before = time.process_time(), peak()
    found = ""
    try:
        use()
    except REFUSALS as error:
        found = "" if str(error) else f"{type(error).__name__} says nothing"
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    if time.process_time() - begin > SECONDS:
        found += f" {time.process_time() - begin:.1f} s"
    if peak() - before > MEMORY:
        found += f" {(peak() - before) >> 20} MB"
    return found


def in_a_child(use: Callable[[], object]) -> str:
    """The answer of a forked process, which may be killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 2 * SECONDS,) * 2)
            # Weights of the size that a number says are refused where they are allocated.
            resource.setrlimit(resource.RLIMIT_DATA, (data_bytes() + 2 * MEMORY,) * 2)
            os.write(writer, answer(use).encode()[:1000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        found = file.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return found


def wrong_numbers(thing: Any, use: Callable[[Any], object], seen: set) -> Iterator[str]:
    """What is wrong with an object like this whose configuration has a huge number."""
    kind = type(thing)
    for huge in HUGE:
        for path, config in changed(thing.get_config(), huge):
            if (kind, path, huge) not in seen:
                seen.add((kind, path, huge))
                found = in_a_child(lambda config=config: use(kind.from_config(config)))
                if found:
                    yield f"{kind.__name__} {path[:-1]}={huge}: {found}"


@pytest.mark.parametrize("family", layer_cases.FAMILIES)
def test_layers(family: str) -> None:
    wrong, seen = [], set()
    for case in importlib.import_module(f"layer_cases.{family}").CASES:
        layer = case.make(tf.keras.layers)

        def use(other: Any, case: layer_cases.Case = case) -> None:
            other(case.packed([tf.constant(a) for a in case.arrays]), **case.arguments(tf))

        if case.config:
            use(layer)
            wrong += wrong_numbers(layer, use, seen)
    assert seen or family in ("merging", "noise")
    assert not wrong, "\n" + "\n".join(wrong)


def update(metric: Any) -> None:
    metric.update_state([0, 1], [0.2, 0.7])
    metric.result()


def step(optimizer: Any) -> None:
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), tf.Variable([1.0, 2.0]))])


USES: dict[str, Callable[[Any], object]] = {
    "metrics": update,
    "losses": lambda loss: loss([[0.0, 1.0]], [[0.2, 0.7]]),
    "optimizers": step,
    "optimizers.schedules": lambda schedule: schedule(3),
    "initializers": lambda initializer: initializer([3, 3]),
    "regularizers": lambda regularizer: regularizer(tf.ones([3, 3])),
    "constraints": lambda constraint: constraint(tf.ones([3, 3])),
}


def made(cls: type) -> Any:
    """An object; None if its arguments are not guessed."""
    needed = [p for p in inspect.signature(cls).parameters.values() if p.default is p.empty]
    for value in (2, 0.5):
        with contextlib.suppress(TypeError, ValueError):
            return cls(*[value for p in needed if p.kind is p.POSITIONAL_OR_KEYWORD])
    return None


@pytest.mark.parametrize("namespace", USES)
def test_other_objects(namespace: str) -> None:
    wrong, seen = [], set()
    classes = operator.attrgetter(namespace)(tf.keras)
    for name in dir(classes):
        cls = getattr(classes, name)
        if not inspect.isclass(cls) or not hasattr(cls, "get_config"):
            continue
        thing = made(cls)
        with contextlib.suppress(NotImplementedError):
            if thing is not None:
                wrong += wrong_numbers(thing, USES[namespace], seen)
    assert seen or namespace == "regularizers"
    assert not wrong, "\n" + "\n".join(wrong)
