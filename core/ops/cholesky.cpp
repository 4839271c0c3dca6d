// Cholesky factors of small matrices: inference. Python adds the gradient.
#include "kernels/cpu/cholesky.h"
#include "kernels/cpu/cholesky_loops.h"
#include "ops/op.h"

namespace ef::ops {

const Op cholesky_factor{{
    .name = "cholesky_factor",
    .tf_name = "Cholesky",
    .inputs = {{"input", DTypeSet{DType::kFloat32, DType::kFloat64}}},
    .infer =
        [](InferContext& c) {
          const Shape& shape = c.shape(0);
          const int rank = shape.rank();
          if (rank < 2 || shape[rank - 1] != shape[rank - 2] ||
              shape[rank - 1] > cpu::kSmallMatrix) {
            invalid_argument("Input must be square matrices of at most ", cpu::kSmallMatrix,
                             " rows, got shape ", shape, " [Op:Cholesky]");
          }
          c.add_output(c.dtype(0), shape);
        },
    .kernel = cpu::cholesky_factor,
    .doc = "The lower triangular factors of small matrices; NaN where there is none.",
}};

}  // namespace ef::ops
