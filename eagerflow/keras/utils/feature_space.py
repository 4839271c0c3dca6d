"""FeatureSpace: the features of a table, preprocessed and concatenated."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras import layers, naming
from eagerflow.keras.engine.functional.input_layer import Input
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.index_lookup import IndexLookup
from eagerflow.keras.layers.preprocessing_layer import PreprocessingLayer, as_tensor
from eagerflow.keras.saving.archive import save_model
from eagerflow.keras.saving.serialization import deserialize_as, serialize_keras_object
from eagerflow.keras.typing import Config
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
tf_data = lazy.Module("eagerflow.data")

_ops = _core.ops


def _checked_mode(output_mode: str, allowed: tuple[str, ...]) -> str:
    if output_mode not in allowed:
        expected = "{" + ", ".join(map(repr, allowed)) + "}"
        raise ValueError(
            f"Invalid value for argument `output_mode`. Expected one of {expected}. "
            f"Received: output_mode={output_mode}"
        )
    return output_mode


class Cross:
    """A combination of features.

    Args:
        feature_names: the features' names.
        crossing_dim: how many bins the combinations are in.
        output_mode: "int", or "one_hot" for vectors.

    Raises:
        ValueError: for other modes.
    """

    def __init__(self, feature_names: Any, crossing_dim: int, output_mode: str = "one_hot") -> None:
        self.output_mode = _checked_mode(output_mode, ("int", "one_hot"))
        self.feature_names = tuple(feature_names)
        self.crossing_dim = crossing_dim

    @property
    def name(self) -> str:
        """The features' names, concatenated."""
        return "_X_".join(self.feature_names)

    def get_config(self) -> Config:
        """The arguments that make an object like this one."""
        return {
            "feature_names": self.feature_names,
            "crossing_dim": self.crossing_dim,
            "output_mode": self.output_mode,
        }

    @classmethod
    def from_config(cls, config: Config) -> Cross:
        """A combination from what `get_config` returned."""
        return cls(**config)


class Feature:
    """The preprocessing of a feature.

    Args:
        dtype: the dtype of the input.
        preprocessor: the layer that prepares it.
        output_mode: "int" for its ids, "one_hot" for vectors of them, "float" for floats.

    Raises:
        ValueError: for other modes.
    """

    def __init__(self, dtype: str, preprocessor: Any, output_mode: str) -> None:
        self.output_mode = _checked_mode(output_mode, ("int", "one_hot", "float"))
        self.dtype = dtype
        if isinstance(preprocessor, dict):
            preprocessor = deserialize_as("layer", preprocessor)
        self.preprocessor = preprocessor

    def get_config(self) -> Config:
        """The arguments that make an object like this one."""
        return {
            "dtype": self.dtype,
            "preprocessor": serialize_keras_object(self.preprocessor),
            "output_mode": self.output_mode,
        }

    @classmethod
    def from_config(cls, config: Config) -> Feature:
        """A feature from what `get_config` returned."""
        return cls(**config)


def _named(name: str | None, kind: str) -> str:
    return f"{name or naming.unique_name(kind)}_preprocessor"


class FeatureSpace(Layer):
    """The features of a table, preprocessed one by one and concatenated.

    Args:
        features: each feature's kind by its name: the name of a kind ("float",
            "float_normalized", "float_rescaled", "float_discretized", "integer_categorical",
            "string_categorical", "integer_hashed", "string_hashed"), or the result of the function
            with that name, or of `FeatureSpace.feature`.
        output_mode: "concat" for one matrix, "dict" for a dictionary of tensors.
        crosses: combinations of features: tuples of names, or results of `FeatureSpace.cross`.
        crossing_dim: the default number of bins of combinations.
        hashing_dim: the default number of bins of hashed features.
        num_discretization_bins: the default number of bins of discretized features.

    `adapt` learns vocabularies and statistics. A call with a dictionary of tensors, of a batch or
    of one example, returns the input of a model; `Dataset.map` may call it. `get_inputs` and
    `get_encoded_features` return the symbolic tensors for models.

    Raises:
        ValueError: if there are no features, or an argument is unknown.

    >>> space = tf.keras.utils.FeatureSpace(
    ...     {"age": "float_normalized", "color": "string_categorical"}, crosses=None
    ... )
    >>> table = {"age": [20.0, 40.0], "color": ["red", "blue"]}
    >>> space.adapt(tf.data.Dataset.from_tensor_slices(table))
    >>> space({"age": tf.constant([40.0]), "color": tf.constant(["red"])}).numpy()
    array([[1., 0., 1., 0.]], dtype=float32)
    """

    @classmethod
    def cross(cls, feature_names: Any, crossing_dim: int, output_mode: str = "one_hot") -> Cross:
        """A combination of features in `crossing_dim` bins."""
        return Cross(feature_names, crossing_dim, output_mode=output_mode)

    @classmethod
    def feature(cls, dtype: str, preprocessor: Any, output_mode: str) -> Feature:
        """A feature with its own layer; see `Feature` for the arguments."""
        return Feature(dtype, preprocessor, output_mode)

    @classmethod
    def float(cls, name: str | None = None) -> Feature:
        """Floats as they are."""
        return Feature("float32", layers.Identity(name=_named(name, "float")), "float")

    @classmethod
    def float_rescaled(
        cls, scale: Any = 1.0, offset: Any = 0.0, name: str | None = None
    ) -> Feature:
        """Values times `scale`, plus `offset`."""
        layer = layers.Rescaling(scale, offset, name=_named(name, "float_rescaled"))
        return Feature("float32", layer, "float")

    @classmethod
    def float_normalized(cls, name: str | None = None) -> Feature:
        """Values normalized to mean 0 and variance 1."""
        layer = layers.Normalization(axis=-1, name=_named(name, "float_normalized"))
        return Feature("float32", layer, "float")

    @classmethod
    def float_discretized(
        cls,
        num_bins: int,
        bin_boundaries: Any = None,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """The bins of values: `num_bins` learned ones, or those between `bin_boundaries`."""
        layer = layers.Discretization(
            bin_boundaries,
            None if bin_boundaries is not None else num_bins,
            name=_named(name, "float_discretized"),
        )
        return Feature("float32", layer, output_mode)

    @classmethod
    def integer_categorical(
        cls,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """Integer categories, whose vocabulary is learned."""
        layer = layers.IntegerLookup(
            max_tokens, num_oov_indices, name=_named(name, "integer_categorical")
        )
        return Feature("int64", layer, output_mode)

    @classmethod
    def string_categorical(
        cls,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """String categories, whose vocabulary is learned."""
        layer = layers.StringLookup(
            max_tokens, num_oov_indices, name=_named(name, "string_categorical")
        )
        return Feature("string", layer, output_mode)

    @classmethod
    def string_hashed(
        cls, num_bins: int, output_mode: str = "one_hot", name: str | None = None
    ) -> Feature:
        """Strings in bins, by their hashes."""
        layer = layers.Hashing(num_bins, name=_named(name, "string_hashed"))
        return Feature("string", layer, output_mode)

    @classmethod
    def integer_hashed(
        cls, num_bins: int, output_mode: str = "one_hot", name: str | None = None
    ) -> Feature:
        """Integers in bins, by their hashes."""
        layer = layers.Hashing(num_bins, name=_named(name, "integer_hashed"))
        return Feature("int64", layer, output_mode)

    def __init__(
        self,
        features: dict[str, Any],
        output_mode: str = "concat",
        crosses: Any = None,
        crossing_dim: int = 32,
        hashing_dim: int = 32,
        num_discretization_bins: int = 32,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not features:
            raise ValueError("The `features` argument cannot be None or empty.")
        if crosses and not crossing_dim:
            raise ValueError(
                "When specifying `crosses`, `crossing_dim` must say how many bins combinations are "
                f"in. Received: crossing_dim={crossing_dim}"
            )
        self.crossing_dim = crossing_dim
        self.hashing_dim = hashing_dim
        self.num_discretization_bins = num_discretization_bins
        attributes = self.__dict__
        self.features = attributes["features"] = {
            name: self._feature(name, value) for name, value in features.items()
        }
        attributes["crosses"] = [self._cross(value, features) for value in crosses or []]
        self.crosses = attributes["crosses"]
        self.output_mode = _checked_mode(output_mode, ("dict", "concat"))
        attributes["inputs"] = {
            name: Input((1,), dtype=feature.dtype, name=name)
            for name, feature in self.features.items()
        }
        self.preprocessors = {name: f.preprocessor for name, f in self.features.items()}
        self.crossers = {
            cross.name: layers.HashedCrossing(cross.crossing_dim, name=cross.name)
            for cross in self.crosses
        }
        self.one_hot_encoders: dict[str, Layer] = {}
        attributes["encoded_features"] = None
        attributes["_is_adapted"] = not self._adaptable()

    inputs: dict[str, Any]
    encoded_features: Any
    _is_adapted: bool

    def _feature(self, name: str, value: Any) -> Feature:
        if isinstance(value, Feature):
            return value
        if isinstance(value, dict):
            return deserialize_as("feature", value)
        makers: dict[str, Any] = {
            "float": self.float,
            "float_normalized": self.float_normalized,
            "float_rescaled": self.float_rescaled,
            "float_discretized": lambda name: self.float_discretized(
                self.num_discretization_bins, name=name
            ),
            "integer_categorical": lambda name: self.integer_categorical(name=name),
            "string_categorical": lambda name: self.string_categorical(name=name),
            "integer_hashed": lambda name: self.integer_hashed(self.hashing_dim, name=name),
            "string_hashed": lambda name: self.string_hashed(self.hashing_dim, name=name),
        }
        make = makers.get(value) if isinstance(value, str) else None
        if make is None:
            raise ValueError(f"Invalid feature type: {value}")
        return make(name=name)

    def _cross(self, value: Any, features: dict[str, Any]) -> Cross:
        if isinstance(value, dict):
            value = deserialize_as("feature", value)
        if isinstance(value, Cross):
            return value
        if any(name not in features for name in value):
            raise ValueError(
                "All features referenced in the `crosses` argument should be present in the "
                f"`features` dict. Received unknown features: {value}"
            )
        return Cross(value, self.crossing_dim)

    def _adaptable(self) -> list[str]:
        """The features whose layers learn from data."""
        given = ("input_vocabulary", "input_bin_boundaries", "input_mean")
        return [
            name
            for name, layer in self.preprocessors.items()
            if isinstance(layer, PreprocessingLayer)
            and all(getattr(layer, key, None) is None for key in given)
        ]

    def adapt(self, dataset: Any) -> None:
        """Learns vocabularies and statistics.

        Args:
            dataset: a `tf.data.Dataset` of dictionaries, of batches or of single examples.

        Raises:
            ValueError: if it is none.
        """
        if not isinstance(dataset, tf_data.Dataset):
            raise ValueError(
                "`adapt()` can only be called on a tf.data.Dataset. "
                f"Received instead: {dataset} (of type {type(dataset)})"
            )
        for name in self._adaptable():
            column = dataset.map(lambda row, name=name: row[name])
            rank = column.element_spec.shape.rank
            next(iter(column), None)  # Keras reads an example first, which shuffles again
            if rank == 0:
                column = column.batch(32)
            if rank in (0, 1):
                column = column.map(lambda values: _ops.expand_dims(values, -1))
            self.preprocessors[name].adapt(column)
        self.__dict__["_is_adapted"] = True
        self.__dict__["encoded_features"] = None
        self.one_hot_encoders = {}
        self.get_encoded_features()

    def get_inputs(self) -> dict[str, KerasTensor]:
        """Symbolic tensors for the features, by their names.

        Raises:
            ValueError: before `adapt`.
        """
        self._check_adapted()
        return self.inputs

    def get_encoded_features(self) -> Any:
        """The symbolic outputs of the space for `get_inputs`.

        Raises:
            ValueError: before `adapt`.
        """
        self._check_adapted()
        if self.encoded_features is None:
            encoded = self._encoded(self.inputs)
            self.__dict__["encoded_features"] = encoded
            self.built = True
        return self.encoded_features

    def _check_adapted(self) -> None:
        if not self._is_adapted:
            raise ValueError(
                "You need to call `.adapt(dataset)` on the FeatureSpace before you can start "
                "using it."
            )

    def build(self, input_shape: Any) -> None:
        self._check_adapted()
        self.get_encoded_features()

    def __call__(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        """Preprocesses features.

        Args:
            data: tensors by the features' names, of a batch or of one example.
            *args: ignored.
            **kwargs: ignored.

        Raises:
            ValueError: before `adapt`, or if `data` is no dictionary.
        """
        self._check_adapted()
        if not isinstance(data, dict):
            raise ValueError(
                "A FeatureSpace can only be called with a dict. "
                f"Received: data={data} (of type {type(data)}"
            )
        if any(isinstance(value, KerasTensor) for value in data.values()):
            return self._encoded(data)
        if self.encoded_features is None:
            self.get_encoded_features()
        return self.call(data)

    def call(self, data: dict[str, Any]) -> Any:
        """Preprocesses features."""
        rows = {name: self._tensor(data[name]) for name in self.features}
        single = any(value.ndim == 0 for value in rows.values())
        for name, value in rows.items():
            if value.ndim < 2:
                rows[name] = _ops.reshape(value, [1, 1] if value.ndim == 0 else [-1, 1])
        result = self._encoded(rows)
        if not single:
            return result
        if self.output_mode == "dict":
            return {name: _ops.squeeze(value, [0]) for name, value in result.items()}
        return _ops.squeeze(result, [0])

    def _tensor(self, value: Any) -> _core.Tensor:
        tensor = as_tensor(value)
        target = self._cast_target(tensor)
        return tensor if target is None else _ops.cast(tensor, target)

    def _encoded(self, rows: dict[str, Any]) -> Any:
        """Rows of features, preprocessed, crossed and concatenated."""
        prepared = {name: layer(rows[name]) for name, layer in self.preprocessors.items()}
        crossed = {
            cross.name: self.crossers[cross.name]([prepared[n] for n in cross.feature_names])
            for cross in self.crosses
        }
        parts: dict[str, Any] = {}
        for name in sorted(self.features):
            parts[name] = self._vectors(name, self.features[name], prepared[name])
        for cross in self.crosses:
            parts[cross.name] = self._vectors(cross.name, cross, crossed[cross.name])
        if self.output_mode == "dict":
            return parts
        for name, value in parts.items():
            if not value.dtype.is_floating:
                raise ValueError(
                    f"Cannot concatenate features because feature '{name}' has not been encoded "
                    f"(it has dtype {dtypes.as_dtype(value.dtype).name}). Consider using "
                    "`output_mode='dict'`."
                )
        if len(parts) == 1:
            return next(iter(parts.values()))
        joining = self.__dict__.setdefault("_joining", layers.Concatenate(axis=-1))
        return joining(list(parts.values()))

    def _vectors(self, name: str, described: Any, value: Any) -> Any:
        """A feature in its output mode."""
        if described.output_mode != "one_hot":
            return value
        if not value.dtype.is_integer:
            raise ValueError(
                f"Feature '{name}' has `output_mode='one_hot'`. Thus its preprocessor should "
                "return an integer dtype. Instead it returns a "
                f"{dtypes.as_dtype(value.dtype).name} dtype."
            )
        encoder = self.one_hot_encoders.get(name)
        if encoder is None:
            layer = self.crossers.get(name) or self.preprocessors[name]
            encoder = layers.CategoryEncoding(_cardinality(name, layer), "multi_hot")
            self.one_hot_encoders[name] = encoder
        return encoder(value)

    def get_config(self) -> Config:
        """The arguments that make a space like this one."""
        return {
            "features": {name: serialize_keras_object(f) for name, f in self.features.items()},
            "output_mode": self.output_mode,
            "crosses": [serialize_keras_object(cross) for cross in self.crosses],
            "crossing_dim": self.crossing_dim,
            "hashing_dim": self.hashing_dim,
            "num_discretization_bins": self.num_discretization_bins,
        }

    @classmethod
    def from_config(cls, config: Config) -> Any:
        """A space from what `get_config` returned."""
        return cls(**config)

    def get_build_config(self) -> Config:
        """Whether the space has been adapted, and the shapes that its layers were built for."""
        shapes = {name: layer.get_build_config() for name, layer in self.preprocessors.items()}
        return {"adapted": self._is_adapted, "preprocessors": shapes}

    def build_from_config(self, config: Config) -> None:
        """Builds the space as `get_build_config` describes; states are read later."""
        self.__dict__["_is_adapted"] = config.get("adapted", True)
        for name, shape in (config.get("preprocessors") or {}).items():
            if shape and not self.preprocessors[name].built:
                self.preprocessors[name].build_from_config(shape)
        self.built = True

    def save(self, filepath: Any) -> None:
        """Writes the space into a `.keras` file, which `tf.keras.models.load_model` reads.

        Args:
            filepath: the file's path.
        """
        save_model(self, filepath)


def _cardinality(name: str, layer: Layer) -> Any:
    """The number of ids that a layer returns.

    Raises:
        ValueError: if it is not known.
    """
    if isinstance(layer, IndexLookup | layers.TextVectorization):
        return layer.vocabulary_size()
    if isinstance(layer, layers.CategoryEncoding):
        return layer.num_tokens
    if isinstance(layer, layers.Discretization):
        boundaries = layer.bin_boundaries
        # Fewer values than bins are learned from leave bins empty.
        return layer.num_bins or len(boundaries) + 1
    if isinstance(layer, layers.HashedCrossing | layers.Hashing):
        return layer.num_bins
    raise ValueError(
        f"Feature '{name}' has `output_mode='one_hot'`. However it isn't a standard feature and "
        "the dimensionality of its output space is not known, thus it cannot be one-hot encoded. "
        "Try using `output_mode='int'`."
    )
