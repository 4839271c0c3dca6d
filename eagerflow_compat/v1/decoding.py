"""Decoding in graphs, where the specs of the results follow from the arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from eagerflow import _core, image, io
from eagerflow.framework import context, dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.nodes import python_node
from eagerflow_compat.v1.arguments import version_1

_version_1 = functools.partial(version_1, __name__)


def _declared(function: Callable[..., Any], specs_of: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose nodes have the outputs that `specs_of` returns; for None, they are inferred."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if context.building_graph() is None:
            return function(*args, **kwargs)
        specs = specs_of(*args, **kwargs)
        if specs is None:
            return function(*args, **kwargs)
        name = kwargs.pop("name", None)
        return python_node(
            lambda args, kwargs: function(*args, **kwargs),
            args,
            kwargs,
            kind=function.__name__,
            name=name,
            outputs=specs,
        )

    wrapper.__module__ = __name__
    return wrapper


def _shape(value: _core.Tensor) -> TensorShape:
    return value.shape if hasattr(value, "shape") else _core.as_tensor(value).shape


def _columns(records: Any, record_defaults: Any, *args: object, **kwargs: Any) -> list[TensorSpec]:
    chosen = kwargs.get("select_cols")
    count = len(record_defaults) if chosen is None else len(chosen)
    specs = []
    for default in list(record_defaults)[:count]:
        known = isinstance(default, dtypes.DType)
        kind = default if known else _core.as_tensor(default).dtype
        specs.append(TensorSpec(_shape(records), kind))
    return specs


def _numbers(input_bytes: Any = None, out_type: Any = None, *args: object, **kwargs: object) -> Any:
    return TensorSpec(
        _shape(input_bytes).concatenate(TensorShape([None])), dtypes.as_dtype(out_type)
    )


def _pixels(contents: _core.Tensor, channels: int = 0, *args: object, **kwargs: Any) -> TensorSpec:
    kind = kwargs.get("dtype", dtypes.uint8)
    return TensorSpec([None, None, channels or None], dtypes.as_dtype(kind))


def _scalar(*args: object, **kwargs: object) -> TensorSpec:
    return TensorSpec([], dtypes.string)


decode_csv = _version_1(
    "decode_csv(records, record_defaults, field_delim=',', use_quote_delim=True, name=None,"
    " na_value='', select_cols=None)",
    _declared(io.decode_csv, _columns),
    "The columns of lines, as tensors.",
)
decode_raw = _version_1(
    "decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None)",
    _declared(io.decode_raw, _numbers),
    "The numbers in the bytes of strings.",
    bytes="input_bytes",
)
parse_single_example = _version_1(
    "parse_single_example(serialized, features, name=None, example_names=None)",
    io.parse_single_example,
    "The features of a serialized `Example`.",
)
parse_example = _version_1(
    "parse_example(serialized, features, name=None, example_names=None)",
    io.parse_example,
    "The features of serialized `Example`s.",
)
read_file = _declared(io.read_file, _scalar)
decode_image = _declared(
    image.decode_image, lambda *args, **kwargs: TensorSpec(None, _pixels(*args, **kwargs).dtype)
)
decode_jpeg = _declared(image.decode_jpeg, _pixels)
decode_png = _declared(image.decode_png, _pixels)
decode_bmp = _declared(image.decode_bmp, _pixels)
