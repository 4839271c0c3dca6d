// Deferred elementwise results: when results are deferred, and how readers get them.
#include "eager/lazy.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "eager/attention.h"
#include "eager/fusion_log.h"
#include "eager/interruptible_region.h"
#include "eager/pending.h"
#include "ops/array.h"
#include "ops/convolution.h"
#include "ops/element_call.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/op.h"

namespace ef {

using namespace lazy;

namespace {

// Longer chains save little more, and take longer to prepare and to interrupt.
constexpr int32_t kMostSteps = 64;
// The number of tensors that a deferred result may keep alive.
constexpr int32_t kMostLeaves = 12;

// An operation that takes less time per element is computed twice instead of stored.
constexpr double kCheapNanoseconds = 2;

std::atomic<bool> fusing{[] {
  const char* const value = std::getenv("EAGERFLOW_FUSE");
  return !value || std::strcmp(value, "0") != 0;
}()};

// The tensor that a deferred broadcast repeats.
Tensor source_of_broadcast(const Tensor& tensor) {
  const Pending* const node = pending_of(tensor);
  if (!node || !node->spreads) return {};
  const std::lock_guard lock(links);
  return node->inputs.empty() ? Tensor() : node->inputs[0];
}

// The operands of a chain's operation. Empty if an operand neither has the result's shape nor can
// be broadcast to it.
Operands operands_of(const ElementLoop& loop, std::span<const Tensor> inputs, const Shape& shape) {
  const auto broadcasts = [&](const Tensor& input, size_t k) {
    return ((input.size() == 1 ? loop.repeats : loop.expands) >> k & 1) != 0;
  };
  bool whole = false;  // whether an operand has the result's shape
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].shape() != shape) {
      if (!broadcasts(inputs[k], k)) return {};
    } else {
      const Pending* const node = pending_of(inputs[k]);
      whole |= !node || !node->spreads;
    }
  }
  Operands operands;
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (inputs[k].shape() == shape) {
      const Tensor source = source_of_broadcast(inputs[k]);
      if (source && whole && broadcasts(source, k)) {
        operands.push_back(source);
        continue;
      }
      if (source) inputs[k].impl()->settle();
      whole = true;
    }
    operands.push_back(inputs[k]);
  }
  return whole ? operands : Operands{};
}

}  // namespace

bool is_generated(const Tensor& tensor) { return generated_of(tensor); }

bool is_pending(const Tensor& tensor) { return pending_of(tensor); }

bool fuses() { return fusing.load(std::memory_order_relaxed); }
bool set_fuses(bool fuses) {
  DeferredPart::unfused_runs = 0;
  return fusing.exchange(fuses);
}

namespace {

// A generated value multiplied by one factor per row, if its source supports that; else empty.
Tensor scale_rows(const Op& op, std::span<const Tensor> inputs, const TensorSpec& spec) {
  if (&op != &ops::multiply) return {};
  for (size_t k = 0; k < 2; ++k) {
    const Tensor &value = inputs[k], &rows = inputs[1 - k];
    Generated* const node = generated_of(value);
    if (!node || rows.rank() != value.rank() || rows.dim(-1 + rows.rank()) != 1) continue;
    if (value.shape() != spec.shape || rows.size() * spec.shape.back() != value.size()) continue;
    const std::shared_ptr<const cpu::ElementSource> source = node->source();
    if (!source) continue;
    rows.impl()->settle();
    std::shared_ptr<const cpu::ElementSource> scaled = source->times(rows);
    if (scaled) return make_generated(std::move(scaled), spec, node->cost(), value.bytes());
  }
  return {};
}

}  // namespace

Tensor make_lazy(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                 const TensorSpec& spec) {
  const int64_t count = spec.shape.num_elements();
  if (count < kLazyElements || !may_defer(count, spec.dtype)) return {};
  if (!op.kernel.elements) return make_part_of_attention(op, inputs, attrs, spec);
  if (std::ranges::any_of(inputs, is_generated)) {
    if (Tensor scaled = scale_rows(op, inputs, spec)) return scaled;
  }
  InlineVector<DType, 3> types;
  for (const Tensor& input : inputs) types.push_back(input.dtype());
  const ElementLoop loop = op.kernel.elements({op, types, spec.dtype, attrs});
  if (!loop || (loop.forwards && !inputs[0].impl()->lazy())) return {};
  const Operands operands = operands_of(loop, inputs, spec.shape);
  if (operands.empty()) return {};

  auto node = std::make_unique<Pending>(op, attrs, spec);
  node->forwards = loop.forwards;
  node->cost =
      loop.forwards ? 0 : 10'000.0 / static_cast<double>(loop.grain) * static_cast<double>(count);
  for (const Tensor& input : operands) {
    Pending* const inner = pending_of(input);
    if (!inner) {
      if (input.shape() == spec.shape && is_generated(input)) {
        node->cost += generated_of(input)->total_cost();
      } else if (const DeferredPart* const whole = deferred_part_of(input);
                 whole && input.shape() == spec.shape) {
        node->parts_cost += whole->cost;
      } else {
        compute_now(input);
      }
      node->leaves += input.size() > 1;
      node->held += input.bytes();
    } else if (input.shape() != spec.shape) {
      input.impl()->settle();
    } else {
      const std::lock_guard lock(links);
      node->steps += inner->steps;
      node->leaves += inner->leaves;
      node->cost += inner->cost;
      node->parts_cost += inner->parts_cost;
    }
    node->inputs.push_back(input);
  }
  if (node->steps > kMostSteps || node->leaves > kMostLeaves) {
    // The bounds count shared operations several times, so count them exactly.
    Expression expression;
    bool too_long = false;
    {
      const std::lock_guard lock(links);
      Walk walk(expression);
      walk.visit(*node);
      const auto steps = static_cast<int32_t>(expression.nodes.size());
      const auto leaves = static_cast<int32_t>(std::ranges::count_if(
          expression.leaves, [](const Tensor& leaf) { return leaf.size() > 1; }));
      too_long = steps > kMostSteps || leaves > kMostLeaves;
      node->steps = steps;
      node->leaves = leaves;
    }
    if (too_long) {
      node->steps = 1;
      node->leaves = 0;
      for (const Tensor& input : operands) {
        input.impl()->settle();
        node->leaves += input.size() > 1;
      }
    }
  }
  held_bytes += node->held;
  return tensor_of(std::move(node), spec);
}

Tensor make_lazy_broadcast(const Tensor& value, const Shape& shape) {
  const TensorSpec spec{value.dtype(), shape};
  if (owns_memory(spec.dtype) || !may_defer(shape.num_elements(), spec.dtype)) return {};
  auto node = std::make_unique<Pending>(ops::broadcast_to, AttrsRef(), spec);
  node->spreads = true;
  node->cost = static_cast<double>(shape.num_elements()) / 8;
  node->inputs.push_back(value);
  return tensor_of(std::move(node), spec);
}

std::optional<LazyRead> read_lazy(const Tensor& tensor, const char* reader) {
  Pending* const root = pending_of(tensor);
  if (!root) return {};
  const double per_element = root->cost / static_cast<double>(tensor.size());
  if (per_element > kCheapNanoseconds) return {};
  if (root->parts_cost > 0) settle_parts(*root);
  Expression expression;
  ChainKey key;
  TensorList again;  // read again, and kept alive by other handles
  bool blocked = false;
  {
    const std::lock_guard lock(links);
    if (!tensor.impl()->lazy() || settle_jointly(*root)) return {};
    if (root->was_read || root->spreads) return {};
    Walk walk(expression);
    walk.visit(*root);
    blocked = walk.is_blocked();
    if (blocked) expression.nodes.clear();
    for (Pending* const node : expression.nodes) {
      if (node == root || !std::exchange(node->was_read, true)) continue;
      if (node->self->handles() > static_cast<uint32_t>(node->uses)) {
        again.push_back(Tensor::share(node->self));
      }
    }
    if (again.empty() && !blocked) {
      root->was_read = true;
      key = key_of(walk, expression);
      key.results.push_back(static_cast<int32_t>(expression.leaves.size()) + root->number);
    }
  }
  if (blocked) {
    expression.leaves.clear();
    wait_for_overwriting();
    return read_lazy(tensor, reader);
  }
  if (!again.empty()) {
    for (const Tensor& each : again) each.impl()->settle();
    return read_lazy(tensor, reader);
  }
  std::shared_ptr<const cpu::Chain> chain = chain_for(key);
  if (!chain->computes_results()) return {};
  log_fusion(key, tensor.shape(), reader);
  return LazyRead{std::move(chain), std::move(expression.leaves)};
}

namespace {

// From this size on, saving memory is worth computing the elements again.
constexpr int64_t kRecomputedBytes = int64_t{1} << 20;

bool takes_long(const Op& op) {
  return &op == &ops::conv2d || &op == &ops::depthwise_conv2d || &op == &ops::matmul;
}

// Whether other handles than the `own` known ones keep a tensor's memory alive.
bool is_kept_by_others(const Tensor& tensor, uint32_t own) {
  if (const Generated* const value = generated_of(tensor)) {
    const Tensor* const kept = value->kept();
    return kept && kept->impl()->handles() > 1;
  }
  return tensor.impl()->handles() > own || !tensor.impl()->buffer()->unique();
}

}  // namespace

Tensor value_for_call(const Tensor& tensor, const Op& reader) {
  if (!takes_long(reader)) return {};
  Pending* const root = pending_of(tensor);
  if (!root || tensor.bytes() < kRecomputedBytes || root->forwards) return {};
  if (root->cost > kCheapNanoseconds * static_cast<double>(tensor.size())) return {};
  if (root->parts_cost > 0) settle_parts(*root);
  Expression expression;
  ChainKey key;
  TensorList others;  // inputs that will then be in memory
  {
    const std::lock_guard lock(links);
    if (!tensor.impl()->lazy() || settle_jointly(*root)) return {};
    if (root->was_read || root->spreads || root->joint) return {};
    Walk walk(expression);
    walk.visit(*root);
    if (walk.is_blocked()) return {};
    for (const Pending* const node : expression.nodes) {
      const bool shared = node->self->handles() > static_cast<uint32_t>(node->uses);
      if (node != root && shared) others.push_back(Tensor::share(node->self));
    }
  }
  if (!others.empty()) {
    expression.leaves.clear();
    for (const Tensor& other : others) other.impl()->settle();
    return value_for_call(tensor, reader);
  }
  {
    const std::lock_guard lock(links);
    expression = {};
    if (!tensor.impl()->lazy() || root->was_read || root->joint) return {};
    Walk walk(expression);
    walk.visit(*root);
    if (walk.is_blocked()) return {};
    for (const Tensor& leaf : expression.leaves) {
      if (leaf.size() == 1) continue;
      uint32_t own = 1;
      for (const Pending* const node : expression.nodes) {
        for (const Tensor& input : node->inputs) own += input.impl() == leaf.impl();
      }
      if (!is_kept_by_others(leaf, own)) return {};
    }
    root->was_read = true;
    key = key_of(walk, expression);
    key.results.push_back(static_cast<int32_t>(expression.leaves.size()) + root->number);
  }
  TensorList values;
  chain_for(key)->run(tensor.shape(), expression.leaves, values);
  log_fusion(key, tensor.shape(), reader.name);
  return std::move(values[0]);
}

Tensor make_generated(std::shared_ptr<const cpu::ElementSource> source, const TensorSpec& spec,
                      double cost, int64_t held) {
  if (spec.shape.num_elements() < kLazyElements) return {};
  if (!may_defer(spec.shape.num_elements(), spec.dtype)) return {};
  return tensor_of(std::make_unique<Generated>(std::move(source), cost, held), spec);
}

void compute_jointly(std::span<const Tensor> results) {
  const auto is_pending = [](const Tensor& each) { return each && pending_of(each); };
  if (std::ranges::count_if(results, is_pending) < 2) return;
  struct Found {
    std::vector<Pending*> members;
    Expression whole;
  };
  std::vector<Found> found;
  const std::lock_guard lock(links);
  for (const Tensor& result : results) {
    Pending* const node = is_pending(result) ? pending_of(result) : nullptr;
    if (!node || node->joint || node->spreads || node->inputs.empty()) continue;
    // Values that are not part of chains are computed first, but not while a pass overwrites its
    // inputs.
    if (node->parts_cost > 0) continue;
    Expression own;
    Walk alone(own);
    alone.visit(*node);
    if (alone.is_blocked()) continue;
    const auto shares = [&](const Found& other) {
      return other.members[0]->self->shape() == result.shape() &&
             std::ranges::any_of(own.nodes, [&](const Pending* each) {
               return std::ranges::find(other.whole.nodes, each) != other.whole.nodes.end();
             });
    };
    const auto other = std::ranges::find_if(found, shares);
    if (other == found.end()) {
      found.push_back({{node}, std::move(own)});
      continue;
    }
    Expression both;
    Walk walk(both);
    for (Pending* const member : other->members) {
      if (!walk.has_visited(*member)) walk.visit(*member);
    }
    if (!walk.has_visited(*node)) walk.visit(*node);
    if (both.nodes.size() > kMostSteps || both.leaves.size() > kMostLeaves) continue;
    other->members.push_back(node);
    other->whole = std::move(both);
  }
  for (const Found& each : found) {
    if (each.members.size() < 2) continue;
    const auto joint = std::make_shared<Joint>();
    for (Pending* const node : each.members) {
      node->place = joint->members.size();
      joint->members.push_back({node, {}});
      node->joint = joint;
    }
  }
}

void compute_now(const Tensor& tensor) {
  if (!tensor.impl()->lazy()) [[likely]]
    return;
  const InterruptibleRegion region(pending_cost(tensor));
  tensor.impl()->settle();
}

double pending_cost(const Tensor& tensor) {
  if (const Pending* const node = pending_of(tensor)) return node->cost + node->parts_cost;
  if (const DeferredPart* const whole = deferred_part_of(tensor)) return whole->cost;
  const Generated* const value = generated_of(tensor);
  return value ? value->total_cost() : 0;
}

}  // namespace ef
