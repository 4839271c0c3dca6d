from eagerflow.keras.callbacks import experimental as experimental
from eagerflow.keras.callbacks.backup import BackupAndRestore as BackupAndRestore
from eagerflow.keras.callbacks.callback import Callback as Callback
from eagerflow.keras.callbacks.callback_list import CallbackList as CallbackList
from eagerflow.keras.callbacks.early_stopping import (
    EarlyStopping as EarlyStopping,
    TerminateOnNaN as TerminateOnNaN,
)
from eagerflow.keras.callbacks.history import BaseLogger as BaseLogger, History as History
from eagerflow.keras.callbacks.learning_rate import (
    LearningRateScheduler as LearningRateScheduler,
    ReduceLROnPlateau as ReduceLROnPlateau,
)
from eagerflow.keras.callbacks.loggers import (
    CSVLogger as CSVLogger,
    LambdaCallback as LambdaCallback,
    RemoteMonitor as RemoteMonitor,
)
from eagerflow.keras.callbacks.model_checkpoint import ModelCheckpoint as ModelCheckpoint
from eagerflow.keras.callbacks.progbar_logger import ProgbarLogger as ProgbarLogger
from eagerflow.keras.callbacks.recovery import RestoreOnNaN as RestoreOnNaN
from eagerflow.keras.callbacks.sidecar import (
    SidecarEvaluatorModelExport as SidecarEvaluatorModelExport,
)
from eagerflow.keras.callbacks.tensorboard import TensorBoard as TensorBoard
