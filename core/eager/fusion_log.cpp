#include "eager/fusion_log.h"

#include "ops/matmul.h"
#include "ops/softmax.h"

namespace ef {

thread_local std::vector<Fusion>* fusion_log = nullptr;

void log_fusion(const ChainKey& key, const Shape& shape, const char* by) {
  if (!fusion_log) [[likely]]
    return;
  Fusion fusion{.ops = {},
                .by = by,
                .dtype = key.steps.back().output,
                .shape = shape,
                .inputs = key.inputs.size(),
                .results = key.results.size()};
  for (const ChainKey::Step& step : key.steps) fusion.ops.push_back(step.op);
  fusion_log->push_back(std::move(fusion));
}

void log_attention(const char* by, const Tensor& result, size_t inputs, size_t results) {
  if (!fusion_log) [[likely]]
    return;
  fusion_log->push_back({{&ops::matmul, &ops::softmax, &ops::matmul},
                         by,
                         result.dtype(),
                         result.shape(),
                         inputs,
                         results});
}

}  // namespace ef
