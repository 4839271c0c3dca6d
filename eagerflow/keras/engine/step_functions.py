"""The functions that take an iterator over batches and make steps, traced or run by Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import naming
from eagerflow.keras.engine import step_replicas
from eagerflow.keras.engine.data_adapter import unpack_x_y_sample_weight
from eagerflow.util import lazy

# Imported when they are first used: models that only run eagerly need none of them.
functions = lazy.Module("eagerflow.functions.function")
iteration = lazy.Module("eagerflow.autograph.operators.iteration")
variables = lazy.Module("eagerflow.autograph.operators.variables")
array = lazy.Module("eagerflow.ops.array")

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

_ops = _core.ops


def traced(model: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a model as a tf.function, unless the model runs eagerly.

    It is traced once for each kind of batch.
    """
    if model.run_eagerly:
        return function
    return functions.Function(function, reduce_retracing=True)


def _compiled(model: Any, step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A step as one program if the model wants that; what the host has, such as data, stays outside."""
    if model.run_eagerly or not getattr(model, "jit_compile", None):
        return step

    def run_step(data: Any) -> Any:
        return step(data)

    return functions.Function(run_step, reduce_retracing=True, jit_compile=True)


def make_steps(model: Any, kind: str, counter: Any) -> Callable[..., Any]:
    """A function that takes an iterator over batches and makes one step, or several.

    Args:
        model: the model; its method for steps is looked up when one is made.
        kind: "train", "test" or "predict".
        counter: a variable that counts the steps.

    Returns:
        A function that returns what the last step returned; for "predict", the outputs of all of
        them.
    """
    one = _core.convert(1, "int64", None)
    step_name = f"{kind}_step"

    def of_replica(data: Any) -> Any:
        if _core.building() is None:
            return getattr(model, step_name)(data)
        with naming.apart():
            return getattr(model, step_name)(data)

    of_all = step_replicas.replicated(model, kind, _compiled(model, of_replica))

    def make_step(iterator: Any) -> Any:
        data = next(iterator)
        if kind == "test":
            _note_unused_weights(model, data)
        outputs = of_all(data)
        counter.assign_add(one)
        return outputs

    steps = model._steps_per_execution
    if steps is None or (int(steps) == 1 and not model.autotune_steps_per_execution):
        return make_step
    return (_all_outputs if kind == "predict" else _last_outputs)(make_step, steps)


def _last_outputs(make_step: Callable[..., Any], steps: Any) -> Callable[..., Any]:
    """A function that makes several steps, and returns what the last one returned."""

    def run(iterator: Any) -> Any:
        outputs: Any = variables.Undefined("outputs")

        def body(_: Any) -> None:
            nonlocal outputs
            outputs = make_step(iterator)

        def set_state(state: tuple[Any, ...]) -> None:
            nonlocal outputs
            (outputs,) = state

        count = _ops.range(0, steps.read_value(), 1)
        iteration.for_stmt(
            count, None, body, lambda: (outputs,), set_state, ("outputs",), {"iterate_names": "_"}
        )
        return outputs

    return run


def _all_outputs(make_step: Callable[..., Any], steps: Any) -> Callable[..., Any]:
    """A function that makes several steps, and returns the outputs of all, one after the other."""

    def run(iterator: Any) -> Any:
        outputs = make_step(iterator)

        def body(_: Any) -> None:
            nonlocal outputs
            outputs = nest.map_structure(_joined, outputs, make_step(iterator))

        def set_state(state: tuple[Any, ...]) -> None:
            nonlocal outputs
            (outputs,) = state

        count = _ops.range(1, steps.read_value(), 1)
        options = {
            "iterate_names": "_",
            "shape_invariants": [(outputs, nest.map_structure(_of_any_batch, outputs))],
        }
        iteration.for_stmt(count, None, body, lambda: (outputs,), set_state, ("outputs",), options)
        return outputs

    return run


def _joined(first: Any, second: Any) -> Any:
    return array.concat([first, second], axis=0)


def _of_any_batch(tensor: Any) -> Any:
    sizes = tensor.shape.as_list()
    return TensorShape([None, *sizes[1:]])


def _note_unused_weights(model: Any, data: Any) -> None:
    """Warns once that no metric uses the sample weights, unless `weighted_metrics` was passed."""
    metrics = model.compiled_metrics
    if (
        isinstance(data, tuple)
        and unpack_x_y_sample_weight(data)[2] is not None
        and metrics is not None
        and metrics._user_metrics is not None
        and metrics._user_weighted_metrics is None
        and not metrics._built
    ):
        logging.warning(
            "`evaluate()` received a value for `sample_weight`, but `weighted_metrics` were not "
            "provided, so that metrics ignore it. Pass metrics to `weighted_metrics` in "
            "`compile()`, or `weighted_metrics=[]` to silence this warning."
        )
