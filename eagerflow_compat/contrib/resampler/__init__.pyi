from eagerflow_compat.contrib.resampler.points import resampler as resampler
