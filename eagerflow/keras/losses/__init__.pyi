from eagerflow.keras.losses.crossentropy import (
    binary_crossentropy as binary_crossentropy,
    binary_focal_crossentropy as binary_focal_crossentropy,
    categorical_crossentropy as categorical_crossentropy,
    categorical_focal_crossentropy as categorical_focal_crossentropy,
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from eagerflow_compat.keras.losses.embeddings import (
    CTC as CTC,
    CategoricalGeneralizedCrossEntropy as CategoricalGeneralizedCrossEntropy,
    Circle as Circle,
    categorical_generalized_cross_entropy as categorical_generalized_cross_entropy,
    circle as circle,
    ctc as ctc,
)
from eagerflow.keras.losses.entropy_losses import (
    BinaryCrossentropy as BinaryCrossentropy,
    BinaryFocalCrossentropy as BinaryFocalCrossentropy,
    CategoricalCrossentropy as CategoricalCrossentropy,
    CategoricalFocalCrossentropy as CategoricalFocalCrossentropy,
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from eagerflow.keras.losses.hinge_losses import (
    CategoricalHinge as CategoricalHinge,
    Hinge as Hinge,
    SquaredHinge as SquaredHinge,
    categorical_hinge as categorical_hinge,
    hinge as hinge,
    squared_hinge as squared_hinge,
)
from eagerflow.keras.losses.loss import Loss as Loss, LossFunctionWrapper as LossFunctionWrapper
from eagerflow_compat.keras.losses.overlap import (
    Dice as Dice,
    Tversky as Tversky,
    dice as dice,
    tversky as tversky,
)
from eagerflow.keras.losses.regression import (
    CosineSimilarity as CosineSimilarity,
    Huber as Huber,
    KLDivergence as KLDivergence,
    LogCosh as LogCosh,
    MeanAbsoluteError as MeanAbsoluteError,
    MeanAbsolutePercentageError as MeanAbsolutePercentageError,
    MeanSquaredError as MeanSquaredError,
    MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
    Poisson as Poisson,
    cosine_similarity as cosine_similarity,
    huber as huber,
    kl_divergence as kl_divergence,
    log_cosh as log_cosh,
    mean_absolute_error as mean_absolute_error,
    mean_absolute_percentage_error as mean_absolute_percentage_error,
    mean_squared_error as mean_squared_error,
    mean_squared_logarithmic_error as mean_squared_logarithmic_error,
    poisson as poisson,
)
from eagerflow.keras.losses.serialization import (
    deserialize as deserialize,
    get as get,
    serialize as serialize,
)
from eagerflow.keras.losses.weighting import Reduction as Reduction

BCE = bce = binary_crossentropy
MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
huber_loss = huber
