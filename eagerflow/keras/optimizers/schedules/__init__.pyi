from eagerflow.keras.optimizers.schedules.cosine import (
    CosineDecay as CosineDecay,
    CosineDecayRestarts as CosineDecayRestarts,
)
from eagerflow.keras.optimizers.schedules.decay import (
    ExponentialDecay as ExponentialDecay,
    InverseTimeDecay as InverseTimeDecay,
    PiecewiseConstantDecay as PiecewiseConstantDecay,
    PolynomialDecay as PolynomialDecay,
)
from eagerflow.keras.optimizers.schedules.schedule import (
    LearningRateSchedule as LearningRateSchedule,
)
from eagerflow.keras.optimizers.schedules.serialization import (
    deserialize as deserialize,
    serialize as serialize,
)
