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
