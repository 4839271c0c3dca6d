"""tf.experimental: names whose meaning may change."""

import importlib
import typing

from eagerflow.experimental import dlpack
from eagerflow.framework.dtypes import (
    float4_e2m1fn,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    int2,
    int4,
    uint2,
    uint4,
)

if typing.TYPE_CHECKING:
    from eagerflow.data.iterator import Optional
    from eagerflow.experimental.dispatch import (
        dispatch_for_api,
        dispatch_for_binary_elementwise_apis,
        dispatch_for_binary_elementwise_assert_apis,
        dispatch_for_unary_elementwise_apis,
        unregister_dispatch_for,
    )
    from eagerflow.experimental.execution import (
        async_clear_error,
        async_scope,
        function_executor_type,
    )
    from eagerflow.extension_types.batching import (
        BatchableExtensionType,
        ExtensionTypeBatchEncoder,
    )
    from eagerflow.extension_types.extension_type import ExtensionType, ExtensionTypeSpec
    from eagerflow.ragged.dynamic_shape import DynamicRaggedShape
    from eagerflow.ragged.row_partition import RowPartition
    from eagerflow.ragged.structured import StructuredTensor

# Few programs name these; each is imported when it is first asked for.
_MODULES = {
    "extension_type": "eagerflow.experimental.extension_type",
    "numpy": "eagerflow.experimental.numpy",
}
_NAMES = {
    "StructuredTensor": "eagerflow.ragged.structured",
    "async_clear_error": "eagerflow.experimental.execution",
    "async_scope": "eagerflow.experimental.execution",
    "function_executor_type": "eagerflow.experimental.execution",
    "DynamicRaggedShape": "eagerflow.ragged.dynamic_shape",
    "RowPartition": "eagerflow.ragged.row_partition",
    "dispatch_for_api": "eagerflow.experimental.dispatch",
    "dispatch_for_binary_elementwise_apis": "eagerflow.experimental.dispatch",
    "dispatch_for_binary_elementwise_assert_apis": "eagerflow.experimental.dispatch",
    "dispatch_for_unary_elementwise_apis": "eagerflow.experimental.dispatch",
    "unregister_dispatch_for": "eagerflow.experimental.dispatch",
    "BatchableExtensionType": "eagerflow.extension_types.batching",
    "ExtensionType": "eagerflow.extension_types.extension_type",
    "ExtensionTypeBatchEncoder": "eagerflow.extension_types.batching",
    "ExtensionTypeSpec": "eagerflow.extension_types.extension_type",
    "Optional": "eagerflow.data.iterator",
}

__all__ = [
    "BatchableExtensionType",
    "DynamicRaggedShape",
    "ExtensionType",
    "ExtensionTypeBatchEncoder",
    "ExtensionTypeSpec",
    "Optional",
    "RowPartition",
    "StructuredTensor",
    "async_clear_error",
    "async_scope",
    "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis",
    "dlpack",
    "extension_type",
    "float4_e2m1fn",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "function_executor_type",
    "int2",
    "int4",
    "numpy",
    "uint2",
    "uint4",
    "unregister_dispatch_for",
]


def __getattr__(name: str) -> typing.Any:
    if name in _MODULES:
        found: typing.Any = importlib.import_module(_MODULES[name])
    elif name in _NAMES:
        found = getattr(importlib.import_module(_NAMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
