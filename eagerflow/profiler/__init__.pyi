from eagerflow.profiler import experimental as experimental
from eagerflow.profiler.table import profile as profile, Profile as Profile
