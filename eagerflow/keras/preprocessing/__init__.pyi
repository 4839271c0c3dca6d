from eagerflow.keras.preprocessing import image as image, sequence as sequence, text as text
from eagerflow.keras.utils.directory_datasets import (
    image_dataset_from_directory as image_dataset_from_directory,
    text_dataset_from_directory as text_dataset_from_directory,
)
from eagerflow.keras.utils.timeseries import (
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)
