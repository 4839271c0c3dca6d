"""tf.__internal__.test.combinations: tests that run once for each combination of parameters."""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import types
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.config import devices
from eagerflow.framework import context
from eagerflow.graph.graph import Graph

__all__ = [
    "NamedObject",
    "OptionalParameter",
    "ParameterModifier",
    "TestCombination",
    "combine",
    "env",
    "generate",
    "set_virtual_cpus_to_at_least",
    "times",
]


class NamedObject:
    """A value with a name, which names of tests show.

    Args:
        name: the name.
        obj: the value; its attributes and calls are the object's.
    """

    def __init__(self, name: str, obj: Any) -> None:
        self._name = name
        self._obj = obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


class ParameterModifier:
    """What takes part in the arguments of tests: nothing, unless a subclass changes them.

    Args:
        parameter_name: the parameter that it is about.
    """

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name: str | None = None) -> None:
        self._parameter_name = parameter_name

    def modified_arguments(
        self, kwargs: dict[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        """The arguments that replace or join those of a combination."""
        return {}


class OptionalParameter(ParameterModifier):
    """Leaves an argument out for tests without the parameter."""

    def modified_arguments(
        self, kwargs: dict[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        """The mark that the argument is not passed, or nothing."""
        if self._parameter_name in requested_parameters:
            return {}
        return {str(self._parameter_name): ParameterModifier.DO_NOT_PASS_TO_THE_TEST}


class TestCombination:
    """What takes part in how a combination is run."""

    __test__ = False

    def should_execute_combination(self, kwargs: dict[str, Any]) -> tuple[bool, str | None]:
        """Whether the combination is run, and why not."""
        return True, None

    def parameter_modifiers(self) -> list[ParameterModifier]:
        """What changes the arguments."""
        return []

    def context_managers(self, kwargs: dict[str, Any]) -> list[Any]:
        """The scopes in which the combination is run."""
        return []


class _Modes(TestCombination):
    """Runs a test eagerly or in a graph, as its argument `mode` says."""

    def context_managers(self, kwargs: dict[str, Any]) -> list[Any]:
        mode = kwargs.pop("mode", None)
        if mode == "eager":
            return [context.running_eagerly()]
        return [Graph().as_default()] if mode == "graph" else []

    def parameter_modifiers(self) -> list[ParameterModifier]:
        return [OptionalParameter("mode")]


def combine(**kwargs: Any) -> list[dict[str, Any]]:
    """All combinations of a value for each parameter.

    >>> from eagerflow_compat.internals import combinations
    >>> combinations.combine(x=[1, 2], y="a")
    [{'x': 1, 'y': 'a'}, {'x': 2, 'y': 'a'}]
    """
    lists = [value if isinstance(value, list) else [value] for _, value in sorted(kwargs.items())]
    return [dict(zip(sorted(kwargs), values, strict=True)) for values in itertools.product(*lists)]


def times(*combined: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All combinations of combinations.

    Raises:
        ValueError: if two give values to the same parameter.
    """
    result = []
    for parts in itertools.product(*combined):
        together: dict[str, Any] = {}
        for part in parts:
            if together.keys() & part.keys():
                raise ValueError(f"Parameters {together} and {part} have a name in common.")
            together |= part
        result.append(together)
    return result


def _name(combination: dict[str, Any]) -> str:
    parts = []
    for key, value in sorted(combination.items()):
        shown = getattr(value, "__name__", None) or str(value)
        parts += ["".join(filter(str.isalnum, text)) for text in (key, shown)]
    return "_".join(["", *parts])


def generate(
    combinations: list[dict[str, Any]], test_combinations: Sequence[TestCombination] = (_Modes(),)
) -> Callable[..., Any]:
    """A decorator of test methods, and of classes of tests: makes a test for each combination.

    Args:
        combinations: what `combine` or `times` returned.
        test_combinations: what takes part in running them.
    """

    def decorate(test: Any) -> Any:
        if isinstance(test, type):
            for name, method in list(vars(test).items()):
                # What parameterized has made of a method is none, and stays as it is.
                if name.startswith("test") and isinstance(method, types.FunctionType):
                    setattr(test, name, decorate(method))
            return _with_tests(test)
        # What it takes itself: what it wraps may be given its arguments by it.
        parameters = inspect.signature(test, follow_wrapped=False).parameters
        taken = list(parameters)[1:]
        takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())

        tests = {}
        for combination in combinations:
            run = functools.partial(_run, test, combination, test_combinations, taken, takes_all)
            tests[f"_test{_name(combination)}"] = _method(test, run)
        return _Tests(tests)

    return decorate


class _Tests:
    """The tests that a method has become; they take its place in the class."""

    def __init__(self, tests: dict[str, Any]) -> None:
        self.tests = tests

    def __set_name__(self, owner: type, name: str) -> None:
        for combination, test in self.tests.items():
            setattr(owner, name + combination, test)
        delattr(owner, name)


def _with_tests(cls: type) -> type:
    for name, value in list(vars(cls).items()):
        if isinstance(value, _Tests):
            value.__set_name__(cls, name)
    return cls


def _method(test: Callable[..., Any], run: Callable[[Any], None]) -> Callable[[Any], None]:
    @functools.wraps(test)
    def method(self: Any) -> None:
        run(self)

    del method.__wrapped__  # It would tell the test's parameters.
    return method


def _run(
    test: Callable[..., Any],
    combination: dict[str, Any],
    parts: Sequence[TestCombination],
    taken: list[str],
    takes_all: bool,
    self: Any,
) -> None:
    given = dict(combination)
    for part in parts:
        runs, reason = part.should_execute_combination(dict(given))
        if not runs:
            self.skipTest(reason or "not for this combination")
    with contextlib.ExitStack() as stack:
        for part in parts:
            for modifier in part.parameter_modifiers():
                given |= modifier.modified_arguments(dict(given), taken)
        passed = {
            k: v for k, v in given.items() if v is not OptionalParameter.DO_NOT_PASS_TO_THE_TEST
        }
        for part in parts:
            for manager in part.context_managers(dict(combination)):
                stack.enter_context(manager)
        if not takes_all:
            passed = {key: value for key, value in passed.items() if key in taken}
        test(self, **passed)


generate.keywords = {"test_combinations": (_Modes(),)}  # type: ignore[attr-defined]


class _Environment:
    tf_data_service_dispatcher = None


def env() -> _Environment:
    """What the process that runs the tests is part of: nothing."""
    return _Environment()


def set_virtual_cpus_to_at_least(num_virtual_cpus: int) -> None:
    """Divides the CPU into so many logical devices, unless it is divided into more.

    Args:
        num_virtual_cpus: how many, one or more.

    Raises:
        ValueError: if there are to be fewer than one.
        RuntimeError: if devices have been used, and there are fewer.
    """
    if num_virtual_cpus < 1:
        raise ValueError(f"`num_virtual_cpus` must be at least 1, got {num_virtual_cpus}.")
    cpu = devices.list_physical_devices("CPU")[0]
    parts = devices.get_logical_device_configuration(cpu) or []
    if len(parts) < num_virtual_cpus:
        part = devices.LogicalDeviceConfiguration()
        devices.set_logical_device_configuration(cpu, [part] * num_virtual_cpus)
