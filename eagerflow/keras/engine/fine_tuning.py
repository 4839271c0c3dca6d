"""Fine-tuning of models: which weights are trained, and where they start from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eagerflow.checkpoint.trackable import walk
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.tracking import set_frozen
from eagerflow.typing import FilePath
from eagerflow.util import lazy

# Imported when they are first used: few programs need them.
arrays = lazy.Module("eagerflow.checkpoint.arrays")
regular_expressions = lazy.Module("eagerflow.strings.regular_expressions")
pretrained = lazy.Module("eagerflow.keras.saving.pretrained")


class FineTuning:
    """A part of `Model`."""

    def freeze(self, *patterns: str) -> list[str]:
        """Excludes layers and weights from training, by patterns of their paths.

        Paths are those of `save_weights("NAME.safetensors")`: the names of layers in functional and
        Sequential models, and of attributes elsewhere, joined by `/`. A frozen layer is one whose
        `trainable` is False: batch normalization in it also stops to update its statistics. Compile the
        model afterwards.

        Args:
            *patterns: regular expressions in RE2's syntax, each of which must match a whole path.

        Returns:
            The paths of the layers and weights that were matched.

        Raises:
            ValueError: if a pattern matches nothing.

        >>> layers = tf.keras.layers
        >>> parts = [layers.Dense(4, name="one"), layers.Dense(4, name="two")]
        >>> encoder = tf.keras.Sequential(parts, name="encoder")
        >>> model = tf.keras.Sequential(
        ...     [tf.keras.Input([3]), encoder, layers.Dense(2, name="head")]
        ... )
        >>> model.freeze("encoder/one", ".*/bias")
        ['encoder/one', 'head/bias', 'encoder/one/bias', 'encoder/two/bias']
        >>> [weight.name for weight in model.trainable_weights]
        ['two/kernel:0', 'head/kernel:0']
        """
        paths, layers, owners = _matched(self, patterns)
        for layer in layers:
            layer.trainable = False
        for owner, variables in owners:
            set_frozen(owner, variables, True)
        return paths

    def unfreeze(self, *patterns: str) -> list[str]:
        """Includes layers and weights in training again that `freeze` or `trainable` excluded.

        What else is in the layers around them stays frozen, and so do the weights that `enable_lora`
        froze. Compile the model afterwards.

        Args:
            *patterns: as for `freeze`.

        Returns:
            The paths of the layers and weights that were matched.

        Raises:
            ValueError: if a pattern matches nothing.

        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(2,), name="head")])
        >>> model.trainable = False
        >>> model.unfreeze("head/bias")
        ['head/bias']
        >>> [weight.name for weight in model.trainable_weights]
        ['head/bias:0']
        """
        paths, layers, owners = _matched(self, patterns)
        chosen = {id(owner): variables for owner, variables in owners}
        for layer in layers:
            for part in layer._flatten_layers():
                part.trainable = True
                chosen[id(part)] = list(_own_weights(part))
        _open(self, chosen, {})
        return paths

    def load_pretrained(
        self, path: FilePath, names: Mapping[str, Any], strict: bool = True
    ) -> list[str]:
        r"""Loads safetensors files, such as those of a folder from Hugging Face, by a table of names.

        Args:
            path: a file, or a folder with `model.safetensors`, or with parts that
                `model.safetensors.index.json` lists.
            names: for patterns (in RE2's syntax) that match the whole names of arrays, the paths of
                weights; see `freeze`. In a path, `\1` is the first group. The first pattern that
                matches counts. In place of a path there may be a pair of a path and how the array is
                changed: a permutation of its axes or a function; a list of both for arrays of which
                parts are several weights; or None for arrays that are left out.
            strict: whether all weights of the model must be loaded.

        Returns:
            The paths of the loaded weights.

        Raises:
            ValueError: if arrays match no pattern, weights get no array or several, there is no such
                weight, or shapes differ. It names all of them, and nothing is loaded.
            tf.errors.NotFoundError: if there is no such file.
            tf.errors.DataLossError: if a file cannot be read.
            ImportError: if the safetensors package is not installed.

        The names of PyTorch's `Linear` layers, whose matrices are transposed:

        >>> import safetensors.numpy, tempfile
        >>> arrays = {"fc1.weight": np.ones([2, 3], "float32"), "fc1.bias": np.ones([2], "float32")}
        >>> folder = tempfile.mkdtemp()
        >>> safetensors.numpy.save_file(arrays, folder + "/model.safetensors")
        >>> model = tf.keras.Sequential(
        ...     [tf.keras.Input([3]), tf.keras.layers.Dense(2, name="dense1")]
        ... )
        >>> names = {
        ...     r"fc(\d+)\.weight": (r"dense\1/kernel", (1, 0)),
        ...     r"fc(\d+)\.bias": r"dense\1/bias",
        ... }
        >>> model.load_pretrained(folder, names)
        ['dense1/kernel', 'dense1/bias']
        """
        return pretrained.load(self, path, names, strict)


def _own_weights(layer: Any) -> list[Any]:
    """A layer's own weights that training may change."""
    return layer.__dict__.get("_trainable_weights") or []


def _matched(
    model: Any, patterns: Iterable[str]
) -> tuple[list[str], list[Any], list[tuple[Any, list[Any]]]]:
    """The paths that patterns match, the layers there, and the other weights with their owners.

    Raises:
        ValueError: if a pattern matches nothing.
    """
    owners = {id(v): layer for layer in model._flatten_layers() for v in _own_weights(layer)}
    items = {
        path: item
        for item, path in walk(model, arrays.named_children)
        if path and (isinstance(item, Layer) or id(item) in owners)
    }
    chosen: dict[str, Any] = {}
    for pattern in patterns:
        matches = regular_expressions.compiled(pattern.encode()).matches
        found = {path: item for path, item in items.items() if matches(path.encode())}
        if not found:
            known = [path for path, item in items.items() if isinstance(item, Layer)]
            raise ValueError(
                f"The pattern {pattern!r} matches no layer or weight of {model.name}. Its layers: "
                f"{', '.join(known[:20])}{', …' if len(known) > 20 else ''}."
            )
        chosen |= found
    layers = [item for item in chosen.values() if isinstance(item, Layer)]
    by_owner: dict[int, tuple[Any, list[Any]]] = {}
    for item in chosen.values():
        if not isinstance(item, Layer):
            owner = owners[id(item)]
            by_owner.setdefault(id(owner), (owner, []))[1].append(item)
    return list(chosen), layers, list(by_owner.values())


def _open(layer: Any, chosen: dict[int, list[Any]], done: dict[int, bool]) -> bool:
    """Makes a layer trainable if one of the weights `chosen`, by layer, is inside; the others stay frozen.

    Returns:
        Whether one is.
    """
    if id(layer) in done:
        return done[id(layer)]
    done[id(layer)] = True
    inner = list(layer._flatten_layers(include_self=False, recursive=False))
    opened = [_open(part, chosen, done) for part in inner]
    own = chosen.get(id(layer), [])
    done[id(layer)] = bool(own) or any(opened)
    if not done[id(layer)]:
        return False
    if not layer.trainable:
        layer.__dict__["_trainable"] = True
        for part, is_open in zip(inner, opened, strict=True):
            if not is_open:
                part.trainable = False
        set_frozen(layer, _own_weights(layer), True)
    adapted = layer.__dict__.get("_computed_weight")
    base = None if adapted is None else layer.__dict__[adapted].base
    set_frozen(layer, [v for v in own if v is not base], False)
    return True
