from eagerflow.feature_column.categories import (
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
    categorical_column_with_identity as categorical_column_with_identity,
    weighted_categorical_column as weighted_categorical_column,
)
from eagerflow.feature_column.crossed import crossed_column as crossed_column
from eagerflow.feature_column.embedding import (
    embedding_column as embedding_column,
    shared_embeddings as shared_embeddings,
)
from eagerflow.feature_column.indicator import indicator_column as indicator_column
from eagerflow.feature_column.numeric import (
    bucketized_column as bucketized_column,
    numeric_column as numeric_column,
)
from eagerflow.feature_column.parsing import make_parse_example_spec as make_parse_example_spec
from eagerflow.feature_column.sequence import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file as sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list as sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column as sequence_numeric_column,
)
from eagerflow.feature_column.vocabulary import (
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
)
