from eagerflow_compat.contrib.tensorboard import plugins as plugins
