from eagerflow.horovod import elastic as elastic
from eagerflow.horovod.compression import Compression as Compression
from eagerflow.horovod.gradients import (
    DistributedGradientTape as DistributedGradientTape,
    DistributedOptimizer as DistributedOptimizer,
)
from eagerflow.horovod.operations import (
    Adasum as Adasum,
    allgather as allgather,
    allreduce as allreduce,
    alltoall as alltoall,
    Average as Average,
    barrier as barrier,
    broadcast as broadcast,
    grouped_allgather as grouped_allgather,
    grouped_allreduce as grouped_allreduce,
    grouped_reducescatter as grouped_reducescatter,
    join as join,
    Max as Max,
    Min as Min,
    Product as Product,
    reducescatter as reducescatter,
    Sum as Sum,
)
from eagerflow.horovod.processes import (
    add_process_set as add_process_set,
    cross_rank as cross_rank,
    cross_size as cross_size,
    global_process_set as global_process_set,
    gloo_built as gloo_built,
    gloo_enabled as gloo_enabled,
    init as init,
    is_homogeneous as is_homogeneous,
    is_initialized as is_initialized,
    local_rank as local_rank,
    local_size as local_size,
    mpi_built as mpi_built,
    mpi_enabled as mpi_enabled,
    mpi_threads_supported as mpi_threads_supported,
    nccl_built as nccl_built,
    ProcessSet as ProcessSet,
    rank as rank,
    remove_process_set as remove_process_set,
    shutdown as shutdown,
    size as size,
)
from eagerflow.horovod.state import (
    allgather_object as allgather_object,
    broadcast_object as broadcast_object,
    broadcast_object_fn as broadcast_object_fn,
    broadcast_variables as broadcast_variables,
)
