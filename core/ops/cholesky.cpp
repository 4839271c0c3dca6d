// Cholesky factors: inference.
#include "kernels/cpu/cholesky.h"

#include "ops/host_kernel.h"
#include "ops/linear_systems.h"
#include "ops/matrix_gradients.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kFactorTypes = DTypeSet{DType::kFloat32, DType::kFloat64} | kComplexTypes;

void infer(InferContext& c) {
  const Shape shape = square_matrices(c.shape(0), "Cholesky");
  if (c.num_inputs() == 2 && !may_equal(c.shape(1), shape)) {
    invalid_argument("Factors of shape ", shape, " have no gradient of shape ", c.shape(1),
                     " [Op:CholeskyGrad]");
  }
  c.add_output(c.dtype(0), shape);
}

}  // namespace

const Op cholesky_factor{{
    .name = "cholesky_factor",
    .tf_name = "Cholesky",
    .inputs = {{"input", kFactorTypes}},
    .infer = infer,
    .kernel = run_or_host_kernel<cpu::cholesky_factor>,
    .gradient = cholesky_factor_gradient,
    .needs = {{.outputs = 1}},
    .sizes = {},
    .may_be_unknown = Unknown::kRanks,
    .doc = "The lower triangular factors of matrices; NaN where there is none.",
}};

const Op cholesky_factor_grad{{
    .name = "cholesky_factor_grad",
    .tf_name = "CholeskyGrad",
    .inputs = {{"factor", kFactorTypes}, {"dy", kFactorTypes}},
    .infer = infer,
    .kernel = run_or_host_kernel<cpu::cholesky_factor_grad>,
    .gradient = cholesky_factor_grad_gradient,
    .needs = {{.inputs = 3, .outputs = 1}, {.inputs = 1}},
    .doc = "The Hermitian gradients of factored matrices, from those of their factors.",
}};

}  // namespace ef::ops
