"""TFSMLayer: a SavedModel as a layer."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.engine.calls.training_mode import by_training
from eagerflow.keras.engine.layer import Layer
from eagerflow.util import lazy

# It is used by few programs, and loads models in turn.
saved_model = lazy.Module("eagerflow.saved_model")


class TFSMLayer(Layer):
    """Calls an endpoint of a SavedModel, which may be one that `model.export` wrote.

    Args:
        filepath: the SavedModel's folder.
        call_endpoint: the name of a function of its object, or of a signature.
        call_training_endpoint: the same for calls with `training=True`.
        trainable: whether its trainable variables are the layer's.
        dtype: the layer's dtype.

    >>> import tempfile
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    >>> folder = tempfile.mkdtemp()
    >>> model.export(folder)
    >>> layer = tf.keras.layers.TFSMLayer(folder)
    >>> layer(tf.ones((1, 3))).shape
    TensorShape([1, 2])
    """

    def __init__(
        self,
        filepath: str,
        call_endpoint: str = "serve",
        call_training_endpoint: str | None = None,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype)
        self.filepath = str(filepath)
        self.call_endpoint = call_endpoint
        self.call_training_endpoint = call_training_endpoint
        loaded = saved_model.load(self.filepath)
        self._call = _endpoint(loaded, call_endpoint, self.filepath)
        self._call_training = None
        if call_training_endpoint:
            self._call_training = _endpoint(loaded, call_training_endpoint, self.filepath)
        self._variables = list(loaded.variables)
        self._loaded = (loaded,)
        self.built = True

    def call(self, inputs: Any, training: bool = False, **kwargs: Any) -> Any:
        """The endpoint's result."""
        trained = self._call_training
        if trained is None:
            return self._call(inputs, **kwargs)
        return by_training(training, lambda on: (trained if on else self._call)(inputs, **kwargs))

    def get_config(self) -> dict[str, Any]:
        """The arguments of `__init__`."""
        return {
            **super().get_config(),
            "filepath": self.filepath,
            "call_endpoint": self.call_endpoint,
            "call_training_endpoint": self.call_training_endpoint,
        }


def _endpoint(loaded: Any, name: str, path: str) -> Any:
    """The function of a name.

    Raises:
        ValueError: if there is none.
    """
    if hasattr(loaded, name):
        return getattr(loaded, name)
    if name in loaded.signatures:
        return loaded.signatures[name]
    raise ValueError(
        f"The endpoint '{name}' is neither an attribute of the reloaded SavedModel nor an entry in "
        f"the `signatures` field of the reloaded SavedModel at {path}. It has the signatures "
        f"{list(loaded.signatures)}."
    )
