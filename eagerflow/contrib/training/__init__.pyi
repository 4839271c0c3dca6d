from eagerflow.contrib.training.hparams import HParams as HParams
