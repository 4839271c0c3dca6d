"""The losses and metrics of `compile`, for each of a model's outputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eagerflow import _core, nest
from eagerflow.framework import context, distribution_state
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import sizes_of
from eagerflow.keras import losses as losses_module
from eagerflow.keras import metrics as metrics_module
from eagerflow.keras.config import defaults
from eagerflow.keras.losses.ragged import is_ragged
from eagerflow.keras.naming import snake_case
from eagerflow.ops import conversion
from eagerflow.typing import Structure

if TYPE_CHECKING:
    from eagerflow.keras.metrics.metric import Metric

_ops = _core.ops
_Tensor = _core.Tensor

# A replica's share of a mean over all samples is its own mean divided by the number of replicas.
_MEANS = (losses_module.Reduction.AUTO, losses_module.Reduction.SUM_OVER_BATCH_SIZE)


def output_names_for(outputs: Structure) -> list[str]:
    """Names for outputs of models without names: the paths to them, with indices from one."""
    names = []
    for path in _paths(outputs):
        parts = [str(key + 1) if isinstance(key, int) else str(key) for key in path or (0,)]
        names.append(
            "_".join(parts) if path and isinstance(path[0], str) else "output_" + "_".join(parts)
        )
    return names


def _paths(structure: object) -> Iterator[tuple]:
    """The keys and indices that lead to each leaf."""
    if isinstance(structure, dict):
        items: Any = [(key, structure[key]) for key in sorted(structure)]
    elif isinstance(structure, list | tuple):
        items = enumerate(structure)
    else:
        yield ()
        return
    for key, item in items:
        for path in _paths(item):
            yield (key, *path)


def _require_known(values: dict, keys: list[str], what: str) -> None:
    """Refuses values for outputs that the model does not have."""
    unknown = {key for key in values if key not in keys}
    if unknown:
        raise ValueError(
            f"Found unexpected {what} that do not correspond to any Model output: {unknown}. Valid "
            f"mode output names: {keys}. Received struct is: {values}."
        )


def spread(values: object, outputs: Any, names: list[str], what: str = "losses or metrics") -> list:
    """A list of values for the outputs, from a structure like theirs, a dictionary by name, or one value.

    Raises:
        ValueError: for names that no output has, or another number of values.
    """
    count = len(nest.flatten(outputs))
    if isinstance(values, dict):
        keys = [str(key) for key in sorted(outputs)] if isinstance(outputs, dict) else names
        _require_known(values, keys, "losses or metrics" if what == "losses" else what)
        if isinstance(outputs, dict):
            flat: list[Any] = []
            for key in sorted(outputs):
                inner = len(nest.flatten(outputs[key]))
                value = values.get(key)
                flat.extend(nest.flatten(value) if nest.is_nested(value) else [value] * inner)
            return flat
        return [values.get(name) for name in keys]
    if isinstance(values, list | tuple) and nest.is_nested(outputs):
        if len(values) == 1 and count > 1:
            if what in ("losses", "loss weights"):
                return [values[0]] + [None] * (count - 1)
            return [values[0]] * count
        if len(values) != count and len(nest.flatten(values)) == count:
            return nest.flatten(values)
        if len(values) > count and what in ("losses", "loss weights"):
            return list(values[:count])  # Keras ignores the rest
        if len(values) != count:
            raise ValueError(
                f"The model has {count} outputs ({names}), but {len(values)} {what} were given: "
                f"{values}"
            )
        return list(values)
    if isinstance(values, list | tuple) and count == 1:
        if len(values) == 1 or (values and what in ("losses", "loss weights")):
            return [values[0]]
    return [values] * count


def match_dtype_and_rank(y_true: Any, y_pred: Structure, weight: Any) -> tuple[Any, Any, Any]:
    """Labels and weights in the rank and kind of dtype of the predictions."""
    dense = isinstance(y_true, _Tensor) and isinstance(y_pred, _Tensor)
    if not dense and (is_ragged(y_true) or is_ragged(y_pred)):
        if y_true.dtype is not y_pred.dtype and y_true.dtype.is_floating:
            y_true = conversion.cast(y_true, y_pred.dtype)
        return y_true, y_pred, weight
    # Outputs may be a program's own objects, such as distributions.
    rank_true = y_true.ndim if dense else TensorShape(y_true.shape).rank
    rank_pred = y_pred.ndim if dense else TensorShape(y_pred.shape).rank
    if rank_true == 1 and rank_pred == 2:
        y_true = _ops.expand_dims(y_true, -1)
    if weight is not None and weight.ndim == 1 and rank_pred == 2:
        weight = _ops.expand_dims(weight, -1)
    kind, wanted = y_true.dtype, y_pred.dtype
    if kind is not wanted and (
        (kind.is_floating and wanted.is_floating) or (kind.is_integer and wanted.is_integer)
    ):
        y_true = _ops.cast(y_true, wanted)
    if weight is not None and weight.dtype is not wanted:
        weight = _ops.cast(weight, wanted)
    return y_true, y_pred, weight


def _row_count(labels: _Tensor) -> _Tensor | float:
    """How many samples there are, as a float or a scalar of a graph."""
    if not isinstance(labels, _Tensor) and is_ragged(labels):
        return _ops.cast(labels.nrows(), defaults.float_dtype)
    if not labels.ndim:
        return 1.0
    sizes = labels._shape_tuple()
    rows = sizes[0] if sizes else None
    if rows is not None:
        return float(rows)
    return _ops.cast(sizes_of(labels)[0], defaults.float_dtype)


def function_name(function: object) -> str:
    """The name of a loss or metric that is a function or another object."""
    name = getattr(function, "name", None)
    if isinstance(name, str):
        return name
    name = getattr(function, "__name__", None)
    if name is not None:
        return name
    return snake_case(type(function).__name__)


class _Container:
    """The base of losses and metrics by output: the outputs' names."""

    def __init__(self, output_names: list[str] | None = None) -> None:
        self._output_names = output_names
        self._built = False
        # Whether it was built before there was data, which may lead to other metrics.
        self._is_provisional = False

    @property
    def built(self) -> bool:
        """Whether each output has its objects."""
        return self._built

    def _set_names(self, y_pred: _Tensor) -> None:
        if not self._output_names or len(self._output_names) != len(nest.flatten(y_pred)):
            self._output_names = output_names_for(y_pred)


class LossesContainer(_Container):
    """The losses of all outputs and their weighted sum.

    Args:
        losses: a loss, or a structure of them like the outputs, or a dictionary by output name.
        loss_weights: factors in such a structure.
        output_names: the outputs' names.
        total_loss_mean: the metric that gets the sum; by default a mean named "loss".
    """

    def __init__(
        self,
        losses: Any,
        loss_weights: Any = None,
        output_names: list[str] | None = None,
        total_loss_mean: Any = None,
        mesh: object = None,
    ) -> None:
        super().__init__(output_names)
        self._user_losses = losses
        self._user_loss_weights = loss_weights
        self._losses: list[Any] = []
        self._loss_weights: list[Any] = []
        self._per_output_metrics: list[Any] = []
        if total_loss_mean is None:
            total_loss_mean = metrics_module.Mean(name="loss")
        self._total_loss_mean = total_loss_mean

    @property
    def metrics(self) -> list[Metric]:
        """The mean of the sum, and of each loss where there are several."""
        if not self._built:
            return []
        return [self._total_loss_mean, *filter(None, self._per_output_metrics)]

    def reset_state(self) -> None:
        """Resets the means."""
        if self._built:
            self._total_loss_mean.reset_state()
            for mean in self._per_output_metrics:
                if mean is not None:
                    mean.reset_state()

    def build(self, y_pred: Structure) -> None:
        """Resolves the loss of each output."""
        self._set_names(y_pred)
        names = self._output_names or []
        self._losses = [
            self._loss_object(loss) for loss in spread(self._user_losses, y_pred, names, "losses")
        ]
        self._loss_weights = spread(self._user_loss_weights, y_pred, names, "loss weights")
        self._per_output_metrics = [None] * len(self._losses)
        if len(self._losses) > 1:
            self._per_output_metrics = [
                None if loss is None else metrics_module.Mean(name=f"{name}_loss")
                for name, loss in zip(names, self._losses, strict=True)
            ]
        if isinstance(self._user_loss_weights, list | tuple) and len(self._user_loss_weights) == 1:
            # A list of one weight is for the first output; the other outputs are ignored.
            self._losses[1:] = [None] * len(self._losses[1:])
        self._built = True
        self._is_provisional = False

    @staticmethod
    def _loss_object(loss: Any) -> Any:
        if loss is None:
            return None
        loss = losses_module.get(loss)
        if isinstance(loss, type) and issubclass(loss, losses_module.Loss):
            loss = loss()
        if not isinstance(loss, losses_module.Loss):
            name = function_name(loss)
            loss = losses_module.LossFunctionWrapper(loss, name=name)
        loss._allow_sum_over_batch_size = True
        return loss

    def __call__(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None
    ) -> Any:
        """The weighted sum of all losses and of the regularization terms.

        Args:
            y_true: the labels, a structure like the predictions, or by name.
            y_pred: the predictions.
            sample_weight: weights of samples, for all outputs or in such a structure.
            regularization_losses: terms to be added.
        """
        if not self._built or self._is_provisional:
            self.build(y_pred)
        if isinstance(y_pred, _Tensor) and len(self._losses) == 1:
            flat_pred, flat_true, flat_weight = [y_pred], [y_true], [sample_weight]
            if not isinstance(y_true, _Tensor) and nest.is_nested(y_true):
                flat_true = spread(y_true, y_pred, self._output_names or [], "labels")
            if sample_weight is not None and nest.is_nested(sample_weight):
                flat_weight = spread(sample_weight, y_pred, self._output_names or [], "weights")
        else:
            names = self._output_names or []
            flat_pred = nest.flatten(y_pred)
            flat_true = spread(y_true, y_pred, names, "labels")
            flat_weight = spread(sample_weight, y_pred, names, "sample weights")
        values: list[Any] = []
        shown = []
        replicas = distribution_state.num_replicas()
        batch = None
        for index, loss in enumerate(self._losses):
            target = flat_true[index]
            if loss is None or target is None:
                continue
            if not isinstance(target, _Tensor) and not is_ragged(target):
                target = _core.as_tensor(target)
            weight = flat_weight[index]
            if weight is not None and not isinstance(weight, _Tensor):
                weight = _core.as_tensor(weight)
            target, predicted, weight = match_dtype_and_rank(target, flat_pred[index], weight)
            value = loss(target, predicted, sample_weight=weight)
            if batch is None:
                batch = _row_count(target)
            mean = self._per_output_metrics[index]
            if mean is not None:
                mean.update_state(value, sample_weight=batch)
            factor = self._loss_weights[index]
            if factor is not None:
                value = value * _core.convert(factor, value.dtype, None)
            whole = value
            if replicas > 1 and loss.reduction in _MEANS:
                value = value / replicas
            elif replicas > 1 and loss.reduction == losses_module.Reduction.SUM:
                whole = value * replicas  # each replica counts as a batch
            shown.append(whole)
            values.append(value)
        for term in regularization_losses or ():
            shown.append(term)
            values.append(term if replicas == 1 else term / replicas)
        if not shown:
            return _ops.zeros([], "float32")
        total = shown[0] if len(shown) == 1 else _sum(shown)
        if batch is None:
            batch = 1.0
        self._total_loss_mean.update_state(total, sample_weight=batch)
        return total if replicas == 1 else _sum(values)


def _sum(values: list[_Tensor]) -> _Tensor:
    total = values[0]
    for value in values[1:]:
        total = total + (value if value.dtype is total.dtype else _ops.cast(value, total.dtype))
    return total


class MetricsContainer(_Container):
    """The metrics of all outputs.

    Args:
        metrics: metrics in a structure like the outputs, or by output name; they ignore weights.
        weighted_metrics: likewise, the metrics that use sample weights.
        output_names: the outputs' names.
        from_serialized: whether names have their prefixes already.
    """

    def __init__(
        self,
        metrics: Any = None,
        weighted_metrics: Any = None,
        output_names: list[str] | None = None,
        from_serialized: bool = False,
        mesh: object = None,
    ) -> None:
        super().__init__(output_names)
        self._user_metrics = metrics
        self._user_weighted_metrics = weighted_metrics
        self._from_serialized = from_serialized
        self._metrics: list[list[Metric]] = []
        self._weighted_metrics: list[list[Metric]] = []
        self._metrics_in_order: list[Metric] = []
        self._own_names: dict[int, tuple[Metric, str]] = {}

    @property
    def metrics(self) -> list[Metric]:
        """All metric objects in order: for each output the unweighted, then the weighted ones."""
        return self._metrics_in_order if self._built else []

    @property
    def unweighted_metrics(self) -> Any:
        """The metrics that ignore weights, of all outputs in order; None before the first batch."""
        return nest.flatten(self._metrics) if self._built else None

    @property
    def weighted_metrics(self) -> Any:
        """The weighted metrics, of all outputs in order."""
        return nest.flatten(self._weighted_metrics) if self._built else None

    def reset_state(self) -> None:
        """Resets all metrics."""
        for metric in self._metrics_in_order:
            metric.reset_state()

    def build(self, y_pred: Structure, y_true: Structure) -> None:
        """Resolves the metrics of each output."""
        self._set_names(y_pred)
        names = self._output_names or []
        flat_pred = nest.flatten(y_pred)
        flat_true = spread(y_true, y_pred, names, "labels")
        groups = []
        for user in (self._user_metrics, self._user_weighted_metrics):
            groups.append(
                [
                    [
                        self._metric_object(metric, target, prediction)
                        for metric in chosen
                        if metric is not None
                    ]
                    for chosen, target, prediction in zip(
                        self._by_output(user, y_pred, names), flat_true, flat_pred, strict=True
                    )
                ]
            )
        self._metrics, self._weighted_metrics = groups
        prefixed = len(flat_pred) > 1 and not self._from_serialized
        self._metrics_in_order = []
        taken: set[str] = set()
        for name, plain, weighted in zip(names, self._metrics, self._weighted_metrics, strict=True):
            prefix = f"{name}_" if prefixed else ""
            for metric in plain + weighted:
                # Kept, as the container is built again for outputs of other structures.
                own = self._own_names.setdefault(id(metric), (metric, metric.name))[1]
                metric._name = f"{prefix}{own}"
                if metric.name in taken and any(metric is other for other in weighted):
                    metric._name = f"{prefix}weighted_{own}"
                if metric.name in taken:
                    raise ValueError(f"Found two metrics with the same name: {metric.name}")
                taken.add(metric.name)
                self._metrics_in_order.append(metric)
        self._built = True
        self._is_provisional = False

    @staticmethod
    def _by_output(user: object, y_pred: _Tensor, names: list[str]) -> list[list[Any]]:
        """For each output, a list of the metrics that the program passed."""
        if user is None:
            return [[] for _ in names]
        if isinstance(user, dict):
            if not isinstance(y_pred, dict):
                _require_known(user, names, "losses or metrics")
                return [_as_list(user.get(name)) for name in names]
            _require_known(user, sorted(y_pred), "losses or metrics")
            counts = {key: len(nest.flatten(y_pred[key])) for key in sorted(y_pred)}
            return [_as_list(user.get(key)) for key, count in counts.items() for _ in range(count)]
        user = _as_list(user)
        if not any(isinstance(item, list | tuple | dict) for item in user):
            # All of them for every output, with separate objects for each.
            return [list(map(_copied, user)) for _ in names] if len(names) > 1 else [user]
        if not nest.is_nested(y_pred):
            return [nest.flatten(user)]
        if isinstance(y_pred, dict):
            raise TypeError(
                f"The outputs are a dictionary with the keys {sorted(y_pred)}, so that metrics for "
                f"single outputs must be one, too, but are: {user}"
            )
        if len(user) != len(y_pred):
            raise ValueError(
                f"The model has {len(y_pred)} outputs ({names}), but metrics for {len(user)} were "
                f"given: {user}"
            )
        return [_as_list(item) for item in nest.flatten_up_to(y_pred, user)]

    @staticmethod
    def _metric_object(metric: Any, y_true: _Tensor, y_pred: _Tensor) -> Any:
        if isinstance(metric, metrics_module.Metric):
            return metric
        given = metric
        if isinstance(metric, str) and metric.lower() in ("accuracy", "acc", "crossentropy", "ce"):
            metric = _by_shapes(metric.lower(), y_true, y_pred)
            resolved = metric
        else:
            resolved = metrics_module.get(metric)
        if isinstance(resolved, type):
            resolved = resolved()
        if isinstance(resolved, metrics_module.Metric):
            return resolved
        name = _name_of(given, resolved)
        return metrics_module.MeanMetricWrapper(resolved, name=name)

    def update_state(self, y_true: Any, y_pred: Structure, sample_weight: Structure = None) -> None:
        """Updates the metrics with a batch; the arguments are those of the losses."""
        if self._user_metrics is None and self._user_weighted_metrics is None:
            if not self._built:
                self._set_names(y_pred)
                self._metrics = [[] for _ in self._output_names or []]
                self._weighted_metrics = [[] for _ in self._output_names or []]
                self._built = True
            return
        if not self._built or self._is_provisional:
            self.build(y_pred, y_true)
        names = self._output_names or []
        if isinstance(y_true, _Tensor) and isinstance(y_pred, _Tensor):
            flat_pred, flat_true, flat_weight = [y_pred], [y_true], [sample_weight]
            if sample_weight is not None and nest.is_nested(sample_weight):
                flat_weight = spread(sample_weight, y_pred, names, "sample weights")
        else:
            flat_pred = nest.flatten(y_pred)
            flat_true = spread(y_true, y_pred, names, "labels")
            flat_weight = spread(sample_weight, y_pred, names, "sample weights")
        for target, prediction, weight, plain, weighted in zip(
            flat_true, flat_pred, flat_weight, self._metrics, self._weighted_metrics, strict=True
        ):
            if target is None or not (plain or weighted):
                continue
            if not isinstance(target, _Tensor) and not is_ragged(target):
                target = _core.as_tensor(target)
            if weight is not None and not isinstance(weight, _Tensor):
                weight = _core.as_tensor(weight)
            mask = getattr(prediction, "_keras_mask", None)
            target, prediction, weight = match_dtype_and_rank(target, prediction, weight)
            for metric in plain:
                metric.update_state(target, prediction, sample_weight=mask)
            if weighted:
                if mask is not None:
                    mask = _ops.cast(mask, prediction.dtype)
                    weight = mask if weight is None else _masked(weight, mask)
                for metric in weighted:
                    metric.update_state(target, prediction, sample_weight=weight)


def _masked(weight: Any, mask: Any) -> Any:
    while weight.ndim < mask.ndim:
        weight = _ops.expand_dims(weight, -1)
    if weight.ndim > mask.ndim and weight.shape[-1] == 1:
        weight = _ops.squeeze(weight, [weight.ndim - 1])
    return weight * mask


def _as_list(value: object) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _copied(metric: object) -> Any:
    if isinstance(metric, metrics_module.Metric):
        return type(metric).from_config(metric.get_config())
    return metric


def _name_of(given: object, resolved: object) -> str:
    """The name in the history of a metric that the program passed by name, or as a function."""
    if not isinstance(given, str):
        return function_name(resolved)
    if context.process.version_2:
        return given
    short = {"accuracy": "acc", "acc": "acc", "crossentropy": "ce", "ce": "ce"}
    return short.get(given.lower()) or function_name(resolved)


def _by_shapes(name: str, y_true: Structure, y_pred: Structure) -> Any:
    """The kind of accuracy or cross-entropy for labels and predictions of these shapes."""
    sizes_true = y_true.shape.as_list() if hasattr(y_true, "shape") else []
    sizes_pred = y_pred.shape.as_list()
    last = sizes_pred[-1] if sizes_pred else 1
    last_true = sizes_true[-1] if sizes_true else 1
    binary = last == 1
    sparse = (len(sizes_true) < len(sizes_pred) or last_true == 1) and last > 1
    kind = "accuracy" if name in ("accuracy", "acc") else "crossentropy"
    prefix = "binary" if binary else "sparse_categorical" if sparse else "categorical"
    return getattr(metrics_module, f"{prefix}_{kind}")
