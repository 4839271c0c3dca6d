"""tf.compat.v1.train: version 1's optimizers and what belongs to training."""

from eagerflow.checkpoint.inspection import NewCheckpointReader
from eagerflow.distribute.server import Server
from eagerflow.train.coordinator import Coordinator, LooperThread
from eagerflow_compat.v1.checkpoint_state import (
    generate_checkpoint_state_proto,
    get_checkpoint_mtimes,
    remove_checkpoint,
    update_checkpoint_state,
)
from eagerflow_compat.v1.decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from eagerflow_compat.v1.devices import replica_device_setter
from eagerflow_compat.v1.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from eagerflow_compat.v1.input_queues import (
    batch,
    batch_join,
    input_producer,
    limit_epochs,
    match_filenames_once,
    maybe_batch,
    maybe_batch_join,
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    range_input_producer,
    shuffle_batch,
    shuffle_batch_join,
    slice_input_producer,
    string_input_producer,
)
from eagerflow_compat.v1.meta_graphs import export_meta_graph, import_meta_graph
from eagerflow_compat.v1.mirror import mirror
from eagerflow_compat.v1.monitored_session import (
    ChiefSessionCreator,
    MonitoredSession,
    MonitoredTrainingSession,
    Scaffold,
    SessionCreator,
    SessionManager,
    SingularMonitoredSession,
    WorkerSessionCreator,
)
from eagerflow_compat.v1.optimizers import (
    AdadeltaOptimizer,
    AdagradDAOptimizer,
    AdagradOptimizer,
    AdamOptimizer,
    FtrlOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    Optimizer,
    ProximalAdagradOptimizer,
    ProximalGradientDescentOptimizer,
    RMSPropOptimizer,
)
from eagerflow_compat.v1.queue_runner import QueueRunner, add_queue_runner, start_queue_runners
from eagerflow_compat.v1.saver import Saver, checkpoint_exists
from eagerflow_compat.v1.session_hooks import (
    CheckpointSaverHook,
    CheckpointSaverListener,
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
    StopAtStepHook,
    SummarySaverHook,
)
from eagerflow_compat.v1.summary import summary_iterator
from eagerflow_compat.v1.supervisor import Supervisor, basic_train_loop
from eagerflow_compat.v1.sync_replicas import SyncReplicasOptimizer
from eagerflow_compat.v1.warm_start import VocabInfo, init_from_checkpoint, warm_start

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.train",
    renamed={
        "SaverDef": "protos.saved_model.SaverDef",
        "experimental": "v1.train_experimental",
        "queue_runner": "v1.queue_runner",
        "write_graph": "io.write_graph",
    },
)
