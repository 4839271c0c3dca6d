"""tf.keras.callbacks: what is called while a model is trained."""

from eagerflow.keras.callbacks.backup import BackupAndRestore
from eagerflow.keras.callbacks.callback import Callback
from eagerflow.keras.callbacks.callback_list import CallbackList
from eagerflow.keras.callbacks.early_stopping import EarlyStopping, TerminateOnNaN
from eagerflow.keras.callbacks.history import BaseLogger, History
from eagerflow.keras.callbacks.learning_rate import LearningRateScheduler, ReduceLROnPlateau
from eagerflow.keras.callbacks.loggers import CSVLogger, LambdaCallback, RemoteMonitor
from eagerflow.keras.callbacks.model_checkpoint import ModelCheckpoint
from eagerflow.keras.callbacks.progbar_logger import ProgbarLogger
from eagerflow.keras.callbacks.sidecar import SidecarEvaluatorModelExport
from eagerflow.keras.callbacks.tensorboard import TensorBoard

__all__ = [
    "BackupAndRestore",
    "BaseLogger",
    "CSVLogger",
    "Callback",
    "CallbackList",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "ModelCheckpoint",
    "ProgbarLogger",
    "ReduceLROnPlateau",
    "RemoteMonitor",
    "SidecarEvaluatorModelExport",
    "TensorBoard",
    "TerminateOnNaN",
]
