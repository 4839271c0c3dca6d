// Operations on images: inference.
#include "ops/images.h"

#include "kernels/cpu/images.h"

namespace ef::ops {
namespace {

// Checks a table of places and weights; returns how many results it describes.
int64_t checked_table(const Shape& places, const Shape& weights, int64_t size) {
  const bool fits = places.rank() == 1 && weights.rank() == 2 && places[0] == weights[0] &&
                    weights[1] >= 1 && weights[1] <= size;
  if (!fits && !(places.rank() == 1 && weights.rank() == 2 && places[0] == 0 && weights[0] == 0)) {
    invalid_argument("Places of shape ", places, " and weights of shape ", weights,
                     " do not fit an axis of ", size, " [Op:Resample]");
  }
  return places[0];
}

}  // namespace

const Op resample{{
    .name = "resample",
    .tf_name = "Resample",
    .inputs = {{"images", {DType::kFloat32, DType::kFloat64}},
               {"row_places", {DType::kInt32}, 'I'},
               {"row_weights", {DType::kFloat32, DType::kFloat64}},
               {"column_places", {DType::kInt32}, 'I'},
               {"column_weights", {DType::kFloat32, DType::kFloat64}}},
    .infer =
        [](InferContext& c) {
          const Shape& x = c.shape(0);
          if (x.rank() != 4) {
            invalid_argument("images must have 4 axes, got shape ", x, " [Op:Resample]");
          }
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
    .inputs = {{"boxes", {DType::kFloat32}}, {"order", {DType::kInt64}, 'I'}},
    .attrs = {{"limit", AttrKind::kInt}, {"overlap", AttrKind::kFloat}},
    .infer =
        [](InferContext& c) {
          if (c.shape(0).rank() != 2 || c.shape(0)[1] != 4 || c.shape(1).rank() != 1) {
            invalid_argument("boxes must be of shape [n, 4] and their order of rank 1, got ",
                             c.shape(0), " and ", c.shape(1), " [Op:NonMaxSuppressionV3]");
          }
          if (c.attrs().integer(0) < 0) {
            invalid_argument("max_output_size must be non-negative, got ", c.attrs().integer(0),
                             " [Op:NonMaxSuppressionV3]");
          }
          c.add_output(DType::kInt32, {0});
        },
    .kernel = cpu::remaining_boxes,
    .makes_outputs = true,
    .sizes_from_values = true,
    .doc = "In the given order, the boxes that overlap none before them by more than a share.",
}};

}  // namespace ef::ops
