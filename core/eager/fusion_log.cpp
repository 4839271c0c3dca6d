#include "eager/fusion_log.h"

#include "eager/profile.h"
#include "ops/matmul.h"
#include "ops/op.h"
#include "ops/softmax.h"

namespace ef {

thread_local std::vector<Fusion>* fusion_log = nullptr;

namespace {

// What a profile shows has the names of all operations; those that read a chain come last.
void name_event(const std::vector<const Op*>& ops, bool read) {
  profile::Scope* const scope = profile::current();
  if (!scope) return;
  std::string names;
  for (const Op* const op : ops) names += (names.empty() ? "" : ", ") + std::string(op->tf_name);
  scope->rename(read ? names + ", " + scope->name() : names);
}

}  // namespace

bool logs_fusions() { return fusion_log || profile::active(); }

void log_fusion(Fusion fusion) {
  name_event(fusion.ops, fusion.by != "chain" && fusion.by.rfind("attention", 0) != 0);
  if (fusion_log) fusion_log->push_back(std::move(fusion));
}

void log_fusion(const ChainKey& key, const Shape& shape, const char* by) {
  if (!logs_fusions()) [[likely]]
    return;
  Fusion fusion{.ops = {},
                .by = by,
                .dtype = key.steps.back().output,
                .shape = shape,
                .inputs = key.inputs.size(),
                .results = key.results.size()};
  for (const ChainKey::Step& step : key.steps) fusion.ops.push_back(step.op);
  log_fusion(std::move(fusion));
}

void log_attention(const char* by, const Tensor& result, size_t inputs, size_t results) {
  if (!logs_fusions()) [[likely]]
    return;
  log_fusion({{&ops::matmul, &ops::softmax, &ops::matmul},
              by,
              result.dtype(),
              result.shape(),
              inputs,
              results});
}

}  // namespace ef
