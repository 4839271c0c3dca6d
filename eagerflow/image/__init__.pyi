from eagerflow.image.adjustment import (
    adjust_brightness as adjust_brightness,
    adjust_contrast as adjust_contrast,
    adjust_gamma as adjust_gamma,
    adjust_hue as adjust_hue,
    adjust_jpeg_quality as adjust_jpeg_quality,
    adjust_saturation as adjust_saturation,
)
from eagerflow.image.augmentation import (
    random_brightness as random_brightness,
    random_contrast as random_contrast,
    random_crop as random_crop,
    random_flip_left_right as random_flip_left_right,
    random_flip_up_down as random_flip_up_down,
    random_hue as random_hue,
    random_jpeg_quality as random_jpeg_quality,
    random_saturation as random_saturation,
    stateless_random_brightness as stateless_random_brightness,
    stateless_random_contrast as stateless_random_contrast,
    stateless_random_crop as stateless_random_crop,
    stateless_random_flip_left_right as stateless_random_flip_left_right,
    stateless_random_flip_up_down as stateless_random_flip_up_down,
    stateless_random_hue as stateless_random_hue,
    stateless_random_jpeg_quality as stateless_random_jpeg_quality,
    stateless_random_saturation as stateless_random_saturation,
)
from eagerflow.image.boxes import (
    crop_and_resize as crop_and_resize,
    draw_bounding_boxes as draw_bounding_boxes,
)
from eagerflow.image.codecs import (
    decode_and_crop_jpeg as decode_and_crop_jpeg,
    decode_bmp as decode_bmp,
    decode_gif as decode_gif,
    decode_image as decode_image,
    decode_jpeg as decode_jpeg,
    decode_png as decode_png,
    decode_webp as decode_webp,
    encode_jpeg as encode_jpeg,
    encode_png as encode_png,
    extract_jpeg_shape as extract_jpeg_shape,
    is_jpeg as is_jpeg,
)
from eagerflow.image.color import (
    convert_image_dtype as convert_image_dtype,
    grayscale_to_rgb as grayscale_to_rgb,
    hsv_to_rgb as hsv_to_rgb,
    rgb_to_grayscale as rgb_to_grayscale,
    rgb_to_hsv as rgb_to_hsv,
    rgb_to_yiq as rgb_to_yiq,
    rgb_to_yuv as rgb_to_yuv,
    yiq_to_rgb as yiq_to_rgb,
    yuv_to_rgb as yuv_to_rgb,
)
from eagerflow.image.distortion import (
    sample_distorted_bounding_box as sample_distorted_bounding_box,
    stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
)
from eagerflow.image.geometry import (
    central_crop as central_crop,
    crop_to_bounding_box as crop_to_bounding_box,
    extract_glimpse as extract_glimpse,
    extract_patches as extract_patches,
    flip_left_right as flip_left_right,
    flip_up_down as flip_up_down,
    image_gradients as image_gradients,
    pad_to_bounding_box as pad_to_bounding_box,
    per_image_standardization as per_image_standardization,
    resize_with_crop_or_pad as resize_with_crop_or_pad,
    rot90 as rot90,
    sobel_edges as sobel_edges,
    total_variation as total_variation,
    transpose as transpose,
)
from eagerflow.image.quality import (
    psnr as psnr,
    ssim as ssim,
    ssim_multiscale as ssim_multiscale,
)
from eagerflow.image.resizing import (
    ResizeMethod as ResizeMethod,
    resize as resize,
    resize_with_pad as resize_with_pad,
)
from eagerflow.image.suppression import (
    combined_non_max_suppression as combined_non_max_suppression,
    non_max_suppression as non_max_suppression,
    non_max_suppression_overlaps as non_max_suppression_overlaps,
    non_max_suppression_padded as non_max_suppression_padded,
    non_max_suppression_with_scores as non_max_suppression_with_scores,
)
