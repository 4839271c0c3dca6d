"""tf.feature_column: how the inputs of models for tables are made from features."""

from typing import Any as _Any

from eagerflow.feature_column.categories import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    weighted_categorical_column,
)
from eagerflow.feature_column.crossed import crossed_column
from eagerflow.feature_column.embedding import embedding_column, shared_embeddings
from eagerflow.feature_column.indicator import indicator_column
from eagerflow.feature_column.numeric import bucketized_column, numeric_column
from eagerflow.feature_column.parsing import make_parse_example_spec
from eagerflow.feature_column.sequence import (
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
)
from eagerflow.feature_column.vocabulary import (
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)


def classes() -> dict[str, _Any]:
    """The classes of columns by the names that configurations have for them."""
    from eagerflow.feature_column import (
        categories,
        crossed,
        embedding,
        indicator,
        numeric,
        sequence,
        vocabulary,
    )

    found = [
        categories.HashedCategoricalColumn,
        categories.IdentityCategoricalColumn,
        categories.WeightedCategoricalColumn,
        crossed.CrossedColumn,
        embedding.EmbeddingColumn,
        indicator.IndicatorColumn,
        numeric.BucketizedColumn,
        numeric.NumericColumn,
        sequence.SequenceCategoricalColumn,
        sequence.SequenceNumericColumn,
        vocabulary.VocabularyFileCategoricalColumn,
        vocabulary.VocabularyListCategoricalColumn,
    ]
    return {cls.__name__: cls for cls in found}


__all__ = [
    "bucketized_column",
    "categorical_column_with_hash_bucket",
    "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file",
    "categorical_column_with_vocabulary_list",
    "crossed_column",
    "embedding_column",
    "indicator_column",
    "make_parse_example_spec",
    "numeric_column",
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_numeric_column",
    "shared_embeddings",
    "weighted_categorical_column",
]
