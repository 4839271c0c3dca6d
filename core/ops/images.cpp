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

}  // namespace ef::ops
