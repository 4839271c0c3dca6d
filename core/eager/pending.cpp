// Computes deferred results together.
#include "eager/pending.h"

#include <algorithm>
#include <optional>

#include "device/allocator.h"
#include "device/flush_subnormals.h"
#include "device/parallel.h"
#include "eager/fusion_log.h"
#include "eager/lazy.h"
#include "eager/observer.h"
#include "eager/profile.h"
#include "kernels/cpu/array.h"
#include "kernels/cpu/element_blocks.h"
#include "ops/op.h"
#include "platform/process.h"
#include "tensor/buffer_limit.h"

namespace ef::lazy {

std::mutex links;
std::atomic<int64_t> held_bytes{0};

namespace {

[[maybe_unused]] const int registered =
    platform::at_fork([] { links.lock(); }, [] { links.unlock(); }, [] { links.unlock(); });

// Held, before `links`, while a result takes over the memory of its inputs, which have no other
// readers. Readers of values of that pass wait for it.
std::mutex overwriting;

// A fork waits for such a pass before it acquires the locks that the pass needs: handlers
// registered last are called first.
void finish_before_forks() {
  [[maybe_unused]] static const int registered = [] {
    allocator_stats();
    make_chain_cache();
    return platform::at_fork([] { overwriting.lock(); }, [] { overwriting.unlock(); },
                             [] { overwriting.unlock(); });
  }();
}

// A pass that takes longer does not overwrite its inputs, because no signal could interrupt it.
constexpr double kLongestOverwrite = 100e6;

// The right to overwrite inputs, if no other thread does so now.
class Overwriting {
 public:
  explicit Overwriting(double cost) {
    finish_before_forks();
    if (!here && cost < kLongestOverwrite && overwriting.try_lock()) here = owns_ = true;
  }
  ~Overwriting() { give_up(); }
  Overwriting(const Overwriting&) = delete;
  Overwriting& operator=(const Overwriting&) = delete;

  bool is_possible() const { return owns_; }
  void give_up() {
    if (!std::exchange(owns_, false)) return;
    here = false;
    overwriting.unlock();
  }

 private:
  static inline thread_local bool here = false;
  bool owns_ = false;
};

}  // namespace

void wait_for_overwriting() { const std::lock_guard lock(overwriting); }

bool may_defer(int64_t count, DType dtype) {
  constexpr int64_t kMostHeldBytes = int64_t{1} << 30;
  return fuses() && observers.empty() && !buffers_are_limited() &&
         count <= kMostHeldBytes / static_cast<int64_t>(element_size(dtype)) &&
         held_bytes.load(std::memory_order_relaxed) <= kMostHeldBytes;
}

Pending* pending_of(const Tensor& tensor) {
  LazyValue* const value = tensor.impl()->lazy();
  return value ? dynamic_cast<Pending*>(value) : nullptr;
}

Pending::~Pending() {
  held_bytes -= held;
  if (!joint) return;
  Tensor dropped;  // after the lock
  const std::lock_guard lock(links);
  Joint::Member& own = joint->members[place];
  own.node = nullptr;
  dropped = std::move(own.value);
}

bool settle_jointly(Pending& node) {
  if (!node.joint || !node.self->lazy()) return false;
  Joint::Member& own = node.joint->members[node.place];
  if (!own.value) return false;
  const LazyValue::Settler settler(*node.self);
  settler(own.value);
  own.value = {};  // the settled tensor owns the memory
  return true;
}

void Generated::settle(const Settler& settler) {
  Overwriting over(total_cost());
  std::shared_ptr<const cpu::ElementSource> source;
  Tensor value;
  {
    const std::lock_guard lock(links);
    if (!self->lazy()) return;
    source = source_;
    const bool alone = over.is_possible() && source_.use_count() == 2;
    const Tensor* const free = alone ? source_->readable_once() : nullptr;
    if (free && free->exclusively_owned() && free->shape() == self->shape()) {
      value = *free;
      source_ = nullptr;
    }
  }
  if (!source) return wait_for_overwriting();
  const FlushSubnormals flush;
  std::optional<Interruptible> uninterrupted;
  if (value) {
    uninterrupted.emplace(nullptr, nullptr);
    read_all(*source, value);
  } else {
    over.give_up();
    value = Tensor::empty(self->dtype(), self->shape());
    if (!source->write(value)) read_all(*source, value);
  }
  const std::lock_guard lock(links);
  if (!self->lazy()) return;  // another thread was faster
  settler(value);
  source_ = nullptr;  // `source` is freed after the lock
  held_bytes -= std::exchange(held_, 0);
}

void Generated::read_all(const cpu::ElementSource& source, const Tensor& value) const {
  const auto bytes = static_cast<int64_t>(element_size(value.dtype()));
  const auto grain = static_cast<int64_t>(10'000 / cost_);
  cpu::for_element_blocks(
      value.mutable_raw_data(), bytes, value.size(), grain,
      [&](void* to, int64_t begin, int64_t count) { source.read(begin, count, to); });
}

Generated* generated_of(const Tensor& tensor) {
  LazyValue* const value = tensor.impl()->lazy();
  return value ? dynamic_cast<Generated*>(value) : nullptr;
}

DeferredPart::DeferredPart(const Op& of, AttrsRef with, std::span<const Tensor> from,
                           const TensorSpec& spec)
    : op(&of), attrs(with), dtype(spec.dtype) {
  SpecList specs;
  specs.push_back(spec);
  cost = op->cost(from, specs, with);
  for (const Tensor& input : from) {
    inputs.push_back(input);
    cost += pending_cost(input);
    if (!input.impl()->lazy()) held += input.bytes();
  }
  held_bytes += held;
}

DeferredPart* deferred_part_of(const Tensor& tensor) {
  LazyValue* const value = tensor.impl()->lazy();
  return value ? dynamic_cast<DeferredPart*>(value) : nullptr;
}

void DeferredPart::settle(const Settler& settler) {
  constexpr int32_t kPatience = 64;
  Operands from;
  {
    const std::lock_guard lock(links);
    if (!self->lazy()) return;
    if (skipped) unfused_runs = kPatience;
    from = inputs;
  }
  std::optional<profile::Scope> scope;
  if (profile::active()) [[unlikely]]
    scope.emplace(op->tf_name, self->id_or_zero());
  const FlushSubnormals flush;
  const TensorSpec spec{dtype, self->shape()};
  SpecList specs;
  specs.push_back(spec);
  TensorList results{Tensor::empty(spec.dtype, spec.shape)};
  for (const Tensor& input : from) {
    if (!op->takes_lazy) input.impl()->settle();
  }
  KernelContext context(*op, from, attrs, specs, results);
  op->kernel(context);
  Operands dropped;  // after the lock
  const std::lock_guard lock(links);
  if (!self->lazy()) return;  // another thread was faster
  settler(results[0]);
  dropped = std::move(inputs);
  inputs.clear();
  held_bytes -= std::exchange(held, 0);
}

void settle_parts(Pending& root) {
  Expression expression;
  {
    const std::lock_guard lock(links);
    if (!root.self->lazy()) return;
    Walk walk(expression);
    walk.visit(root);
  }
  for (const Tensor& leaf : expression.leaves) {
    if (deferred_part_of(leaf)) leaf.impl()->settle();
  }
}

ChainKey key_of(const Walk& walk, const Expression& expression) {
  ChainKey key;
  for (const Tensor& leaf : expression.leaves) key.inputs.push_back(leaf.dtype());
  const auto count = static_cast<int32_t>(expression.leaves.size());
  for (const Pending* const node : expression.nodes) {
    ChainKey::Step& step = key.steps.emplace_back();
    step.op = node->op;
    step.attrs = node->attrs;
    step.output = node->dtype;
    for (const Tensor& input : node->inputs) {
      const Pending* const inner = pending_of(input);
      step.operands.push_back(inner ? count + inner->number : walk.leaf_number(input));
    }
  }
  return key;
}

namespace {

// Drops the inputs of a node that has its value. Under `links`; the tensors are freed after it.
void drop_inputs(Pending& node, std::vector<Operands>& dropped) {
  dropped.push_back(std::move(node.inputs));
  node.inputs.clear();
  held_bytes -= std::exchange(node.held, 0);
}

// Drops the handles on inputs that only this expression uses, so that its results may take over
// their memory. Returns whether there are such inputs. Under `links`.
bool release_inputs(const Expression& expression, const Pending& root) {
  if (root.forwards || root.spreads) return false;
  bool any = false;
  for (const Tensor& leaf : expression.leaves) {
    if (leaf.impl()->lazy() || leaf.dtype() != root.dtype) continue;
    if (leaf.shape() != root.self->shape()) continue;
    if (!leaf.impl()->buffer()->unique() || !leaf.impl()->buffer()->writable()) continue;
    uint32_t own = 0;
    const auto for_handles = [&](const auto& body) {
      for (Pending* const node : expression.nodes) {
        for (Tensor& input : node->inputs) {
          if (input && input.impl() == leaf.impl()) body(input);
        }
      }
    };
    for_handles([&](const Tensor&) { ++own; });
    if (leaf.impl()->handles() != own + 1) continue;
    for_handles([](Tensor& input) { input = {}; });
    any = true;
  }
  return any;
}

void run_single(const Pending& node, std::span<const Tensor> inputs, TensorList& results) {
  if (node.spreads) return results.push_back(cpu::broadcast_now(inputs[0], node.self->shape()));
  if (node.forwards) return results.push_back(inputs[0].alias());
  const TensorSpec spec{node.dtype, node.self->shape()};
  SpecList specs;
  specs.push_back(spec);
  results.push_back(node.op->makes_outputs ? Tensor() : Tensor::empty(spec.dtype, spec.shape));
  KernelContext context(*node.op, inputs, node.attrs, specs, results);
  node.op->kernel(context);
}

// Holds no lock during the computation. Two threads that need the same value at the same time both
// compute it, and signal handlers may run.
void compute(Pending& root) {
  Expression expression;
  ChainKey key;
  TensorList results;             // handles on the pending tensors
  std::vector<size_t> elsewhere;  // indices in the joint of further results
  Operands inputs;                // of a single operation
  bool alone = false, blocked = false, overwrites = false;
  if (root.parts_cost > 0) settle_parts(root);
  Overwriting over(root.cost);
  {
    const std::lock_guard lock(links);
    if (!root.self->lazy() || settle_jointly(root)) return;
    Walk walk(expression);
    walk.visit(root);
    const auto is_result = [&](const Pending& node) {
      key.results.push_back(static_cast<int32_t>(expression.leaves.size()) + node.number);
    };
    if (root.joint) {
      for (const Joint::Member& member : root.joint->members) {
        const bool pending = member.node && !member.node->inputs.empty();
        if (pending && !walk.has_visited(*member.node)) walk.visit(*member.node);
      }
    }
    blocked = walk.is_blocked();
    // Besides the root, nodes with other handles are needed, too.
    for (Pending* const node : expression.nodes) {
      if (node == &root ||
          (node->uses > 0 && node->self->handles() > static_cast<uint32_t>(node->uses))) {
        is_result(*node);
        results.push_back(Tensor::share(node->self));
      }
    }
    for (Pending* const node : expression.nodes) {
      // Only the expression has a handle on the node.
      if (node == &root || node->uses > 0) continue;
      is_result(*node);
      elsewhere.push_back(node->place);
    }
    alone = expression.nodes.size() == 1 &&
            (root.forwards || std::ranges::none_of(expression.leaves, is_generated));
    if (!blocked && (!alone || over.is_possible())) {
      auto results_of = std::move(key.results);
      key = key_of(walk, expression);
      key.results = std::move(results_of);
    }
    // Members of the joint may be freed meanwhile, with the values that only they use.
    overwrites =
        !blocked && over.is_possible() && elsewhere.empty() && release_inputs(expression, root);
    for (Pending* const node : expression.nodes) node->busy |= overwrites;
    if (alone && !overwrites) inputs = root.inputs;
  }
  if (blocked) {
    expression.leaves.clear();
    wait_for_overwriting();
    return compute(root);
  }
  if (!overwrites) over.give_up();

  std::optional<profile::Scope> scope;
  if (profile::active()) [[unlikely]]
    scope.emplace(root.op->tf_name, root.self->id_or_zero());
  const FlushSubnormals flush;
  TensorList values;
  if (alone && !overwrites) {
    run_single(root, inputs, values);
  } else {
    std::optional<Interruptible> uninterrupted;
    if (overwrites) uninterrupted.emplace(nullptr, nullptr);
    try {
      const std::shared_ptr<const cpu::Chain> chain = chain_for(key);
      chain->run(root.self->shape(), expression.leaves, values);
    } catch (...) {
      const std::lock_guard lock(links);
      for (size_t k = 0; overwrites && k < expression.nodes.size(); ++k) {
        expression.nodes[k]->busy = false;
        expression.nodes[k]->lost = std::current_exception();
      }
      throw;
    }
    if (expression.nodes.size() > 1) log_fusion(key, root.self->shape());
  }

  std::vector<Operands> dropped;  // after the lock
  const std::lock_guard lock(links);
  for (size_t k = 0; overwrites && k < expression.nodes.size(); ++k) {
    expression.nodes[k]->busy = false;
  }
  for (size_t k = 0; k < results.size(); ++k) {
    Pending* const node = pending_of(results[k]);
    if (!node) continue;  // another thread was faster
    const LazyValue::Settler settler(*node->self);
    settler(values[k]);
    drop_inputs(*node, dropped);
  }
  for (size_t k = 0; k < elsewhere.size(); ++k) {
    Joint::Member& member = root.joint->members[elsewhere[k]];
    if (!member.node || member.node->inputs.empty()) continue;
    member.value = std::move(values[results.size() + k]);
    drop_inputs(*member.node, dropped);
  }
}

}  // namespace

void Pending::settle(const Settler&) { compute(*this); }

}  // namespace ef::lazy
