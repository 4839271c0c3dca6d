"""ImageDataGenerator: batches of randomly transformed images."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow.keras import config
from eagerflow.keras.preprocessing.affine import (
    apply_affine_transform,
    apply_brightness_shift,
    apply_channel_shift,
    flip_axis,
)
from eagerflow.keras.preprocessing.image_iterators import (
    DataFrameIterator,
    DirectoryIterator,
    NumpyArrayIterator,
)
from eagerflow.util.arguments import arguments
from eagerflow.util.program_warnings import warn

_UNFIT = (
    "This ImageDataGenerator specifies `{}`, but it hasn't been fit on any training data. Fit it "
    "first by calling `.fit(numpy_data)`."
)


def _drawn(range_: Any, size: int) -> float:
    """A random shift in pixels: drawn from a list, or below a bound in pixels or in fractions of the size."""
    if np.ndim(range_) == 1 or (isinstance(range_, int) and not isinstance(range_, bool)):
        shift = np.random.choice(range_) * np.random.choice([-1, 1])
    else:
        # Keras tries a choice first, which fails for a scalar without drawing.
        shift = np.random.uniform(-range_, range_)
    return shift * size if np.max(range_) < 1 else shift


class ImageDataGenerator:
    """Randomly transforms and standardizes images while they are read.

    Args:
        featurewise_center: subtract the mean of each channel over the data; needs `fit`.
        samplewise_center: subtract each image's mean.
        featurewise_std_normalization: divide by the deviation of each channel; needs `fit`.
        samplewise_std_normalization: divide by each image's deviation.
        zca_whitening: make pixels uncorrelated; needs `fit`.
        zca_epsilon: the epsilon of the whitening.
        rotation_range: the largest rotation in degrees.
        width_shift_range: the largest horizontal shift, as a fraction of the width or in pixels.
        height_shift_range: the largest vertical shift, as a fraction of the height or in pixels.
        brightness_range: the range of factors of the brightness.
        shear_range: the largest shear in degrees.
        zoom_range: zoom by factors between `1 - zoom_range` and `1 + zoom_range`, or of a range.
        channel_shift_range: the largest value to add to channels.
        fill_mode: how points outside are filled: "nearest", "constant", "reflect" or "wrap".
        cval: the value outside for "constant".
        horizontal_flip: flip half of the images horizontally.
        vertical_flip: flip half of the images vertically.
        rescale: a factor for all values.
        preprocessing_function: called with each image after the other transformations.
        data_format: whether the channels come first or last.
        validation_split: the fraction of the subset "validation".
        interpolation_order: the order of the splines between pixels.
        dtype: the dtype of the images.

    Raises:
        ValueError: for ranges of another form.

    >>> generator = tf.keras.preprocessing.image.ImageDataGenerator(rescale=1 / 255)
    >>> batch = next(generator.flow(np.full((4, 2, 2, 1), 255.0), batch_size=3, shuffle=False))
    >>> batch.shape, float(batch.max())
    ((3, 2, 2, 1), 1.0)
    """

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-6,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Any = None,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: float | None = None,
        preprocessing_function: Any = None,
        data_format: str | None = None,
        validation_split: float = 0.0,
        interpolation_order: int = 1,
        dtype: Any = None,
    ) -> None:
        self.data_format = config.image_data_format() if data_format is None else data_format
        if self.data_format not in ("channels_last", "channels_first"):
            raise ValueError(
                '`data_format` should be `"channels_last"` (channel after row and column) or '
                f'`"channels_first"` (channel before row and column). Received: {data_format}'
            )
        first = self.data_format == "channels_first"
        self.channel_axis, self.row_axis, self.col_axis = (1, 2, 3) if first else (3, 1, 2)
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(
                "`validation_split` must be strictly between 0 and 1.  Received: "
                f"{validation_split}"
            )
        if isinstance(zoom_range, int | float):
            self.zoom_range = [1 - zoom_range, 1 + zoom_range]
        elif len(zoom_range) == 2 and all(isinstance(v, int | float) for v in zoom_range):
            self.zoom_range = list(zoom_range)
        else:
            raise ValueError(
                "`zoom_range` should be a float or a tuple or list of two floats. Received: "
                f"{zoom_range}"
            )
        if brightness_range is not None and (
            not isinstance(brightness_range, list | tuple) or len(brightness_range) != 2
        ):
            raise ValueError(
                "`brightness_range should be tuple or list of two floats. Received: "
                f"{brightness_range}"
            )
        if zca_whitening and featurewise_std_normalization:
            featurewise_std_normalization = False
            _overridden("zca_whitening", "featurewise_std_normalization")
        if (zca_whitening or featurewise_std_normalization) and not featurewise_center:
            featurewise_center = True
            by = "zca_whitening" if zca_whitening else "featurewise_std_normalization"
            _overridden(by, "featurewise_center")
        if samplewise_std_normalization and not samplewise_center:
            samplewise_center = True
            _overridden("samplewise_std_normalization", "samplewise_center")
        self.featurewise_center = featurewise_center
        self.samplewise_center = samplewise_center
        self.featurewise_std_normalization = featurewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.zca_whitening = zca_whitening
        self.zca_epsilon = zca_epsilon
        self.rotation_range = rotation_range
        self.width_shift_range = width_shift_range
        self.height_shift_range = height_shift_range
        self.brightness_range = brightness_range
        self.shear_range = shear_range
        self.channel_shift_range = channel_shift_range
        self.fill_mode = fill_mode
        self.cval = cval
        self.horizontal_flip = horizontal_flip
        self.vertical_flip = vertical_flip
        self.rescale = rescale
        self.preprocessing_function = preprocessing_function
        self.interpolation_order = interpolation_order
        self.dtype = config.floatx() if dtype is None else dtype
        self._validation_split = validation_split
        self.mean: Any = None
        self.std: Any = None
        self.zca_whitening_matrix: Any = None

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: Any = None,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        ignore_class_split: bool = False,
        subset: str | None = None,
    ) -> NumpyArrayIterator:
        """An endless iterator of batches of the images in an array.

        Args:
            x: images `[n, height, width, channels]`, or a list of them and of other arrays.
            y: labels.
            batch_size: the number of images in a batch.
            shuffle: whether to shuffle the images in every epoch.
            sample_weight: weights.
            seed: the seed of the order and the transformations.
            save_to_dir: a folder to save the transformed images in, for inspection.
            save_prefix: the prefix of their names.
            save_format: their format.
            ignore_class_split: whether the subsets may have different classes.
            subset: "training" or "validation", with `validation_split`.
        """
        return NumpyArrayIterator(
            image_data_generator=self,
            data_format=self.data_format,
            dtype=self.dtype,
            **arguments(locals()),
        )

    def flow_from_directory(
        self,
        directory: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
    ) -> DirectoryIterator:
        """An iterator of batches of the images in a folder with one folder for each class.

        Args:
            directory: the folder.
            target_size: the height and width to resize images to.
            color_mode: "grayscale", "rgb" or "rgba".
            classes: the names of the folders in the order of the class ids.
            class_mode: "categorical" (one-hot), "binary", "sparse", "input" (the images
                themselves) or None.
            batch_size: the number of images in a batch.
            shuffle: whether to shuffle the images in every epoch.
            seed: the seed of the order and the transformations.
            save_to_dir: a folder to save the transformed images in, for inspection.
            save_prefix: the prefix of their names.
            save_format: their format.
            follow_links: whether to follow links to folders.
            subset: "training" or "validation", with `validation_split`.
            interpolation: the name of a filter of Pillow.
            keep_aspect_ratio: whether to crop images rather than to distort them.
        """
        return DirectoryIterator(
            image_data_generator=self,
            data_format=self.data_format,
            dtype=self.dtype,
            **arguments(locals()),
        )

    def flow_from_dataframe(
        self,
        dataframe: Any,
        directory: Any = None,
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
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        validate_filenames: bool = True,
        **kwargs: Any,
    ) -> DataFrameIterator:
        """An iterator of batches of the images that a pandas DataFrame names.

        Args:
            dataframe: the DataFrame.
            directory: the folder that the names are relative to.
            x_col: the column of names.
            y_col: the column or columns of labels.
            weight_col: the column of weights.
            target_size: the height and width to resize images to.
            color_mode: "grayscale", "rgb" or "rgba".
            classes: the labels in the order of the class ids.
            class_mode: "categorical", "binary", "sparse", "raw" (the labels as they are),
                "multi_output", "input" or None.
            batch_size: the number of images in a batch.
            shuffle: whether to shuffle the images in every epoch.
            seed: the seed of the order and the transformations.
            save_to_dir: a folder to save the transformed images in, for inspection.
            save_prefix: the prefix of their names.
            save_format: their format.
            subset: "training" or "validation", with `validation_split`.
            interpolation: the name of a filter of Pillow.
            validate_filenames: whether to skip rows whose file does not exist.
            **kwargs: deprecated arguments, which are ignored.
        """
        class_mode = "raw" if class_mode == "other" else class_mode
        del kwargs
        return DataFrameIterator(
            image_data_generator=self,
            data_format=self.data_format,
            dtype=self.dtype,
            **arguments(locals()),
        )

    def standardize(self, x: np.ndarray) -> np.ndarray:
        """Standardizes an image, in place if possible."""
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        if self.samplewise_center:
            x -= np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x /= np.std(x, keepdims=True) + 1e-6
        if self.featurewise_center:
            if self.mean is None:
                warn(_UNFIT.format("featurewise_center"))
            else:
                x -= self.mean
        if self.featurewise_std_normalization:
            if self.std is None:
                warn(_UNFIT.format("featurewise_std_normalization"))
            else:
                x /= self.std + 1e-6
        if self.zca_whitening:
            if self.zca_whitening_matrix is None:
                warn(_UNFIT.format("zca_whitening"))
            else:
                flat = x.reshape(-1, np.prod(x.shape[-3:])) @ self.zca_whitening_matrix
                x = flat.reshape(x.shape)
        return x

    def get_random_transform(self, img_shape: Any, seed: int | None = None) -> dict[str, Any]:
        """Random parameters for `apply_transform`."""
        if seed is not None:
            np.random.seed(seed)
        rows, columns = img_shape[self.row_axis - 1], img_shape[self.col_axis - 1]

        def up_to(limit: float) -> float:
            return np.random.uniform(-limit, limit) if limit else 0

        parameters: dict[str, Any] = {"theta": up_to(self.rotation_range)}
        heights, widths = self.height_shift_range, self.width_shift_range
        parameters["tx"] = _drawn(heights, rows) if np.any(heights) else 0
        parameters["ty"] = _drawn(widths, columns) if np.any(widths) else 0
        parameters["shear"] = up_to(self.shear_range)
        zooms: Any = (1, 1)
        if self.zoom_range != [1, 1]:
            zooms = np.random.uniform(self.zoom_range[0], self.zoom_range[1], 2)
        parameters["zx"], parameters["zy"] = zooms
        parameters["flip_horizontal"] = (np.random.random() < 0.5) * self.horizontal_flip
        parameters["flip_vertical"] = (np.random.random() < 0.5) * self.vertical_flip
        parameters["channel_shift_intensity"] = (
            up_to(self.channel_shift_range) if self.channel_shift_range else None
        )
        parameters["brightness"] = None
        if self.brightness_range is not None:
            parameters["brightness"] = np.random.uniform(*self.brightness_range)
        return parameters

    def apply_transform(self, x: np.ndarray, transform_parameters: dict[str, Any]) -> np.ndarray:
        """Applies a transformation to an image; see `apply_affine_transform`."""
        asked = transform_parameters
        rows, columns, channels = self.row_axis - 1, self.col_axis - 1, self.channel_axis - 1
        x = apply_affine_transform(
            x,
            asked.get("theta", 0),
            asked.get("tx", 0),
            asked.get("ty", 0),
            asked.get("shear", 0),
            asked.get("zx", 1),
            asked.get("zy", 1),
            row_axis=rows,
            col_axis=columns,
            channel_axis=channels,
            fill_mode=self.fill_mode,
            cval=self.cval,
            order=self.interpolation_order,
        )
        if asked.get("channel_shift_intensity") is not None:
            x = apply_channel_shift(x, asked["channel_shift_intensity"], channels)
        if asked.get("flip_horizontal", False):
            x = flip_axis(x, columns)
        if asked.get("flip_vertical", False):
            x = flip_axis(x, rows)
        if asked.get("brightness") is not None:
            x = apply_brightness_shift(x, asked["brightness"], False)
        return x

    def random_transform(self, x: np.ndarray, seed: int | None = None) -> np.ndarray:
        """Applies a random transformation to an image."""
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        """Computes the statistics of the data that standardization needs.

        Args:
            x: images `[n, height, width, channels]`.
            augment: whether to transform the images first.
            rounds: the number of transformations of each image.
            seed: the seed of the transformations.

        Raises:
            ValueError: for another rank.
        """
        x = np.array(x, dtype=self.dtype)
        if x.ndim != 4:
            raise ValueError(
                f"Input to `.fit()` should have rank 4. Got array with shape: {x.shape}"
            )
        if x.shape[self.channel_axis] not in (1, 3, 4):
            warn(
                "Expected input to be images (as Numpy array) following the data format "
                f'convention "{self.data_format}", i.e. expected either 1, 3 or 4 channels. '
                f"However, it was passed an array with shape {x.shape}."
            )
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            x *= self.rescale
        if augment:
            x = np.stack([self.random_transform(image) for _ in range(rounds) for image in x])
        axes = (0, self.row_axis, self.col_axis)
        shape = [1, 1, 1]
        shape[self.channel_axis - 1] = x.shape[self.channel_axis]
        if self.featurewise_center:
            self.mean = np.mean(x, axis=axes).reshape(shape)
            x -= self.mean
        if self.featurewise_std_normalization:
            self.std = np.std(x, axis=axes).reshape(shape)
            x /= self.std + 1e-6
        if self.zca_whitening:
            vectors, scales, _ = np.linalg.svd(x.reshape(len(x), -1).T, full_matrices=False)
            inverse = np.sqrt(len(x)) / (scales + self.zca_epsilon)
            self.zca_whitening_matrix = (vectors * inverse) @ vectors.T


def _overridden(by: str, setting: str) -> None:
    warn(f"This ImageDataGenerator specifies `{by}`, which overrides setting of `{setting}`.")
