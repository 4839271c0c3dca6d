// Pending elementwise results: which are made, and how they are computed together.
#include "eager/lazy.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "device/allocator.h"
#include "device/flush_subnormals.h"
#include "device/parallel.h"
#include "eager/chain_cache.h"
#include "eager/fusion_log.h"
#include "eager/interruptible_region.h"
#include "eager/observer.h"
#include "kernels/cpu/array.h"
#include "kernels/cpu/element_blocks.h"
#include "ops/array.h"
#include "ops/convolution.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "tensor/buffer_limit.h"

namespace ef {
namespace {

// Longer chains save little more, and take longer to prepare and to interrupt.
constexpr int32_t kMostSteps = 64;
// Pending results keep what they are made of alive: so many tensors each, and so many bytes
// together.
constexpr int32_t kMostLeaves = 12;
constexpr int64_t kMostHeldBytes = int64_t{1} << 30;

// What takes less time for an element is rather computed twice than written and read.
constexpr double kCheapNanoseconds = 2;

std::atomic<bool> fusing{[] {
  const char* const value = std::getenv("EAGERFLOW_FUSE");
  return !value || std::strcmp(value, "0") != 0;
}()};

// Guards the links between pending results. It is held while they are walked, and not while
// anything is computed or freed.
std::mutex links;
[[maybe_unused]] const int registered =
    pthread_atfork([] { links.lock(); }, [] { links.unlock(); }, [] { links.unlock(); });

// Held, before `links`, while a result takes the memory of what it is made of, which nobody else
// can read any more. Those who need a value of that pass wait for it.
std::mutex overwriting;

// A fork waits for it before it takes the locks that such a pass needs: what is registered last is
// called first.
void finish_before_forks() {
  [[maybe_unused]] static const int registered = [] {
    allocator_stats();
    make_chain_cache();
    return pthread_atfork([] { overwriting.lock(); }, [] { overwriting.unlock(); },
                          [] { overwriting.unlock(); });
  }();
}

// What takes longer is not written over its inputs, which no signal may interrupt.
constexpr double kLongestOverwrite = 100e6;

// The right to write over inputs, if no other thread does so now.
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
  static void wait_for_others() { const std::lock_guard lock(overwriting); }

 private:
  static inline thread_local bool here = false;
  bool owns_ = false;
};

std::atomic<int64_t> held_bytes{0};
uint64_t last_walk = 0;

class Pending;

// Pending results that share operations: the first that is needed computes all. The others get
// their values here, as threads may be dropping them.
struct Joint {
  struct Member {
    Pending* node;  // null once it is dropped
    Tensor value;
  };
  std::vector<Member> members;  // guarded by `links`
};

class Pending final : public LazyValue {
 public:
  Pending(const Op& of, AttrsRef with, const TensorSpec& spec)
      : op(&of), attrs(with), dtype(spec.dtype) {}
  ~Pending() override;

  void settle(const Settler&) override;

  const Op* const op;
  const SavedAttrs attrs;
  const DType dtype;
  TensorImpl* self = nullptr;
  bool forwards = false;  // the value is that of the input
  bool spreads = false;   // it is the input, broadcast; chains read the input itself
  double cost = 0;        // nanoseconds, with that of pending inputs

  // Below, guarded by `links`.
  InlineVector<Tensor, 3> inputs;  // none once the value is known
  int32_t steps = 1;               // at most so many operations are pending, itself included
  int32_t leaves = 0;              // and read so many large tensors
  int64_t held = 0;                // bytes of its inputs that are not pending
  bool was_read = false;
  std::shared_ptr<Joint> joint;
  size_t place = 0;         // in it
  bool busy = false;        // its pass writes over inputs
  std::exception_ptr lost;  // why such a pass has ended without a value
  // Of the last walk that came by.
  uint64_t walk = 0;
  int32_t number = 0;
  int32_t uses = 0;  // as an input of others
};

Pending* pending_of(const Tensor& tensor) {
  LazyValue* const value = tensor.impl()->lazy();
  return value ? dynamic_cast<Pending*>(value) : nullptr;
}

using Operands = InlineVector<Tensor, 3>;

Pending::~Pending() {
  held_bytes -= held;
  if (!joint) return;
  Tensor dropped;  // after the lock
  const std::lock_guard lock(links);
  Joint::Member& own = joint->members[place];
  own.node = nullptr;
  dropped = std::move(own.value);
}

// Takes a value that was computed with another one, if there is one. Under `links`.
bool settle_jointly(Pending& node) {
  if (!node.joint || !node.self->lazy()) return false;
  Joint::Member& own = node.joint->members[node.place];
  if (!own.value) return false;
  const LazyValue::Settler settler(*node.self);
  settler(own.value);
  own.value = {};  // the memory is the settled tensor's
  return true;
}

// Gives up what a node with a value is made of. Under `links`; the tensors are freed after it.
void drop_inputs(Pending& node, std::vector<Operands>& dropped) {
  dropped.push_back(std::move(node.inputs));
  node.inputs.clear();
  held_bytes -= std::exchange(node.held, 0);
}

// A value that is written only where its elements do not suffice.
class Generated final : public cpu::SourcedValue {
 public:
  Generated(std::shared_ptr<const cpu::ElementSource> source, double cost, int64_t held)
      : cost_(cost), held_(held), source_(std::move(source)) {
    held_bytes += held_;
  }
  ~Generated() override { held_bytes -= held_; }

  std::shared_ptr<const cpu::ElementSource> source() override {
    const std::lock_guard lock(links);
    return source_;
  }

  void settle(const Settler& settler) override {
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
    if (!source) return Overwriting::wait_for_others();
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

  void read_all(const cpu::ElementSource& source, const Tensor& value) const {
    const auto bytes = static_cast<int64_t>(element_size(value.dtype()));
    const auto grain = static_cast<int64_t>(10'000 / cost_);
    cpu::for_element_blocks(
        value.mutable_raw_data(), bytes, value.size(), grain,
        [&](void* to, int64_t begin, int64_t count) { source.read(begin, count, to); });
  }

  // Under `links`.
  const Tensor* kept() const { return source_ ? source_->kept() : nullptr; }
  double cost() const { return cost_; }  // of an element
  double total_cost() const { return cost_ * static_cast<double>(self->size()); }

  TensorImpl* self = nullptr;

 private:
  const double cost_;
  int64_t held_;                                      // guarded by `links`, like the source
  std::shared_ptr<const cpu::ElementSource> source_;  // none once it is settled
};

Generated* generated_of(const Tensor& tensor) {
  LazyValue* const value = tensor.impl()->lazy();
  return value ? dynamic_cast<Generated*>(value) : nullptr;
}

// What pending results are made of: the tensors they begin with, and operations in order.
struct Expression {
  TensorList leaves;
  std::vector<Pending*> nodes;
};

// A walk through a pending result, under `links`.
class Walk {
 public:
  explicit Walk(Expression& found) : found_(found), walk_(++last_walk) {}

  void visit(Pending& node) {
    if (node.walk == walk_) return;
    node.walk = walk_;
    if (node.lost) std::rethrow_exception(node.lost);
    if (std::exchange(waits_, waits_ || node.busy) || node.busy) return;
    node.uses = 0;
    for (const Tensor& input : node.inputs) {
      if (Pending* const inner = pending_of(input); inner && !settle_jointly(*inner)) {
        visit(*inner);
        ++inner->uses;
      } else if (leaf_number(input) < 0) {
        found_.leaves.push_back(input);
      }
    }
    node.number = static_cast<int32_t>(found_.nodes.size());
    found_.nodes.push_back(&node);
  }

  bool has_visited(const Pending& node) const { return node.walk == walk_; }

  // Whether inputs are being written over; nothing else is known then.
  bool waits() const { return waits_; }

  int32_t leaf_number(const Tensor& tensor) const {
    for (size_t i = found_.leaves.size(); i-- > 0;) {
      if (found_.leaves[i].impl() == tensor.impl()) return static_cast<int32_t>(i);
    }
    return -1;
  }

 private:
  Expression& found_;
  const uint64_t walk_;
  bool waits_ = false;
};

// Gives up the handles on inputs that nobody but this expression has, so that its results may take
// their memory. Whether there are such. Under `links`.
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

// The expression as a chain reads it. Under `links`.
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

// No lock is held meanwhile: two threads that need the same value at once both compute it, and
// handlers of signals may run.
void compute(Pending& root) {
  Expression expression;
  ChainKey key;
  TensorList results;             // handles on the pending tensors
  std::vector<size_t> elsewhere;  // places in the joint of further results
  Operands inputs;                // of a single operation
  bool alone = false, waits = false, overwrites = false;
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
    waits = walk.waits();
    // Besides the root, those that others hold are needed, too.
    for (Pending* const node : expression.nodes) {
      if (node == &root ||
          (node->uses > 0 && node->self->handles() > static_cast<uint32_t>(node->uses))) {
        is_result(*node);
        results.push_back(Tensor::share(node->self));
      }
    }
    for (Pending* const node : expression.nodes) {
      // Nothing here holds it.
      if (node == &root || node->uses > 0) continue;
      is_result(*node);
      elsewhere.push_back(node->place);
    }
    alone = expression.nodes.size() == 1 &&
            (root.forwards || std::ranges::none_of(expression.leaves, is_generated));
    if (!waits && (!alone || over.is_possible())) {
      auto results_of = std::move(key.results);
      key = key_of(walk, expression);
      key.results = std::move(results_of);
    }
    // Members of the joint may be dropped meanwhile, with what they alone hold.
    overwrites =
        !waits && over.is_possible() && elsewhere.empty() && release_inputs(expression, root);
    for (Pending* const node : expression.nodes) node->busy |= overwrites;
    if (alone && !overwrites) inputs = root.inputs;
  }
  if (waits) {
    expression.leaves.clear();
    Overwriting::wait_for_others();
    return compute(root);
  }
  if (!overwrites) over.give_up();

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

void Pending::settle(const Settler&) { compute(*this); }

// What a pending broadcast repeats.
Tensor source_of_broadcast(const Tensor& tensor) {
  const Pending* const node = pending_of(tensor);
  if (!node || !node->spreads) return {};
  const std::lock_guard lock(links);
  return node->inputs.empty() ? Tensor() : node->inputs[0];
}

// The operands of a chain's operation; none if they do not suit it: they have the result's shape,
// or may be broadcast to it.
Operands operands_of(const ElementLoop& loop, std::span<const Tensor> inputs, const Shape& shape) {
  const auto broadcasts = [&](const Tensor& input, size_t k) {
    return ((input.size() == 1 ? loop.repeats : loop.expands) >> k & 1) != 0;
  };
  bool whole = false;  // as one has to be
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

bool fuses() { return fusing.load(std::memory_order_relaxed); }
bool set_fuses(bool fuses) { return fusing.exchange(fuses); }

namespace {

// Results so large that memory may not hold them are computed, or refused, by the call.
bool may_wait(int64_t count, DType dtype) {
  return fuses() && observers.empty() && !buffers_are_limited() &&
         count <= kMostHeldBytes / static_cast<int64_t>(element_size(dtype)) &&
         held_bytes.load(std::memory_order_relaxed) <= kMostHeldBytes;
}

Tensor tensor_of(std::unique_ptr<Pending> node, const TensorSpec& spec) {
  Pending* const made = node.get();
  Tensor result(TensorImpl::create_lazy(spec.dtype, spec.shape, std::move(node)));
  made->self = result.impl();
  return result;
}

// A generated value times one number for each row, if its source gives that; else empty.
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
  if (count < kLazyElements || !may_wait(count, spec.dtype)) return {};
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
      } else {
        input.impl()->settle();
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
    }
    node->inputs.push_back(input);
  }
  if (node->steps > kMostSteps || node->leaves > kMostLeaves) {
    // The bounds count what is shared several times.
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
  const bool stored = spec.dtype == DType::kString || spec.dtype == DType::kVariant;
  if (stored || !may_wait(shape.num_elements(), spec.dtype)) return {};
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
  Expression expression;
  ChainKey key;
  TensorList again;  // read once more, and held by others
  bool waits = false;
  {
    const std::lock_guard lock(links);
    if (!tensor.impl()->lazy() || settle_jointly(*root)) return {};
    if (root->was_read || root->spreads) return {};
    Walk walk(expression);
    walk.visit(*root);
    waits = walk.waits();
    if (waits) expression.nodes.clear();
    for (Pending* const node : expression.nodes) {
      if (node == root || !std::exchange(node->was_read, true)) continue;
      if (node->self->handles() > static_cast<uint32_t>(node->uses)) {
        again.push_back(Tensor::share(node->self));
      }
    }
    if (again.empty() && !waits) {
      root->was_read = true;
      key = key_of(walk, expression);
      key.results.push_back(static_cast<int32_t>(expression.leaves.size()) + root->number);
    }
  }
  if (waits) {
    expression.leaves.clear();
    Overwriting::wait_for_others();
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

// From this size on, memory is worth the time to compute what is in it again.
constexpr int64_t kRecomputedBytes = int64_t{1} << 20;

bool takes_long(const Op& op) {
  return &op == &ops::conv2d || &op == &ops::depthwise_conv2d || &op == &ops::matmul;
}

// Whether others keep the memory of a tensor of which `own` handles are known.
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
  Expression expression;
  ChainKey key;
  TensorList others;  // that are in memory then
  {
    const std::lock_guard lock(links);
    if (!tensor.impl()->lazy() || settle_jointly(*root)) return {};
    if (root->was_read || root->spreads || root->joint) return {};
    Walk walk(expression);
    walk.visit(*root);
    if (walk.waits()) return {};
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
    if (walk.waits()) return {};
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
  if (!may_wait(spec.shape.num_elements(), spec.dtype)) return {};
  auto value = std::make_unique<Generated>(std::move(source), cost, held);
  Generated* const made = value.get();
  Tensor result(TensorImpl::create_lazy(spec.dtype, spec.shape, std::move(value)));
  made->self = result.impl();
  return result;
}

void compute_jointly(std::span<const Tensor> results) {
  const auto waits = [](const Tensor& each) { return each && pending_of(each); };
  if (std::ranges::count_if(results, waits) < 2) return;
  struct Found {
    std::vector<Pending*> members;
    Expression whole;
  };
  std::vector<Found> found;
  const std::lock_guard lock(links);
  for (const Tensor& result : results) {
    Pending* const node = waits(result) ? pending_of(result) : nullptr;
    if (!node || node->joint || node->spreads || node->inputs.empty()) continue;
    Expression own;
    Walk alone(own);
    alone.visit(*node);
    if (alone.waits()) continue;
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
  if (const Pending* const node = pending_of(tensor)) return node->cost;
  const Generated* const value = generated_of(tensor);
  return value ? value->total_cost() : 0;
}

}  // namespace ef
