from eagerflow_compat.contrib.metrics.streaming import (
    streaming_accuracy as streaming_accuracy,
    streaming_auc as streaming_auc,
    streaming_false_negatives as streaming_false_negatives,
    streaming_false_negatives_at_thresholds as streaming_false_negatives_at_thresholds,
    streaming_false_positives as streaming_false_positives,
    streaming_false_positives_at_thresholds as streaming_false_positives_at_thresholds,
    streaming_mean_absolute_error as streaming_mean_absolute_error,
    streaming_mean_cosine_distance as streaming_mean_cosine_distance,
    streaming_mean_iou as streaming_mean_iou,
    streaming_mean_relative_error as streaming_mean_relative_error,
    streaming_mean_squared_error as streaming_mean_squared_error,
    streaming_precision as streaming_precision,
    streaming_precision_at_thresholds as streaming_precision_at_thresholds,
    streaming_recall as streaming_recall,
    streaming_recall_at_k as streaming_recall_at_k,
    streaming_recall_at_thresholds as streaming_recall_at_thresholds,
    streaming_root_mean_squared_error as streaming_root_mean_squared_error,
    streaming_sensitivity_at_specificity as streaming_sensitivity_at_specificity,
    streaming_sparse_average_precision_at_k as streaming_sparse_average_precision_at_k,
    streaming_sparse_precision_at_k as streaming_sparse_precision_at_k,
    streaming_sparse_precision_at_top_k as streaming_sparse_precision_at_top_k,
    streaming_sparse_recall_at_k as streaming_sparse_recall_at_k,
    streaming_specificity_at_sensitivity as streaming_specificity_at_sensitivity,
    streaming_true_negatives as streaming_true_negatives,
    streaming_true_negatives_at_thresholds as streaming_true_negatives_at_thresholds,
    streaming_true_positives as streaming_true_positives,
    streaming_true_positives_at_thresholds as streaming_true_positives_at_thresholds,
)
from eagerflow_compat.contrib.metrics.values import (
    accuracy as accuracy,
    aggregate_metric_map as aggregate_metric_map,
    aggregate_metrics as aggregate_metrics,
)
from eagerflow.ops.sets import (
    difference,
    intersection,
    size,
    union,
)
from eagerflow.ops.segment import confusion_matrix as confusion_matrix
from eagerflow_compat.v1.metrics import mean, mean_tensor, percentage_below

set_difference = difference
set_intersection = intersection
set_size = size
set_union = union
streaming_mean = mean
streaming_mean_tensor = mean_tensor
streaming_percentage_less = percentage_below
