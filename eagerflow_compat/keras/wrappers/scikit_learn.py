"""tf.keras.wrappers.scikit_learn: models as scikit-learn estimators."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from eagerflow.keras.engine.model import Model
from eagerflow.keras.engine.sequential import Sequential
from eagerflow.keras.utils import to_categorical
from eagerflow.typing import TensorLike
from eagerflow.util.optional import optional


class BaseWrapper:
    """Builds and trains a model, and predicts with it.

    Args:
        build_fn: a function that returns a compiled model; a subclass may have a `__call__` instead.
        **sk_params: arguments of that function, and of the model's `fit`, `predict` and `evaluate`.

    Raises:
        ValueError: for an argument that none of them takes.
    """

    _estimator_type: str | None = None

    def __init__(self, build_fn: Callable[..., Model] | None = None, **sk_params: Any) -> None:
        self.build_fn = build_fn
        self.sk_params = sk_params
        self.check_params(sk_params)

    def _builder(self) -> Callable[..., Model]:
        return self.__call__ if self.build_fn is None else self.build_fn  # type: ignore[operator]

    def __sklearn_tags__(self) -> Any:
        """The tags of the estimator, for scikit-learn 1.6 and later."""
        utils = optional("sklearn.utils", "Describing an estimator to scikit-learn")
        kind = self._estimator_type
        return utils.Tags(
            estimator_type=kind,
            target_tags=utils.TargetTags(required=True),
            transformer_tags=None,
            classifier_tags=utils.ClassifierTags() if kind == "classifier" else None,
            regressor_tags=utils.RegressorTags() if kind == "regressor" else None,
        )

    def check_params(self, params: Mapping[str, object]) -> None:
        """Raises a ValueError for arguments that no function takes."""
        known = {"nb_epoch"}
        functions = (Sequential.fit, Sequential.predict, Sequential.evaluate, self._builder())
        for function in functions:
            taken = inspect.signature(function).parameters
            if function is functions[-1] and any(p.kind is p.VAR_KEYWORD for p in taken.values()):
                return
            known.update(taken)
        for name in params:
            if name not in known:
                raise ValueError(f"{name} is not a legal parameter")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All arguments, from which scikit-learn clones the estimator."""
        return {**copy.deepcopy(self.sk_params), "build_fn": self.build_fn}

    def set_params(self, **params: Any) -> BaseWrapper:
        """Sets arguments.

        Raises:
            ValueError: for an argument that nothing takes.
        """
        self.check_params({name: params[name] for name in params if name != "build_fn"})
        self.build_fn = params.pop("build_fn", self.build_fn)
        self.sk_params.update(params)
        return self

    def filter_sk_params(
        self, fn: Callable[..., object], override: Mapping[str, object] | None = None
    ) -> dict[str, Any]:
        """The arguments that a function takes, updated by `override`."""
        taken = inspect.signature(fn).parameters
        chosen = {name: value for name, value in self.sk_params.items() if name in taken}
        return {**chosen, **(override or {})}

    def fit(self, x: TensorLike, y: Any, **kwargs: Any) -> Any:
        """Builds a model and trains it.

        Args:
            x: inputs.
            y: targets.
            **kwargs: arguments of the model's `fit`.

        Returns:
            The `History` that the model's `fit` returns.
        """
        builder = self._builder()
        self.model = builder(**self.filter_sk_params(builder))
        loss = getattr(self.model.loss, "__name__", self.model.loss)
        if loss == "categorical_crossentropy" and np.ndim(y) != 2:
            y = to_categorical(y)
        return self.model.fit(x, y, **self.filter_sk_params(Sequential.fit, kwargs))

    def _scored(self, x: Any, y: Any, kwargs: dict[str, Any]) -> dict[str, float]:
        chosen = self.filter_sk_params(Sequential.evaluate, kwargs)
        return self.model.evaluate(x, y, **{**chosen, "return_dict": True})


class KerasClassifier(BaseWrapper):
    """A classifier: targets are class labels or one-hot rows.

    >>> from eagerflow.keras.wrappers.scikit_learn import KerasClassifier
    >>> def build(units=2):
    ...     model = tf.keras.Sequential([tf.keras.layers.Dense(units, activation="softmax")])
    ...     model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
    ...     return model
    >>> classifier = KerasClassifier(build, epochs=1, verbose=0)
    >>> _ = classifier.fit(tf.ones([4, 3]).numpy(), [3, 5, 5, 5])
    >>> classifier.predict_proba(tf.ones([4, 3]).numpy()).shape, classifier.classes_.tolist()
    ((4, 2), [3, 5])
    """

    _estimator_type = "classifier"

    def fit(self, x: TensorLike, y: TensorLike, **kwargs: Any) -> Any:
        """Builds a model and trains it.

        Args:
            x: inputs.
            y: labels `[examples]` or `[examples, 1]`, or rows `[examples, classes]`.
            **kwargs: arguments of the model's `fit`.

        Raises:
            ValueError: if `y` has another shape.
        """
        y = np.array(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim == 1 or (y.ndim == 2 and y.shape[1] == 1):
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise ValueError(f"Invalid shape for y: {y.shape}")
        self.n_classes_ = len(self.classes_)
        return super().fit(x, y, **kwargs)

    def predict(self, x: TensorLike, **kwargs: Any) -> np.ndarray:
        """The label of each example."""
        outputs = self.model.predict(x, **self.filter_sk_params(Sequential.predict, kwargs))
        if outputs.shape[-1] > 1:
            return self.classes_[outputs.argmax(axis=-1)]
        return self.classes_[(outputs > 0.5).astype("int32")]

    def predict_proba(self, x: TensorLike, **kwargs: Any) -> np.ndarray:
        """The probability of each class, `[examples, classes]`."""
        outputs = self.model.predict(x, **self.filter_sk_params(Sequential.predict, kwargs))
        return np.hstack([1 - outputs, outputs]) if outputs.shape[1] == 1 else outputs

    def score(self, x: TensorLike, y: Any, **kwargs: Any) -> float:
        """The accuracy.

        Raises:
            ValueError: if the model has no metric of accuracy.
        """
        y = np.searchsorted(self.classes_, y)
        loss = getattr(self.model.loss, "__name__", self.model.loss)
        if loss == "categorical_crossentropy" and y.ndim != 2:
            y = to_categorical(y)
        for name, value in self._scored(x, y, kwargs).items():
            if name in ("accuracy", "acc"):
                return value
        raise ValueError(
            "The model is not configured to compute accuracy. You should pass "
            '`metrics=["accuracy"]` to the `model.compile()` method.'
        )


class KerasRegressor(BaseWrapper):
    """A regressor."""

    _estimator_type = "regressor"

    def predict(self, x: TensorLike, **kwargs: Any) -> np.ndarray:
        """The prediction for each example."""
        outputs = self.model.predict(x, **self.filter_sk_params(Sequential.predict, kwargs))
        return np.squeeze(outputs)

    def score(self, x: TensorLike, y: TensorLike, **kwargs: Any) -> float:
        """The negative loss: higher is better."""
        return -self._scored(x, y, kwargs)["loss"]


__all__ = ["KerasClassifier", "KerasRegressor"]
