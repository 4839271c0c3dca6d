"""Datasets of the images, texts and sounds in folders."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import always, hosted
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.image.codecs import decode_image
from eagerflow.io import read_file
from eagerflow.keras.utils import image_utils
from eagerflow.keras.utils.directory_index import (
    check_labels,
    check_split,
    index_directory,
    part_of,
)
from eagerflow.ops.creation import one_hot
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.strings.manipulation import substr
from eagerflow.typing import FilePath
from eagerflow.util import lazy
from eagerflow.util.arguments import arguments

if TYPE_CHECKING:
    from eagerflow.data.dataset import Dataset

# Imported when it is first used: few programs need it.
wav = lazy.Module("eagerflow.keras.utils.wav")

_ops = _core.ops

IMAGE_FORMATS = (".bmp", ".gif", ".jpeg", ".jpg", ".png")


def _data() -> Any:
    return importlib.import_module("eagerflow.data")


def _label(mode: str, classes: int) -> Callable[..., _core.Tensor] | Callable[..., Any]:
    """A function that turns a class index into a label."""
    if mode == "binary":
        return lambda x: _ops.expand_dims(_ops.cast(x, dtypes.float32), -1)
    if mode == "categorical":
        return lambda x: one_hot(x, classes)
    return lambda x: x


def _dataset(
    paths: list[str],
    labels: _core.Tensor,
    load: Callable[[Any], Any],
    label_mode: str | None,
    class_names: Any,
    shuffle: bool,
    seed: int,
    batch_size: int | None,
    pad: bool = False,
) -> Dataset:
    data = _data()
    dataset = data.Dataset.from_tensor_slices(paths).map(load, num_parallel_calls=data.AUTOTUNE)
    if label_mode:
        indices = data.Dataset.from_tensor_slices(labels)
        label_dataset = indices.map(_label(label_mode, len(class_names)))
        dataset = data.Dataset.zip((dataset, label_dataset))
    if shuffle:
        buffer = 1024 if batch_size is None else batch_size * 8
        dataset = dataset.shuffle(buffer_size=buffer, seed=seed)
    if batch_size is not None:
        if pad:
            dataset = dataset.padded_batch(batch_size)
        else:
            dataset = dataset.batch(batch_size)
    dataset = dataset.prefetch(data.AUTOTUNE)
    dataset.class_names = class_names
    dataset.file_paths = paths
    return dataset


def _from_directory(
    load: Callable[[Any], Any],
    formats: tuple[str, ...],
    kind: str,
    pad: bool = False,
    *,
    directory: Any,
    labels: _core.Tensor,
    label_mode: str | None,
    class_names: Any,
    batch_size: int | None,
    shuffle: bool,
    seed: int | None,
    validation_split: float | None,
    subset: str | None,
    follow_links: bool,
    **options: object,
) -> Any:
    """The dataset, or datasets, of the files in a folder; `options` are for loading."""
    labels, label_mode = check_labels(labels, label_mode, class_names, kind)
    check_split(validation_split, subset, shuffle, seed)
    if seed is None:
        seed = np.random.randint(1000000)
    paths, labels, class_names = index_directory(
        directory,
        labels,
        formats,
        class_names=class_names,
        shuffle=shuffle,
        seed=seed,
        follow_links=follow_links,
    )
    if label_mode == "binary" and len(class_names) != 2:
        raise ValueError(
            'When passing `label_mode="binary"`, there must be exactly 2 class_names. Received: '
            f"class_names={class_names}"
        )
    parts = ["training", "validation"] if subset == "both" else [subset]
    datasets = []
    for part in parts:
        own_paths, own_labels = part_of(paths, labels, validation_split, part)
        if not own_paths:
            which = f"{part} " if subset == "both" else ""
            raise ValueError(
                f"No {which}{kind} files found in directory {directory}. Allowed formats: {formats}"
            )
        # Validation data keeps its order where both are asked for.
        mixed = shuffle and not (subset == "both" and part == "validation")
        datasets.append(
            _dataset(
                own_paths, own_labels, load, label_mode, class_names, mixed, seed, batch_size, pad
            )
        )
    return datasets if subset == "both" else datasets[0]


def image_dataset_from_directory(
    directory: FilePath,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Any = None,
    color_mode: str = "rgb",
    batch_size: int | None = 32,
    image_size: Any = (256, 256),
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    interpolation: str = "bilinear",
    follow_links: bool = False,
    crop_to_aspect_ratio: bool = False,
    **kwargs: Any,
) -> Any:
    """A dataset of the images in a folder, with one folder inside for each class.

    Args:
        directory: the folder.
        labels: "inferred" from the folders, a list with one label a file, or None for none.
        label_mode: "int", "categorical" (one-hot), "binary" or None.
        class_names: the folders' names in the order of their indices.
        color_mode: "grayscale", "rgb" or "rgba".
        batch_size: None for single images.
        image_size: the height and width all images get.
        shuffle: whether the order is random.
        seed: of the order.
        validation_split: the part that is for validation.
        subset: "training", "validation" or "both", with `validation_split`.
        interpolation: a method of `tf.image.resize`.
        follow_links: whether links to folders are followed.
        crop_to_aspect_ratio: whether images are cut at the sides rather than stretched.
        **kwargs: `smart_resize`, the older name of `crop_to_aspect_ratio`.

    Returns:
        A dataset of float32 images `[batch, height, width, channels]`, with labels if there are
        any; for "both", a list of two. Its `class_names` and `file_paths` are attributes.

    Raises:
        ValueError: for arguments that contradict each other, and for an empty folder.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for kind in ("cats", "dogs"):
    ...     (folder / kind).mkdir()
    ...     tf.keras.utils.save_img(folder / kind / "0.png", np.zeros([8, 8, 3]))
    >>> data = tf.keras.utils.image_dataset_from_directory(folder, image_size=(4, 4))
    Found 2 files belonging to 2 classes.
    >>> data.class_names, data.element_spec[0].shape
    (['cats', 'dogs'], TensorShape([None, 4, 4, 3]))
    """
    given = arguments(locals())
    crop_to_aspect_ratio = kwargs.pop("smart_resize", crop_to_aspect_ratio)
    if kwargs:
        raise TypeError(f"Unknown keywords argument(s): {tuple(kwargs)}")
    channels = {"rgb": 3, "rgba": 4, "grayscale": 1}.get(color_mode)
    if channels is None:
        raise ValueError(
            '`color_mode` must be one of {"rgb", "rgba", "grayscale"}. '
            f"Received: color_mode={color_mode}"
        )
    method = image_utils.get_interpolation(interpolation)

    def load(path: str) -> Any:
        image = decode_image(read_file(path), channels=channels, expand_animations=False)
        if crop_to_aspect_ratio:
            return image_utils.smart_resize(image, image_size, interpolation=method)
        return image_utils.resize(image, image_size, method)

    return _from_directory(load, IMAGE_FORMATS, "image", **given)


def text_dataset_from_directory(
    directory: FilePath,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: object = None,
    batch_size: int | None = 32,
    max_length: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    follow_links: bool = False,
) -> Any:
    """A dataset of the `.txt` files in a folder, with one folder inside for each class.

    Args:
        directory: the folder.
        labels: "inferred" from the folders, a list with one label a file, or None for none.
        label_mode: "int", "categorical" (one-hot), "binary" or None.
        class_names: the folders' names in the order of their indices.
        batch_size: None for single texts.
        max_length: how many bytes of a text are kept.
        shuffle: whether the order is random.
        seed: of the order.
        validation_split: the part that is for validation.
        subset: "training", "validation" or "both", with `validation_split`.
        follow_links: whether links to folders are followed.

    Returns:
        A dataset of strings, with labels if there are any; for "both", a list of two.

    Raises:
        ValueError: for arguments that contradict each other, and for an empty folder.
    """

    given = arguments(locals())

    def load(path: Any) -> _core.Tensor:
        text = read_file(path)
        if max_length is None:
            return text
        return substr(text, 0, max_length)

    return _from_directory(load, (".txt",), "text", **given)


def audio_dataset_from_directory(
    directory: FilePath,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: object = None,
    batch_size: int | None = 32,
    sampling_rate: int | None = None,
    output_sequence_length: int | None = None,
    ragged: bool = False,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    follow_links: bool = False,
) -> Any:
    """A dataset of the `.wav` files in a folder, with one folder inside for each class.

    Args:
        directory: the folder.
        labels: "inferred" from the folders, a list with one label a file, or None for none.
        label_mode: "int", "categorical" (one-hot), "binary" or None.
        class_names: the folders' names in the order of their indices.
        batch_size: None for single sounds.
        sampling_rate: to which sounds are resampled (with SciPy); by default as they are.
        output_sequence_length: to which sounds are cut or filled up; by default those of a batch
            are filled up to the longest.
        ragged: whether sounds are ragged tensors, which batches hold without padding.
        shuffle: whether the order is random.
        seed: of the order.
        validation_split: the part that is for validation.
        subset: "training", "validation" or "both", with `validation_split`.
        follow_links: whether links to folders are followed.

    Returns:
        A dataset of float32 sounds `[batch, samples, channels]` in [-1, 1], with labels if there
        are any; for "both", a list of two.

    Raises:
        ValueError: for arguments that contradict each other, and for an empty folder.
    """
    given = arguments(locals())
    if ragged and output_sequence_length is not None:
        raise ValueError("Cannot set both `ragged` and `output_sequence_length`.")
    if sampling_rate is not None:
        if not isinstance(sampling_rate, int):
            raise ValueError(
                f"`sampling_rate` should have an integer value. Received: {sampling_rate}"
            )
        if sampling_rate <= 0:
            raise ValueError(f"`sampling_rate` should be higher than 0. Received: {sampling_rate}")

    @hosted(always(TensorSpec([output_sequence_length, None], dtypes.float32)))
    def load(path: Any) -> _core.Tensor:
        sound = wav.read_wav(path.numpy(), sampling_rate)
        if output_sequence_length is not None:
            sound = sound[:output_sequence_length]
            missing = output_sequence_length - len(sound)
            sound = np.pad(sound, ((0, missing), (0, 0)))
        return _core.as_tensor(sound)

    def load_ragged(path: FilePath) -> Any:
        return RaggedTensor.from_tensor(load(path))

    pad = output_sequence_length is None and not ragged
    return _from_directory(load_ragged if ragged else load, (".wav",), "audio", pad, **given)
