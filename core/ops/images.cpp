// Operations on images: inference and gradients.
#include "ops/images.h"

#include "kernels/cpu/images.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/sizes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

// Checks a table of indices and weights, and returns the number of results.
int64_t checked_table(const Shape& places, const Shape& weights, int64_t size) {
  const int64_t count = size_of(places, 0);
  const int64_t taps = size_of(weights, 1);
  const bool ranks = may_have_rank(places, 1) && may_have_rank(weights, 2);
  const bool fits = ranks && compatible(count, size_of(weights, 0)) &&
                    (count == 0 || taps < 0 || (taps >= 1 && (size < 0 || taps <= size)));
  if (!fits) {
    invalid_argument("Places of shape ", places, " and weights of shape ", weights,
                     " do not fit an axis of ", size, " [Op:Resample]");
  }
  return merged(count, size_of(weights, 0));
}

void check_crops(const Shape& image, const Shape& boxes, const Shape& indices) {
  constexpr const char* kOp = " [Op:CropAndResize]";
  if (!may_have_rank(image, 4)) invalid_argument("input image must be 4-D: ", image, kOp);
  if (size_of(image, 1) == 0 || size_of(image, 2) == 0) {
    invalid_argument("image dimensions must be positive: ", image, kOp);
  }
  if (!may_have_rank(boxes, 2) || !compatible(size_of(boxes, 1), 4)) {
    invalid_argument("boxes must have 4 columns: ", boxes, kOp);
  }
  if (!may_have_rank(indices, 1) || !compatible(size_of(indices, 0), size_of(boxes, 0))) {
    invalid_argument("box_index has incompatible shape ", indices, kOp);
  }
}

// Whether a gradient has the shape of boxes that are cut out of images.
bool fits_crops(const Shape& dy, const Shape& boxes, const Shape& image) {
  return may_have_rank(dy, 4) && compatible(size_of(dy, 0), size_of(boxes, 0)) &&
         compatible(size_of(dy, 3), size_of(image, 3));
}

constexpr DTypeSet kCropGradients{DType::kFloat16, DType::kFloat32, DType::kFloat64};

}  // namespace

const Op resample{{
    .name = "resample",
    .tf_name = "Resample",
    .inputs = {{"images", {DType::kFloat32, DType::kFloat64}},
               {"row_indices", {DType::kInt32}},
               {"row_weights", {DType::kFloat32, DType::kFloat64}},
               {"column_indices", {DType::kInt32}},
               {"column_weights", {DType::kFloat32, DType::kFloat64}}},
    .infer =
        [](InferContext& c) {
          if (!may_have_rank(c.shape(0), 4)) {
            invalid_argument("images must have 4 axes, got shape ", c.shape(0), " [Op:Resample]");
          }
          const Shape x = ranked_as(c.shape(0), 4);
          const int64_t rows = checked_table(c.shape(1), c.shape(2), x[1]);
          const int64_t columns = checked_table(c.shape(3), c.shape(4), x[2]);
          c.add_output(c.dtype(0), Shape{x[0], rows, columns, x[3]});
        },
    .kernel = cpu::resample,
    .doc = "Images whose rows and columns are weighted sums of neighbours.",
}};

const Op remaining_boxes{{
    .name = "remaining_boxes",
    .tf_name = "NonMaxSuppressionV3",
    .inputs = {{"boxes", {DType::kFloat32}}, {"order", {DType::kInt64}}},
    .attrs = attrs_of<RemainingBoxesAttrs>(),
    .infer =
        [](InferContext& c) {
          if (!may_have_rank(c.shape(0), 2) || !compatible(size_of(c.shape(0), 1), 4) ||
              !may_have_rank(c.shape(1), 1)) {
            invalid_argument("boxes must be of shape [n, 4] and their order of rank 1, got ",
                             c.shape(0), " and ", c.shape(1), " [Op:NonMaxSuppressionV3]");
          }
          const int64_t limit = c.attrs<RemainingBoxesAttrs>().limit;
          if (limit < 0 && limit != kUnknownInt) {
            invalid_argument("max_output_size must be non-negative, got ", limit,
                             " [Op:NonMaxSuppressionV3]");
          }
          c.add_output(DType::kInt32, {kUnknownSize});
        },
    .kernel = cpu::remaining_boxes,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "In the given order, the boxes that overlap none before them by more than a share.",
}};

const Op crop_and_resize{{
    .name = "crop_and_resize",
    .tf_name = "CropAndResize",
    .inputs = {{"image", kRealTypes},
               {"boxes", {DType::kFloat32}},
               {"box_indices", {DType::kInt32}}},
    .attrs = attrs_of<CropAttrs>(),
    .tensor_attrs = {{"crop_size", "int32"}},
    .infer =
        [](InferContext& c) {
          check_crops(c.shape(0), c.shape(1), c.shape(2));
          const Ints& size = c.attrs<CropAttrs>().crop_size;
          Shape shape = Shape::of_rank(4);
          shape[0] = merged(size_of(c.shape(1), 0), size_of(c.shape(2), 0));
          shape[3] = size_of(c.shape(0), 3);
          for (size_t i = 0; !size.is_unknown() && i < 2; ++i) {
            if (size.size() != 2 || (size[i] <= 0 && size[i] != kUnknownInt)) {
              invalid_argument("crop dimensions must be positive: ", Shape(size),
                               " [Op:CropAndResize]");
            }
            shape[static_cast<int>(i) + 1] = size_or_unknown(size[i]);
          }
          check_elements(shape, "CropAndResize");
          c.add_output(DType::kFloat32, shape);
        },
    .kernel = cpu::crop_and_resize,
    .gradient =
        [](GradContext& g) {
          const Tensor dy = g.dy();
          if (g.wants(0)) {
            g.set(0, call(crop_and_resize_grad_image, {dy, g.input(1), g.input(2)},
                          CropGradImageAttrs{.shape = g.input_shape(0),
                                             .method = g.attrs<CropAttrs>().method,
                                             .dtype = g.input_dtype(0)}));
          }
          if (g.wants(1)) {
            g.set(1, call(crop_and_resize_grad_boxes, {dy, g.input(0), g.input(1), g.input(2)}));
          }
        },
    .needs = {{.inputs = 6}, {.inputs = 7}, {}},
    .may_be_unknown = Unknown::kRanks,
    .checks_values = true,
    .doc = "Parts of images, all resized to one size.",
}};

const Op crop_and_resize_grad_image{{
    .name = "crop_and_resize_grad_image",
    .tf_name = "CropAndResizeGradImage",
    .inputs = {{"dy", {DType::kFloat32}},
               {"boxes", {DType::kFloat32}},
               {"box_indices", {DType::kInt32}}},
    .attrs = attrs_of<CropGradImageAttrs>(),
    .infer =
        [](InferContext& c) {
          const CropGradImageAttrs& attrs = c.attrs<CropGradImageAttrs>();
          const Shape shape = shape_of_sizes(attrs.shape, "CropAndResizeGradImage");
          check_crops(shape, c.shape(1), c.shape(2));
          const Shape& dy = c.shape(0);
          const DType dtype = attrs.dtype;
          if (!fits_crops(dy, c.shape(1), shape) || !kCropGradients.contains(dtype)) {
            invalid_argument("a gradient of shape ", dy, " does not fit images of shape ", shape,
                             " and dtype ", dtype, " [Op:CropAndResizeGradImage]");
          }
          c.add_output(dtype, ranked_as(shape, 4));
        },
    .kernel = cpu::crop_and_resize_grad_image,
    .gradient =
        [](GradContext& g) {
          const std::span<const int64_t> crops = g.input_shape(0).dims();
          g.set(0, call(crop_and_resize, {g.dy(), g.input(1), g.input(2)},
                        CropAttrs{.crop_size = {element_of(crops, 1), element_of(crops, 2)},
                                  .method = g.attrs<CropGradImageAttrs>().method}));
        },
    .needs = {{.inputs = 6}, {}},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The gradient of crop_and_resize with respect to the images.",
}};

const Op crop_and_resize_grad_boxes{{
    .name = "crop_and_resize_grad_boxes",
    .tf_name = "CropAndResizeGradBoxes",
    .inputs = {{"dy", {DType::kFloat32}},
               {"image", kRealTypes},
               {"boxes", {DType::kFloat32}},
               {"box_indices", {DType::kInt32}}},
    .infer =
        [](InferContext& c) {
          check_crops(c.shape(1), c.shape(2), c.shape(3));
          const Shape& dy = c.shape(0);
          if (!fits_crops(dy, c.shape(2), c.shape(1))) {
            invalid_argument("a gradient of shape ", dy, " does not fit images of shape ",
                             c.shape(1), " [Op:CropAndResizeGradBoxes]");
          }
          c.add_output(DType::kFloat32, ranked_as(c.shape(2), 2));
        },
    .kernel = cpu::crop_and_resize_grad_boxes,
    .doc = "The gradient of crop_and_resize with respect to the boxes.",
}};

}  // namespace ef::ops
