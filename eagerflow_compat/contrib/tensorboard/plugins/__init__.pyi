from eagerflow_compat.contrib.tensorboard.plugins import projector as projector
