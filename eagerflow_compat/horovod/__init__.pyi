from eagerflow_compat.horovod import elastic as elastic
from eagerflow_compat.horovod.compression import Compression as Compression
from eagerflow_compat.horovod.gradients import (
    DistributedGradientTape as DistributedGradientTape,
)
from eagerflow_compat.horovod.gradients import (
    DistributedOptimizer as DistributedOptimizer,
)
from eagerflow_compat.horovod.operations import (
    Adasum as Adasum,
)
from eagerflow_compat.horovod.operations import (
    Average as Average,
)
from eagerflow_compat.horovod.operations import (
    Max as Max,
)
from eagerflow_compat.horovod.operations import (
    Min as Min,
)
from eagerflow_compat.horovod.operations import (
    Product as Product,
)
from eagerflow_compat.horovod.operations import (
    Sum as Sum,
)
from eagerflow_compat.horovod.operations import (
    allgather as allgather,
)
from eagerflow_compat.horovod.operations import (
    allreduce as allreduce,
)
from eagerflow_compat.horovod.operations import (
    alltoall as alltoall,
)
from eagerflow_compat.horovod.operations import (
    barrier as barrier,
)
from eagerflow_compat.horovod.operations import (
    broadcast as broadcast,
)
from eagerflow_compat.horovod.operations import (
    grouped_allgather as grouped_allgather,
)
from eagerflow_compat.horovod.operations import (
    grouped_allreduce as grouped_allreduce,
)
from eagerflow_compat.horovod.operations import (
    grouped_reducescatter as grouped_reducescatter,
)
from eagerflow_compat.horovod.operations import (
    join as join,
)
from eagerflow_compat.horovod.operations import (
    reducescatter as reducescatter,
)
from eagerflow_compat.horovod.processes import (
    ProcessSet as ProcessSet,
)
from eagerflow_compat.horovod.processes import (
    add_process_set as add_process_set,
)
from eagerflow_compat.horovod.processes import (
    cross_rank as cross_rank,
)
from eagerflow_compat.horovod.processes import (
    cross_size as cross_size,
)
from eagerflow_compat.horovod.processes import (
    global_process_set as global_process_set,
)
from eagerflow_compat.horovod.processes import (
    gloo_built as gloo_built,
)
from eagerflow_compat.horovod.processes import (
    gloo_enabled as gloo_enabled,
)
from eagerflow_compat.horovod.processes import (
    init as init,
)
from eagerflow_compat.horovod.processes import (
    is_homogeneous as is_homogeneous,
)
from eagerflow_compat.horovod.processes import (
    is_initialized as is_initialized,
)
from eagerflow_compat.horovod.processes import (
    local_rank as local_rank,
)
from eagerflow_compat.horovod.processes import (
    local_size as local_size,
)
from eagerflow_compat.horovod.processes import (
    mpi_built as mpi_built,
)
from eagerflow_compat.horovod.processes import (
    mpi_enabled as mpi_enabled,
)
from eagerflow_compat.horovod.processes import (
    mpi_threads_supported as mpi_threads_supported,
)
from eagerflow_compat.horovod.processes import (
    nccl_built as nccl_built,
)
from eagerflow_compat.horovod.processes import (
    rank as rank,
)
from eagerflow_compat.horovod.processes import (
    remove_process_set as remove_process_set,
)
from eagerflow_compat.horovod.processes import (
    shutdown as shutdown,
)
from eagerflow_compat.horovod.processes import (
    size as size,
)
from eagerflow_compat.horovod.state import (
    allgather_object as allgather_object,
)
from eagerflow_compat.horovod.state import (
    broadcast_object as broadcast_object,
)
from eagerflow_compat.horovod.state import (
    broadcast_object_fn as broadcast_object_fn,
)
from eagerflow_compat.horovod.state import (
    broadcast_variables as broadcast_variables,
)
