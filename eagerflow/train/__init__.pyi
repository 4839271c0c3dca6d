from eagerflow.checkpoint.checkpoint import (
    Checkpoint as Checkpoint,
    CheckpointOptions as CheckpointOptions,
)
from eagerflow.checkpoint.inspection import (
    checkpoints_iterator as checkpoints_iterator,
    CheckpointView as CheckpointView,
    list_variables as list_variables,
    load_checkpoint as load_checkpoint,
    load_variable as load_variable,
    TrackableView as TrackableView,
)
from eagerflow.checkpoint.manager import CheckpointManager as CheckpointManager
from eagerflow.checkpoint.state import (
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
)
from eagerflow.train import experimental as experimental
from eagerflow.distribute.cluster import ClusterSpec as ClusterSpec
from eagerflow.protos.cluster import (
    ClusterDef as ClusterDef,
    JobDef as JobDef,
)
from eagerflow.protos.example import (
    BytesList as BytesList,
    Example as Example,
    Feature as Feature,
    FeatureList as FeatureList,
    FeatureLists as FeatureLists,
    Features as Features,
    FloatList as FloatList,
    Int64List as Int64List,
    SequenceExample as SequenceExample,
)
from eagerflow.protos.session import ServerDef as ServerDef
from eagerflow.train.coordinator import Coordinator as Coordinator
from eagerflow.train.moving_average import ExponentialMovingAverage as ExponentialMovingAverage
