from eagerflow.test.benchmark import Benchmark as Benchmark, benchmark_config as benchmark_config
from eagerflow.test.case import (
    compute_gradient as compute_gradient,
    disable_with_predicate as disable_with_predicate,
    gpu_device_name as gpu_device_name,
    is_built_with_cuda as is_built_with_cuda,
    is_built_with_gpu_support as is_built_with_gpu_support,
    is_built_with_rocm as is_built_with_rocm,
    is_built_with_xla as is_built_with_xla,
    is_cpu_target_available as is_cpu_target_available,
    is_gpu_available as is_gpu_available,
    main as main,
    TestCase as TestCase,
    with_eager_op_as_function as with_eager_op_as_function,
)
from eagerflow.test import experimental as experimental
from eagerflow.test.graphs import assert_equal_graph_def as assert_equal_graph_def
