"""Iterators over batches of images that an ImageDataGenerator transforms."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator as _Iterator
from typing import Any

import numpy as np

from eagerflow.keras import config
from eagerflow.keras.utils import image_utils, io_utils
from eagerflow.keras.utils.sequence import Sequence
from eagerflow.typing import Array, DTypeLike
from eagerflow.util.program_warnings import warn

FORMATS = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")


class Iterator(Sequence):
    """Base class: an endless iterator over batches of sample indices, in order or shuffled.

    Args:
        n: the number of samples.
        batch_size: the number of samples in a batch.
        shuffle: whether to shuffle the samples in every epoch.
        seed: the seed of the order and the transformations.
    """

    white_list_formats = FORMATS

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: int | None) -> None:
        self.n = n
        self.batch_size = batch_size
        self.seed = seed
        self.shuffle = shuffle
        self.batch_index = 0
        self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: Any = None
        self.index_generator = self._flow_index()

    def _set_index_array(self) -> None:
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def _seed(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def __getitem__(self, idx: int) -> Any:
        if idx >= len(self):
            raise ValueError(
                f"Asked to retrieve element {idx}, but the Sequence has length {len(self)}"
            )
        self._seed()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        first = self.batch_size * idx
        return self._get_batches_of_transformed_samples(
            self.index_array[first : first + self.batch_size]
        )

    def __len__(self) -> int:
        return (self.n + self.batch_size - 1) // self.batch_size

    def on_epoch_end(self) -> None:
        """Shuffles the samples anew."""
        self._set_index_array()

    def reset(self) -> None:
        """Starts an epoch."""
        self.batch_index = 0

    def _flow_index(self) -> _Iterator[np.ndarray]:
        self.reset()
        while True:
            self._seed()
            if self.batch_index == 0:
                self._set_index_array()
            first = self.batch_index * self.batch_size % self.n if self.n else 0
            more = self.n > first + self.batch_size
            self.batch_index = self.batch_index + 1 if more else 0
            self.total_batches_seen += 1
            yield self.index_array[first : first + self.batch_size]

    def __iter__(self) -> _Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.next()

    def next(self) -> Any:
        """The next batch."""
        with self.lock:
            indices = next(self.index_generator)
        return self._get_batches_of_transformed_samples(indices)

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say what a batch is.")


def save_batch(
    folder: str, batch: np.ndarray, indices: Array, form: tuple[str, str, str | None], most: float
) -> None:
    """Saves the images of a batch for inspection."""
    prefix, file_format, data_format = form
    for image, index in zip(batch, indices, strict=True):
        img = image_utils.array_to_img(image, data_format, scale=True)
        name = f"{prefix}_{index}_{np.random.randint(int(most))}.{file_format}"
        img.save(os.path.join(folder, name))


def part_of(generator: Any, subset: str | None) -> tuple[float, float] | None:
    """The fractions at which a subset begins and ends: the first samples are for validation."""
    if subset is None:
        return None
    if subset == "validation":
        return 0, generator._validation_split
    if subset == "training":
        return generator._validation_split, 1
    raise ValueError(f'Invalid subset name: {subset};expected "training" or "validation"')


class NumpyArrayIterator(Iterator):
    """Batches of images in an array; the arguments are those of `ImageDataGenerator.flow`."""

    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: Any,
        batch_size: int = 32,
        shuffle: bool = False,
        sample_weight: Any = None,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        ignore_class_split: bool = False,
        dtype: Any = None,
    ) -> None:
        data_format = config.image_data_format() if data_format is None else data_format
        self.dtype = config.floatx() if dtype is None else dtype
        others: list[np.ndarray] = []
        if isinstance(x, list | tuple):
            second = x[1] if isinstance(x[1], list) else [x[1]]
            others = [np.asarray(other) for other in second]
            x = x[0]
            for other in others:
                if len(x) != len(other):
                    raise ValueError(
                        "All of the arrays in `x` should have the same length. Found a pair with: "
                        f"len(x[0]) = {len(x)}, len(x[?]) = {len(other)}"
                    )
        for name, values in (("y` (labels)", y), ("sample_weight`", sample_weight)):
            if values is not None and len(x) != len(values):
                raise ValueError(
                    f"`x` (images tensor) and `{name} should have the same length. Found: "
                    f"x.shape = {np.shape(x)}, {name[0]}.shape = {np.shape(values)}"
                )
        if subset is not None:
            x, y, others = self._part(
                x, y, others, image_data_generator, subset, ignore_class_split
            )
        self.x = np.asarray(x, dtype=self.dtype)
        self.x_misc = others
        if self.x.ndim != 4:
            raise ValueError(
                "Input data in `NumpyArrayIterator` should have rank 4. You passed an array with "
                f"shape {self.x.shape}"
            )
        channels = self.x.shape[3 if data_format == "channels_last" else 1]
        if channels not in (1, 3, 4):
            warn(
                f'NumpyArrayIterator is set to use the data format convention "{data_format}", '
                "i.e. expected either 1, 3, or 4 channels. However, it was passed an array with "
                f"shape {self.x.shape} ({channels} channels)."
            )
        self.y = None if y is None else np.asarray(y)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        self.image_data_generator = image_data_generator
        self.data_format = data_format
        self.save_to_dir = save_to_dir
        self.save_prefix = save_prefix
        self.save_format = save_format
        super().__init__(self.x.shape[0], batch_size, shuffle, seed)

    @staticmethod
    def _part(
        x: Any, y: Any, others: list, generator: Any, subset: str, ignore_classes: bool
    ) -> tuple:
        if subset not in ("training", "validation"):
            raise ValueError(f'Invalid subset name: {subset}; expected "training" or "validation".')
        count = int(len(x) * generator._validation_split)
        if y is not None and not ignore_classes:
            y = np.asarray(y)
            if not np.array_equal(np.unique(y[:count]), np.unique(y[count:])):
                raise ValueError(
                    "Training and validation subsets have different number of classes after the "
                    "split. If your numpy arrays are sorted by the label, you might want to "
                    "shuffle them."
                )
        part = slice(None, count) if subset == "validation" else slice(count, None)
        return x[part], (None if y is None else y[part]), [other[part] for other in others]

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        generator = self.image_data_generator
        batch = np.zeros((len(index_array), *self.x.shape[1:]), dtype=self.dtype)
        for row, index in enumerate(index_array):
            image = self.x[index]
            parameters = generator.get_random_transform(image.shape)
            image = generator.apply_transform(image.astype(self.dtype), parameters)
            batch[row] = generator.standardize(image)
        if self.save_to_dir:
            form = (self.save_prefix, self.save_format, self.data_format)
            save_batch(self.save_to_dir, batch, index_array, form, 1e4)
        first: Any = batch
        if self.x_misc:
            first = [batch, *(other[index_array] for other in self.x_misc)]
        if self.y is None:
            return first
        if self.sample_weight is None:
            return first, self.y[index_array]
        return first, self.y[index_array], self.sample_weight[index_array]


class FileIterator(Iterator):
    """Base class of iterators over image files.

    A subclass sets `_filepaths`, `classes`, `class_indices` and, where there are any, `_targets`
    and `_sample_weight`, and then calls this class's `__init__`.
    """

    class_mode: str | None
    class_indices: dict[Any, int]
    classes: Any
    _filepaths: list[str]
    _targets: Any = None
    _sample_weight: Array | None = None

    def _set_form(
        self,
        generator: Any,
        target_size: Any,
        color_mode: str,
        data_format: str,
        save: tuple[str | None, str, str],
        subset: str | None,
        interpolation: str,
        keep_aspect_ratio: bool,
    ) -> None:
        channels = {"rgb": 3, "rgba": 4, "grayscale": 1}.get(color_mode)
        if channels is None:
            raise ValueError(
                f'Invalid color mode: {color_mode}; expected "rgb", "rgba", or "grayscale".'
            )
        self.image_data_generator = generator
        self.target_size = tuple(target_size)
        self.color_mode = color_mode
        self.data_format = data_format
        last = data_format == "channels_last"
        size = self.target_size
        self.image_shape = (*size, channels) if last else (channels, *size)
        self.save_to_dir, self.save_prefix, self.save_format = save
        self.interpolation = interpolation
        self.keep_aspect_ratio = keep_aspect_ratio
        self.subset = subset
        self.split = part_of(generator, subset)

    @property
    def filepaths(self) -> list[str]:
        """The paths of all images."""
        return self._filepaths

    @property
    def labels(self) -> Array:
        """The classes of all images, or their targets."""
        return self.classes if self._targets is None else self._targets

    @property
    def sample_weight(self) -> Any:
        """The weights of all images, if there are any."""
        return self._sample_weight

    def _image(self, path: str) -> np.ndarray:
        img = image_utils.load_img(
            path,
            color_mode=self.color_mode,
            target_size=self.target_size,
            interpolation=self.interpolation,
            keep_aspect_ratio=self.keep_aspect_ratio,
        )
        image = image_utils.img_to_array(img, data_format=self.data_format)
        generator = self.image_data_generator
        if generator:
            parameters = generator.get_random_transform(image.shape)
            image = generator.standardize(generator.apply_transform(image, parameters))
        return image

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        batch = np.zeros((len(index_array), *self.image_shape), dtype=self.dtype)
        for row, index in enumerate(index_array):
            batch[row] = self._image(self._filepaths[index])
        if self.save_to_dir:
            form = (self.save_prefix, self.save_format, self.data_format)
            save_batch(self.save_to_dir, batch, index_array, form, 1e7)
        if self.class_mode is None:
            return batch
        labels = self._labels_of(batch, index_array)
        if self._sample_weight is None:
            return batch, labels
        return batch, labels, self._sample_weight[index_array]

    def _labels_of(self, batch: np.ndarray, index_array: np.ndarray) -> Any:
        mode = self.class_mode
        if mode == "input":
            return batch.copy()
        if mode in ("binary", "sparse"):
            return np.array([self.classes[number] for number in index_array], dtype=self.dtype)
        if mode == "multi_output":
            return [output[index_array] for output in self._targets]
        if mode == "raw":
            return self._targets[index_array]
        rows = np.zeros((len(batch), len(self.class_indices)), dtype=self.dtype)
        for row, index in zip(rows, index_array, strict=True):
            row[self.classes[index]] = 1.0
        return rows

    dtype: Any = "float32"


def _files(folder: str, split: tuple[float, float] | None, follow_links: bool) -> list[str]:
    """The image files of a folder that belong to a subset."""
    paths = []
    for root, _, names in sorted(os.walk(folder, followlinks=follow_links), key=lambda e: e[0]):
        for name in sorted(names):
            if name.lower().endswith(FORMATS):
                paths.append(os.path.join(root, name))
    if split:
        paths = paths[int(split[0] * len(paths)) : int(split[1] * len(paths))]
    return paths


class DirectoryIterator(FileIterator):
    """Batches of the images in a folder; see `ImageDataGenerator.flow_from_directory`."""

    allowed_class_modes = ("categorical", "binary", "sparse", "input", None)

    def __init__(
        self,
        directory: Any,
        image_data_generator: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
        dtype: DTypeLike | None = None,
    ) -> None:
        self._set_form(
            image_data_generator,
            target_size,
            color_mode,
            config.image_data_format() if data_format is None else data_format,
            (save_to_dir, save_prefix, save_format),
            subset,
            interpolation,
            keep_aspect_ratio,
        )
        if class_mode not in self.allowed_class_modes:
            raise ValueError(
                f"Invalid class_mode: {class_mode}; expected one of: {self.allowed_class_modes}"
            )
        self.directory = os.fspath(directory)
        self.class_mode = class_mode
        self.dtype = config.floatx() if dtype is None else dtype
        names = classes or [
            name
            for name in sorted(os.listdir(self.directory))
            if os.path.isdir(os.path.join(self.directory, name))
        ]
        self.num_classes = len(names)
        self.class_indices = {name: index for index, name in enumerate(names)}
        self.filenames: list[str] = []
        class_ids: list[int] = []
        for name in names:
            paths = _files(os.path.join(self.directory, name), self.split, follow_links)
            self.filenames.extend(os.path.relpath(path, self.directory) for path in paths)
            class_ids.extend([self.class_indices[name]] * len(paths))
        self.classes = np.array(class_ids, dtype="int32")
        self.samples = len(self.filenames)
        io_utils.print_msg(f"Found {self.samples} images belonging to {self.num_classes} classes.")
        self._filepaths = [os.path.join(self.directory, name) for name in self.filenames]
        super().__init__(self.samples, batch_size, shuffle, seed)


class DataFrameIterator(FileIterator):
    """Batches of the images a table names; see `ImageDataGenerator.flow_from_dataframe`."""

    allowed_class_modes = ("binary", "categorical", "input", "multi_output", "raw", "sparse", None)

    def __init__(
        self,
        dataframe: Any,
        directory: Any = None,
        image_data_generator: Any = None,
        x_col: str = "filename",
        y_col: Any = "class",
        weight_col: str | None = None,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str = "channels_last",
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
        dtype: DTypeLike = "float32",
        validate_filenames: bool = True,
    ) -> None:
        self._set_form(
            image_data_generator,
            target_size,
            color_mode,
            data_format,
            (save_to_dir, save_prefix, save_format),
            subset,
            interpolation,
            keep_aspect_ratio,
        )
        self.directory = os.fspath(directory or "")
        self.class_mode = class_mode
        self.dtype = dtype
        table = dataframe.copy()
        self._check(table, x_col, y_col, weight_col, classes)
        if validate_filenames:
            table = self._with_files(table, x_col)
        has_classes = class_mode in ("binary", "categorical", "sparse")
        if has_classes:
            table, names = _with_classes(table, y_col, classes)
            self.class_indices = {name: index for index, name in enumerate(names)}
        if self.split:
            start, stop = (int(part * len(table)) for part in self.split)
            table = table.iloc[start:stop, :]
        if has_classes:
            self.classes = [self._number(label) for label in table[y_col]]
        elif class_mode == "multi_output":
            self._targets = [np.array(table[column].tolist()) for column in y_col]
        elif class_mode == "raw":
            self._targets = table[y_col].values
        self.filenames = table[x_col].tolist()
        self._sample_weight = table[weight_col].values if weight_col else None
        self.samples = len(self.filenames)
        text = "validated" if validate_filenames else "non-validated"
        ending = f" belonging to {len(names)} classes." if has_classes else "."
        io_utils.print_msg(f"Found {self.samples} {text} image filenames{ending}")
        self._filepaths = [os.path.join(self.directory, name) for name in self.filenames]
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _number(self, label: Any) -> Any:
        if isinstance(label, list | tuple):
            return [self.class_indices[entry] for entry in label]
        return self.class_indices[label]

    def _check(self, table: Any, x_col: str, y_col: Any, weight_col: Any, classes: Any) -> None:
        mode = self.class_mode
        if mode not in self.allowed_class_modes:
            raise ValueError(
                f"Invalid class_mode: {mode}; expected one of: {self.allowed_class_modes}"
            )
        if mode == "multi_output" and not isinstance(y_col, list):
            raise TypeError(
                f'If class_mode="{mode}", y_col must be a list. Received {type(y_col).__name__}.'
            )
        if not all(isinstance(value, str) for value in table[x_col]):
            raise TypeError(f"All values in column x_col={x_col} must be strings.")
        kinds: tuple = (str, list, tuple) if mode == "categorical" else (str,)
        if mode in ("binary", "sparse", "categorical") and not all(
            isinstance(value, kinds) for value in table[y_col]
        ):
            text = "type string, list or tuple" if mode == "categorical" else "strings"
            raise TypeError(
                f'If class_mode="{mode}", y_col="{y_col}" column values must be {text}.'
            )
        if mode == "binary":
            count = len(set(classes)) if classes else table[y_col].nunique()
            if count != 2:
                raise ValueError(
                    f'If class_mode="binary" there must be 2 classes. Found {count} classes.'
                )
        if classes and mode in ("input", "multi_output", "raw", None):
            warn(f'`classes` will be ignored given the class_mode="{mode}"')
        if weight_col and not np.issubdtype(table[weight_col].dtype, np.number):
            raise TypeError(f"Column weight_col={weight_col} must be numeric.")

    def _with_files(self, table: Any, x_col: str) -> Any:
        """The rows whose files are there."""
        there = np.array(
            [
                name.lower().endswith(FORMATS)
                and os.path.isfile(os.path.join(self.directory, name))
                for name in table[x_col]
            ],
            dtype=bool,
        )
        missing = int((~there).sum())
        if missing:
            warn(
                f'Found {missing} invalid image filename(s) in x_col="{x_col}". These filename(s) '
                "will be ignored."
            )
        return table[there]


def _with_classes(table: Any, y_col: str, classes: Any) -> tuple[Any, list]:
    """The rows of the given classes, and the classes."""
    if not classes:
        labels: set = set()
        for label in table[y_col]:
            labels.update(label if isinstance(label, list | tuple) else [label])
        return table, sorted(labels)
    names = list(dict.fromkeys(classes))

    def kept(label: Any) -> Any:
        if isinstance(label, list | tuple):
            return [entry for entry in label if entry in names] or None
        return label if label in names else None

    table = table.copy()
    table[y_col] = [kept(label) for label in table[y_col]]
    return table.dropna(subset=[y_col]), names
