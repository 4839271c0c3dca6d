from eagerflow.extension_types.extension_type import as_dict as as_dict
