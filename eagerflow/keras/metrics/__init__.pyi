from eagerflow.keras.metrics import experimental as experimental
from eagerflow.keras.losses.crossentropy import (
    binary_crossentropy as binary_crossentropy,
    binary_focal_crossentropy as binary_focal_crossentropy,
    categorical_crossentropy as categorical_crossentropy,
    categorical_focal_crossentropy as categorical_focal_crossentropy,
    sparse_categorical_crossentropy as sparse_categorical_crossentropy,
)
from eagerflow.keras.losses.hinge_losses import (
    categorical_hinge as categorical_hinge,
    hinge as hinge,
    squared_hinge as squared_hinge,
)
from eagerflow.keras.losses.regression import (
    kl_divergence as kl_divergence,
    log_cosh as log_cosh,
    mean_absolute_error as mean_absolute_error,
    mean_absolute_percentage_error as mean_absolute_percentage_error,
    mean_squared_error as mean_squared_error,
    mean_squared_logarithmic_error as mean_squared_logarithmic_error,
    poisson as poisson,
)
from eagerflow.keras.metrics.accuracy_metrics import (
    Accuracy as Accuracy,
    BinaryAccuracy as BinaryAccuracy,
    CategoricalAccuracy as CategoricalAccuracy,
    SparseCategoricalAccuracy as SparseCategoricalAccuracy,
    SparseTopKCategoricalAccuracy as SparseTopKCategoricalAccuracy,
    TopKCategoricalAccuracy as TopKCategoricalAccuracy,
    accuracy as accuracy,
    binary_accuracy as binary_accuracy,
    categorical_accuracy as categorical_accuracy,
    sparse_categorical_accuracy as sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy as top_k_categorical_accuracy,
)
from eagerflow.keras.metrics.auc import AUC as AUC
from eagerflow.keras.metrics.confusion_metrics import (
    FalseNegatives as FalseNegatives,
    FalsePositives as FalsePositives,
    Precision as Precision,
    PrecisionAtRecall as PrecisionAtRecall,
    Recall as Recall,
    RecallAtPrecision as RecallAtPrecision,
    SensitivityAtSpecificity as SensitivityAtSpecificity,
    SpecificityAtSensitivity as SpecificityAtSensitivity,
    TrueNegatives as TrueNegatives,
    TruePositives as TruePositives,
)
from eagerflow_compat.keras.metrics.correlation import (
    ConcordanceCorrelation as ConcordanceCorrelation,
    PearsonCorrelation as PearsonCorrelation,
    concordance_correlation as concordance_correlation,
    pearson_correlation as pearson_correlation,
)
from eagerflow.keras.metrics.f_score import F1Score as F1Score, FBetaScore as FBetaScore
from eagerflow.keras.metrics.iou import (
    BinaryIoU as BinaryIoU,
    IoU as IoU,
    MeanIoU as MeanIoU,
    OneHotIoU as OneHotIoU,
    OneHotMeanIoU as OneHotMeanIoU,
)
from eagerflow.keras.metrics.loss_metrics import (
    BinaryCrossentropy as BinaryCrossentropy,
    CategoricalCrossentropy as CategoricalCrossentropy,
    CategoricalHinge as CategoricalHinge,
    Hinge as Hinge,
    KLDivergence as KLDivergence,
    LogCoshError as LogCoshError,
    MeanAbsoluteError as MeanAbsoluteError,
    MeanAbsolutePercentageError as MeanAbsolutePercentageError,
    MeanSquaredError as MeanSquaredError,
    MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
    Poisson as Poisson,
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
    SquaredHinge as SquaredHinge,
)
from eagerflow.keras.metrics.metric import Metric as Metric
from eagerflow.keras.metrics.reduction_metrics import (
    Mean as Mean,
    MeanMetricWrapper as MeanMetricWrapper,
    MeanTensor as MeanTensor,
    Sum as Sum,
    SumOverBatchSizeMetricWrapper as SumOverBatchSizeMetricWrapper,
)
from eagerflow.keras.metrics.regression import (
    CosineSimilarity as CosineSimilarity,
    MeanRelativeError as MeanRelativeError,
    R2Score as R2Score,
    RootMeanSquaredError as RootMeanSquaredError,
    cosine_similarity as cosine_similarity,
)
from eagerflow.keras.metrics.serialization import (
    deserialize as deserialize,
    get as get,
    serialize as serialize,
)

ACC = acc = accuracy
BCE = bce = binary_crossentropy
MSE = mse = mean_squared_error
MAE = mae = mean_absolute_error
MAPE = mape = mean_absolute_percentage_error
MSLE = msle = mean_squared_logarithmic_error
KLD = kld = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
cosine_proximity = cosine_similarity
