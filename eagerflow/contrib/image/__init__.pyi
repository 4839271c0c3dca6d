from eagerflow.contrib.image.transforms import (
    angles_to_projective_transforms as angles_to_projective_transforms,
    compose_transforms as compose_transforms,
    flat_transforms_to_matrices as flat_transforms_to_matrices,
    matrices_to_flat_transforms as matrices_to_flat_transforms,
    rotate as rotate,
    transform as transform,
    translate as translate,
    translations_to_projective_transforms as translations_to_projective_transforms,
)
