from eagerflow.keras.utils.dataset_creator import DatasetCreator as DatasetCreator
