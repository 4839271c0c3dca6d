"""tf.contrib.eager's evaluators: the metrics of a model over a data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eagerflow import errors
from eagerflow.framework import context
from eagerflow.functions.function import function
from eagerflow.graph.session import get_default_session
from eagerflow.ops.control_flow import group
from eagerflow_compat.contrib.eager.metrics import Accuracy, Mean, Metric
from eagerflow_compat.v1 import step_summary
from eagerflow_compat.v1.data import make_one_shot_iterator

__all__ = ["Evaluator", "SparseSoftmaxEvaluator"]


class Evaluator:
    """Base class of evaluators.

    A subclass makes its metrics in `__init__`, by `track_metric`, and adds to them in `call`, which
    gets what the model's `eval_data` returns for a batch.

    Args:
        model: has a method `eval_data`.

    >>> class Model:
    ...     def eval_data(self, x):
    ...         return {"loss": x * 2.0}
    >>> class MeanLoss(tf.contrib.eager.Evaluator):
    ...     def __init__(self, model):
    ...         super().__init__(model)
    ...         self.loss = self.track_metric(tf.contrib.eager.metrics.Mean("loss"))
    ...
    ...     def call(self, eval_data):
    ...         self.loss(eval_data["loss"])
    >>> data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])
    >>> MeanLoss(Model()).evaluate_on_dataset(data)["loss"].numpy()
    np.float64(4.0)
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self._metrics: dict[str, Metric] = {}
        self._evaluators: dict[str, Evaluator] = {}

    @property
    def model(self) -> Any:
        """The model."""
        return self._model

    def track_metric(self, metric: Metric) -> Metric:
        """Adds a metric; returns it.

        Raises:
            ValueError: if there is one with its name.
        """
        if metric.name in self._metrics:
            raise ValueError(
                f"Attempt to add two Metrics with the name {metric.name!r} to the same Evaluator "
                f"{type(self).__name__!r}"
            )
        self._metrics[metric.name] = metric
        return metric

    def track_evaluator(self, prefix: str, evaluator: Evaluator) -> Evaluator:
        """Adds another evaluator, whose results come with a prefix; returns it.

        Raises:
            ValueError: if there is one with the prefix, or the model is another one.
        """
        if prefix in self._evaluators or prefix in self._metrics:
            raise ValueError(f"Attempt to add an Evaluator with the duplicate prefix {prefix!r}.")
        if self._model is not evaluator.model:
            raise ValueError("Sub-evaluators must be of the same model.")
        self._evaluators[prefix] = evaluator
        return evaluator

    def call(self, eval_data: Any) -> Any:
        """Adds a batch to the metrics; in a graph, returns operations that do."""
        raise NotImplementedError("Evaluators must define a call member function.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch, the arguments of the model's `eval_data`; in a graph, an operation."""
        return self.call(self._model.eval_data(*args, **kwargs))

    def _all(self, prefix: str = "") -> Iterator[tuple[str, Metric]]:
        for name, metric in self._metrics.items():
            yield prefix + name, metric
        for inner, evaluator in self._evaluators.items():
            yield from evaluator._all(f"{prefix}{inner}/")

    @property
    def metric_variables(self) -> set[Any]:
        """The variables of all metrics."""
        return {variable for _, metric in self._all() for variable in metric.variables}

    def init_variables(self) -> Any:
        """Resets the metrics; in a graph, an operation that does."""
        operations = [metric.init_variables() for _, metric in self._all()]
        return None if context.executing_eagerly() else group(*operations)

    def all_metric_results(self, summary_logdir: Any = None) -> dict[str, Any]:
        """The results of the metrics by their names.

        Args:
            summary_logdir: a folder for summaries of them; none are written by default.
        """
        if summary_logdir is None:
            with step_summary.never_record_summaries():
                return self._results()

        def written() -> dict[str, Any]:
            writer = step_summary.create_file_writer(summary_logdir)
            with writer.as_default(), step_summary.always_record_summaries():
                return self._results()

        return written() if context.executing_eagerly() else function(written)()

    def _results(self) -> dict[str, Any]:
        return {name: metric.result() for name, metric in self._all()}

    def evaluate_on_dataset(self, dataset: Any, *args: Any, **kwargs: Any) -> Any:
        """The results for all elements of a dataset.

        Args:
            dataset: its elements are the first argument of the model's `eval_data`.
            *args: its other arguments.
            **kwargs: its named arguments; `summary_logdir` as in `all_metric_results`.

        Returns:
            The results; in a graph three things for `run_evaluation`: an operation that resets the
            metrics, one that adds the next element, and the results.
        """
        logdir = kwargs.pop("summary_logdir", None)
        if context.executing_eagerly():
            for element in dataset:
                self(element, *args, **kwargs)
            return self.all_metric_results(logdir)
        element = make_one_shot_iterator(dataset).get_next()
        call = self(element, *args, **kwargs)
        return self.init_variables(), call, self.all_metric_results(logdir)

    @staticmethod
    def run_evaluation(init_op: Any, call_op: Any, results_op: Any, sess: Any = None) -> Any:
        """The results of the operations that `evaluate_on_dataset` returned.

        Args:
            init_op: resets the metrics.
            call_op: is run until there are no elements.
            results_op: the results.
            sess: a session, by default the current one.
        """
        session = get_default_session() if sess is None else sess
        session.run(init_op)
        try:
            while True:
                session.run(call_op)
        except errors.OutOfRangeError:
            pass
        return session.run(results_op)


class SparseSoftmaxEvaluator(Evaluator):
    """The accuracy and the mean loss of a classifier.

    Args:
        model: its `eval_data` returns a dictionary.
        loss_key: where in it the losses are.
        label_key: where the labels are, class ids.
        predicted_class_key: where the predicted class ids are.
        weights_key: where weights are, if there are any.
    """

    def __init__(
        self,
        model: Any,
        loss_key: str = "loss",
        label_key: str = "label",
        predicted_class_key: str = "predicted_class",
        weights_key: str = "weights",
    ) -> None:
        super().__init__(model)
        self.avg_loss = self.track_metric(Mean("Avg Loss"))
        self.accuracy = self.track_metric(Accuracy())
        self._keys = loss_key, label_key, predicted_class_key
        self._weights_key = weights_key

    def call(self, eval_data: Any) -> Any:
        """Adds a batch."""
        loss, label, predicted = (eval_data[key] for key in self._keys)
        weights = eval_data.get(self._weights_key)
        added = self.avg_loss(loss, weights=weights), self.accuracy(label, predicted, weights)
        return None if context.executing_eagerly() else added
