from eagerflow_compat.contrib.training.hparams import HParams as HParams
