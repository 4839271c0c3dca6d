"""The classes of columns, by the names that configurations have for them."""

from typing import Any

from eagerflow.feature_column import (
    categories,
    crossed,
    embedding,
    indicator,
    numeric,
    sequence,
    vocabulary,
)

CLASSES: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
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
    )
}
