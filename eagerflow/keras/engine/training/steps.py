"""One step of training, evaluation or prediction, and the functions that run steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eagerflow import _core, nest
from eagerflow.autodiff.tape import GradientTape
from eagerflow.framework.context import process
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.variable import Variable, variable_at_once
from eagerflow.keras import naming
from eagerflow.keras.engine.training import replicas
from eagerflow.keras.engine.training.compiling import Compiled
from eagerflow.keras.engine.training.data_adapter import unpack_x_y_sample_weight
from eagerflow.keras.typing import Logs
from eagerflow.typing import Structure
from eagerflow.util import lazy

if TYPE_CHECKING:
    from eagerflow.keras.engine.model import Model
    from eagerflow.keras.optimizers.optimizer import Optimizer

# Imported when they are first used: models that only run eagerly need none of them.
functions = lazy.Module("eagerflow.functions.function")
iteration = lazy.Module("eagerflow.autograph.operators.iteration")
variables = lazy.Module("eagerflow.autograph.operators.variables")
array = lazy.Module("eagerflow.ops.array")

# Imported when it is first used: who builds no graphs never imports it.
graph_predictions = lazy.Module("eagerflow.keras.engine.training.graph_predictions")

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

_ops = _core.ops


class Steps(Compiled):
    """The part of `Model` that defines steps; programs override its methods."""

    _counters: Any = None

    def _counter(self, name: str) -> Variable:
        if self._counters is None:
            self._counters = {}
        counter = self._counters.get(name)
        if counter is None:
            counter = self._counters[name] = variable_at_once(
                0, dtype="int64", trainable=False, name=name
            )
        return counter

    @property
    def _train_counter(self) -> Variable:
        return self._counter("train_counter")

    @property
    def _test_counter(self) -> Variable:
        return self._counter("test_counter")

    @property
    def _predict_counter(self) -> Variable:
        return self._counter("predict_counter")

    def train_step(self, data: Structure) -> Logs:
        """One step of training; programs may override it.

        Args:
            data: a batch: inputs, or a tuple with labels and weights.

        Returns:
            The values to show, by name.
        """
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        with GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x, y, y_pred, sample_weight)
        self._validate_target_and_loss(y, loss)
        minimize(self.optimizer, loss, self.trainable_variables, tape)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def _validate_target_and_loss(self, y: _core.Tensor, loss: object) -> None:
        own = getattr(self, "loss", None)
        if own and y is None:
            raise ValueError(
                f"Target data is missing. Your model was compiled with loss={own}, and "
                "therefore expects target data to be provided in `fit()`."
            )
        if loss is None or (not own and not self.losses):
            raise ValueError(
                "No loss found. You may have forgotten to provide a `loss` argument in the "
                "`compile()` method."
            )

    def test_step(self, data: Structure) -> Logs:
        """One step of evaluation; programs may override it.

        Args:
            data: a batch: inputs, or a tuple with labels and weights.

        Returns:
            The values to show, by name.
        """
        x, y, sample_weight = unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        self.compute_loss(x, y, y_pred, sample_weight)
        return self.compute_metrics(x, y, y_pred, sample_weight)

    def predict_step(self, data: Structure) -> Any:
        """One step of prediction; programs may override it.

        Args:
            data: a batch: inputs, or a tuple whose first is the inputs.

        Returns:
            The predictions.
        """
        x, _, _ = unpack_x_y_sample_weight(data)
        return self(x, training=False)

    def __getstate__(self) -> dict[str, Any]:
        """The state of copies and pickles, without the functions that train this model."""
        kept = dict(vars(self))
        for name in ("train_function", "test_function", "predict_function", "train_tf_function"):
            if name in kept:
                kept[name] = None
        return kept

    def make_train_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and runs a step of training.

        It is a tf.function, unless the model runs eagerly: `train_step` is traced once for each
        kind of batch. It runs `steps_per_execution` steps.

        Args:
            force: whether to create the function again.
        """
        if self.train_function is None or force:
            function = make_steps(self, "train", self._train_counter)
            self.train_function = traced(self, function)
            self.train_tf_function = self.train_function
        return self.train_function

    def make_test_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and runs a step of evaluation."""
        if self.test_function is None or force:
            function = make_steps(self, "test", self._test_counter)
            self.test_function = traced(self, function)
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Any:
        """The function that takes an iterator over batches and returns predictions."""
        if process.graphs_used:
            of_graph = graph_predictions.of_model(self)
            if of_graph is not None:
                return of_graph
            force = force or isinstance(self.predict_function, graph_predictions.GraphPredictions)
        if self.predict_function is None or force:
            function = make_steps(self, "predict", self._predict_counter)
            self.predict_function = traced(self, function)
        return self.predict_function


def traced(model: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a model as a tf.function, unless the model runs eagerly.

    It is traced once for each kind of batch.
    """
    if model.run_eagerly:
        return function
    return functions.Function(function, reduce_retracing=True)


def _compiled(model: Model, step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Compiles a step if the model's `jit_compile` is set; reading data stays outside."""
    if model.run_eagerly or not getattr(model, "jit_compile", None):
        return step

    def run_step(data: Structure) -> Any:
        return step(data)

    return functions.Function(run_step, reduce_retracing=True, jit_compile=True)


def make_steps(model: Any, kind: str, counter: _core.Variable) -> Callable[..., Any]:
    """A function that takes an iterator over batches and runs one step, or several.

    Args:
        model: the model; its method is looked up in each step.
        kind: "train", "test" or "predict".
        counter: a variable that counts the steps.

    Returns:
        A function that returns the result of the last step; for "predict", the outputs of all
        steps.
    """
    one = _core.convert(1, "int64", None)
    step_name = f"{kind}_step"

    def of_replica(data: Structure) -> Any:
        if _core.building() is None:
            return getattr(model, step_name)(data)
        with naming.apart():
            return getattr(model, step_name)(data)

    of_all = replicas.replicated(model, kind, _compiled(model, of_replica))

    def make_step(iterator: Any) -> Any:
        data = next(iterator)
        if kind == "test":
            _note_unused_weights(model, data)
        if of_all is of_replica and _core.building() is None:
            outputs = getattr(model, step_name)(data)
        else:
            outputs = of_all(data)
        counter.assign_add(one)
        return outputs

    steps = model._steps_per_execution
    if steps is None or (int(steps) == 1 and not model.autotune_steps_per_execution):
        function = make_step
    else:
        function = (_all_outputs if kind == "predict" else _last_outputs)(make_step, steps)
    function.__name__ = f"{kind}_function"  # what traces and their graphs are called
    return function


def _last_outputs(make_step: Callable[..., Any], steps: Any) -> Callable[..., Any]:
    """A function that runs several steps, and returns the result of the last."""

    def run(iterator: object) -> Any:
        outputs: Any = variables.Undefined("outputs")

        def body(_: object) -> None:
            nonlocal outputs
            outputs = make_step(iterator)

        def set_state(state: tuple[object, ...]) -> None:
            nonlocal outputs
            (outputs,) = state

        count = _ops.range(0, steps.read_value(), 1)
        iteration.for_stmt(
            count, None, body, lambda: (outputs,), set_state, ("outputs",), {"iterate_names": "_"}
        )
        return outputs

    return run


def _all_outputs(make_step: Callable[..., Any], steps: Any) -> Callable[..., Any]:
    """A function that runs several steps, and returns their concatenated outputs."""

    def run(iterator: object) -> Any:
        outputs = make_step(iterator)

        def body(_: object) -> None:
            nonlocal outputs
            outputs = nest.map_structure(_joined, outputs, make_step(iterator))

        def set_state(state: tuple[object, ...]) -> None:
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


def _joined(first: object, second: object) -> Any:
    return array.concat([first, second], axis=0)


def _of_any_batch(tensor: _core.Tensor) -> TensorShape:
    sizes = tensor.shape.as_list()
    return TensorShape([None, *sizes[1:]])


def _note_unused_weights(model: Model, data: Structure) -> None:
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


def minimize(optimizer: Optimizer, loss: object, variables: list[Any], tape: Any) -> None:
    """Updates the variables; optimizers of version 1 accept gradients instead of a tape."""
    if getattr(optimizer, "_takes_tape", True):
        optimizer.minimize(loss, variables, tape=tape)
    elif variables:
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
