from eagerflow_compat.contrib.image.transforms import (
    angles_to_projective_transforms as angles_to_projective_transforms,
)
from eagerflow_compat.contrib.image.transforms import (
    compose_transforms as compose_transforms,
)
from eagerflow_compat.contrib.image.transforms import (
    flat_transforms_to_matrices as flat_transforms_to_matrices,
)
from eagerflow_compat.contrib.image.transforms import (
    matrices_to_flat_transforms as matrices_to_flat_transforms,
)
from eagerflow_compat.contrib.image.transforms import (
    rotate as rotate,
)
from eagerflow_compat.contrib.image.transforms import (
    transform as transform,
)
from eagerflow_compat.contrib.image.transforms import (
    translate as translate,
)
from eagerflow_compat.contrib.image.transforms import (
    translations_to_projective_transforms as translations_to_projective_transforms,
)
from eagerflow_compat.contrib.image.warps import (
    connected_components as connected_components,
    dense_image_warp as dense_image_warp,
    interpolate_spline as interpolate_spline,
    sparse_image_warp as sparse_image_warp,
)
