"""tf.compat.v1.saved_model: SavedModels of graphs with signatures, and version 2's."""

from eagerflow.saved_model.constants import LEGACY_INIT_OP_KEY, MAIN_OP_KEY
from eagerflow.saved_model.loading import load as load_v2
from eagerflow_compat.v1.mirror import mirror
from eagerflow_compat.v1.saved_models import (
    SavedModelBuilder as Builder,
)
from eagerflow_compat.v1.saved_models import (
    load,
    main_op_with_restore,
    maybe_saved_model_directory,
    simple_save,
)
from eagerflow_compat.v1.signature_defs import (
    build_signature_def,
    build_tensor_info,
    classification_signature_def,
    get_tensor_from_tensor_info,
    is_valid_signature,
    predict_signature_def,
    regression_signature_def,
)

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.saved_model",
    hidden={"LoadOptions"},
    renamed={"experimental": "v1.saved_model_experimental"},
)
