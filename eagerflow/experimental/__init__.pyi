from eagerflow.data.iterator import Optional as Optional
from eagerflow.experimental.dispatch import (
    dispatch_for_api as dispatch_for_api,
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for as unregister_dispatch_for,
)
from eagerflow.experimental import (
    dlpack as dlpack,
    extension_type as extension_type,
    numpy as numpy,
)
from eagerflow.experimental.execution import (
    async_clear_error as async_clear_error,
    async_scope as async_scope,
    function_executor_type as function_executor_type,
)
from eagerflow.extension_types.batching import (
    BatchableExtensionType as BatchableExtensionType,
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
)
from eagerflow.extension_types.extension_type import (
    ExtensionType as ExtensionType,
    ExtensionTypeSpec as ExtensionTypeSpec,
)
from eagerflow.framework.dtypes import (
    float4_e2m1fn as float4_e2m1fn,
    float8_e4m3b11fnuz as float8_e4m3b11fnuz,
    float8_e4m3fn as float8_e4m3fn,
    float8_e4m3fnuz as float8_e4m3fnuz,
    float8_e5m2 as float8_e5m2,
    float8_e5m2fnuz as float8_e5m2fnuz,
    int2 as int2,
    int4 as int4,
    uint2 as uint2,
    uint4 as uint4,
)
from eagerflow.ragged.dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
from eagerflow.ragged.row_partition import RowPartition as RowPartition
from eagerflow.ragged.structured import StructuredTensor as StructuredTensor
