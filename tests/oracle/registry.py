"""How a case is declared: decorators that turn small functions and tables into named cases."""

from __future__ import annotations

import functools
import importlib
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

FAMILIES = (
    "elementwise",
    "reductions",
    "shapes",
    "indexing",
    "ragged",
    "ragged_ranks",
    "ragged_shapes",
    "structured_tensors",
    "sparse",
    "extension_types",
    "dispatch",
    "linalg",
    "linear_operators",
    "decompositions",
    "nn",
    "special",
    "quantization",
    "tables",
    "strings",
    "distributions",
    "random_variables",
    "neighbourhoods",
    "odd_arguments",
    "images",
    "sampling",
    "ctc",
    "signal",
    "loops",
    "autograph",
    "autograph_errors",
    "random",
    "random_in_functions",
    "tensors",
    "dtypes",
    "stored_dtypes",
    "variables",
    "tape",
    "module",
    "optimizers",
    "keras_losses",
    "keras_metrics",
    "data",
    "data_after_errors",
    "data_errors",
    "data_files",
    "keras_optimizers",
    "keras_models",
    "keras_utils",
    "keras_images",
    "keras3_ops",
    "keras3_images",
    "keras3_layers",
    "keras3_parts",
    "keras_composites",
    "keras_corners",
    "keras_experimental",
    "keras_inputs",
    "keras_preprocessing",
    "keras_parts",
    "keras_summaries",
    "feature_columns",
    "keras_feature_space",
    "errors",
    "partial_shapes",
    "partial_shapes_domains",
    "partial_shapes_composed",
    "unranked",
    "raw_ops",
    "raw_state",
    "surface",
    "system",
)


@dataclass(frozen=True)
class Case:
    """One program: `run(tf)` gives the result that is compared.

    `words` are what the error message must contain when the program is expected to raise;
    `may_raise` says that the type of an exception is an answer like any other; `sweep` marks a table
    of dtypes in which some combinations may be refused; `loose` multiplies the tolerances of the
    dtype, and 0 asks for equality. `better` says why static shapes tell more than TensorFlow's.
    """

    family: str
    name: str
    run: Callable[[Any], Any]
    loose: float = 1.0
    raises: bool = False
    words: tuple[str, ...] = ()
    sweep: bool = False
    may_raise: bool = False
    better: str = ""

    @property
    def id(self) -> str:
        """The name that a test report shows."""
        return f"{self.family}/{self.name}"


_cases: dict[str, dict[str, Case]] = {family: {} for family in FAMILIES}


def _register(case: Case) -> None:
    table = _cases[case.family]
    if case.name in table:
        raise ValueError(f"two cases are named {case.id}")
    table[case.name] = case


def _label(value: Any) -> str:
    if isinstance(value, tuple):
        return "x".join(map(str, value)) if value else "scalar"
    return str(value)


def _axis(values: Iterable[Any] | Mapping[str, Any]) -> list[tuple[str, Any]]:
    if isinstance(values, Mapping):
        return [(str(label), value) for label, value in values.items()]
    return [(_label(value), value) for value in values]


def case(
    function: Callable[..., Any] | None = None,
    *,
    loose: float = 1.0,
    sweep: bool = False,
    **axes: Iterable[Any] | Mapping[str, Any],
) -> Any:
    """Registers `function(tf, **arguments)`, once for every combination of the axes.

    An axis is an iterable of values, labelled by their string, or a mapping of labels to values.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        family = function.__module__.rsplit(".", 1)[-1]
        named = [_axis(values) for values in axes.values()]
        for combination in itertools.product(*named):
            arguments = dict(zip(axes, (value for _, value in combination), strict=True))
            suffix = "-".join(label for label, _ in combination)
            _register(
                Case(
                    family,
                    f"{function.__name__}[{suffix}]" if suffix else function.__name__,
                    functools.partial(function, **arguments),
                    loose=loose,
                    sweep=sweep,
                )
            )
        return function

    return decorate(function) if function is not None else decorate


def errors(
    family: str, group: str, table: Mapping[str, tuple[Callable[[Any], Any], Iterable[str]]]
) -> None:
    """Registers programs that must raise: label to (program, words the message must contain)."""
    for label, (program, words) in table.items():
        _register(Case(family, f"{group}[{label}]", program, raises=True, words=tuple(words)))


def expressions(
    family: str, lines: str, run: Callable[..., Any], *, loose: float = 1.0, better: str = ""
) -> None:
    """Registers `run(tf, expression=line)` for each line; expressions may raise."""
    for line in lines.strip().splitlines():
        program = functools.partial(run, expression=line)
        _register(Case(family, line, program, loose=loose, may_raise=True, better=better))


def load(family: str) -> dict[str, Case]:
    """The cases of a family by name."""
    importlib.import_module(f"oracle.cases.{family}")
    return _cases[family]
