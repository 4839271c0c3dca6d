"""tf.experimental.extension_type: functions of values of extension types."""

from eagerflow.extension_types.extension_type import as_dict as as_dict
