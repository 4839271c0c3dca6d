"""tf.test: test cases, benchmarks, and questions about the build."""

from eagerflow.test.benchmark import Benchmark, benchmark_config
from eagerflow.test.case import (
    TestCase,
    compute_gradient,
    disable_with_predicate,
    gpu_device_name,
    is_built_with_cuda,
    is_built_with_gpu_support,
    is_built_with_rocm,
    is_built_with_xla,
    is_cpu_target_available,
    is_gpu_available,
    main,
    with_eager_op_as_function,
)

__all__ = [
    "Benchmark",
    "TestCase",
    "benchmark_config",
    "compute_gradient",
    "disable_with_predicate",
    "gpu_device_name",
    "is_built_with_cuda",
    "is_built_with_gpu_support",
    "is_built_with_rocm",
    "is_built_with_xla",
    "is_cpu_target_available",
    "is_gpu_available",
    "main",
    "with_eager_op_as_function",
]
