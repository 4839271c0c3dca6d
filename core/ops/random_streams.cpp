// Table entries of the operations that sample by rejection.
#include "kernels/cpu/random_streams.h"
#include "ops/attr_fields.h"
#include "ops/op.h"
#include "ops/partial_shapes.h"
#include "ops/random.h"
#include "tensor/error.h"

namespace ef::ops {
namespace {

constexpr DTypeSet kParameterType{DType::kFloat64};

void like_parameters(InferContext& c) {
  Shape shape = c.shape(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (!may_equal(c.shape(i), shape)) {
      invalid_argument("Parameters must have one shape, got ", shape, " and ", c.shape(i),
                       " [Op:", c.op().tf_name, "]");
    }
    shape = merged(shape, c.shape(i));
  }
  c.add_output(DType::kFloat64, shape);
}

double rejection_cost(std::span<const Tensor>, const SpecList& outputs, AttrsRef) {
  return 100.0 * static_cast<double>(outputs[0].shape.num_elements());
}

}  // namespace

const Op philox_gamma{{
    .name = "philox_gamma",
    .tf_name = "StatelessRandomGammaV3",
    .inputs = {{"alpha", kParameterType}},
    .attrs = attrs_of<StreamAttrs>(),
    .infer = like_parameters,
    .kernel = cpu::philox_gamma,
    .cost = rejection_cost,
    .doc = "Gamma samples of scale 1, one for each shape parameter; NaN where it is not positive.",
}};

const Op philox_poisson{{
    .name = "philox_poisson",
    .tf_name = "StatelessRandomPoisson",
    .inputs = {{"rate", kParameterType}},
    .attrs = attrs_of<PoissonAttrs>(),
    .infer = like_parameters,
    .kernel = cpu::philox_poisson,
    .cost = rejection_cost,
    .doc = "Poisson samples up to `highest`, one for each rate; NaN where it is negative.",
}};

const Op philox_binomial{{
    .name = "philox_binomial",
    .tf_name = "StatelessRandomBinomial",
    .inputs = {{"counts", kParameterType}, {"probs", kParameterType}},
    .attrs = attrs_of<StreamAttrs>(),
    .infer = like_parameters,
    .kernel = cpu::philox_binomial,
    .cost = rejection_cost,
    .doc = "Binomial samples, one for each number of trials and its probability.",
}};

}  // namespace ef::ops
