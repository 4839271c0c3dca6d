// Streams of random operations in graphs.
#include "graph/random_streams.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "eager/variable.h"
#include "graph/record.h"
#include "graph/variables.h"
#include "platform/process.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

std::atomic<int64_t> restarts = 0;
std::atomic<uint64_t> nodes = 0;
thread_local uint64_t place = 0;  // a number for the chain of calls that runs the graph
thread_local StreamStates* states = nullptr;

uint64_t mixed(uint64_t bits) {
  bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccd;
  bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53;
  return bits ^ (bits >> 33);
}

int64_t number_of(const Tensor& blocks) { return blocks.data<int64_t>()[0]; }

void push_state(const StreamState& state, TensorList& outputs) {
  for (const int64_t word : {state.key, state.low, state.high}) {
    outputs.push_back(Tensor::vector({&word, 1}).view({}));
  }
}

SpecList three_numbers() {
  SpecList specs;
  for (int i = 0; i < 3; ++i) specs.push_back({DType::kInt64, Shape{}});
  return specs;
}

class RandomStream final : public NodeFunction {
 public:
  RandomStream(std::optional<Seeds> seeds, bool for_all_rows)
      : seeds_(seeds), for_all_rows_(for_all_rows) {}

  const char* type() const override { return "RandomStream"; }
  bool draws() const override { return !for_all_rows_; }
  std::vector<int64_t> seeds() const override {
    if (!seeds_) return {};
    return {seeds_->first, seeds_->second};
  }

  bool needs_host() const override { return false; }

  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    const int64_t blocks = number_of(inputs[0]);
    if (states) {
      return push_state(states->next(node_, place, blocks, [&] { return beginning(); }), outputs);
    }
    const std::lock_guard lock(mutex_);
    const int64_t restarted = restarts.load(std::memory_order_relaxed);
    if (std::exchange(restarts_seen_, restarted) != restarted) streams_.clear();
    const auto [stream, is_new] = streams_.try_emplace(place);
    if (is_new) stream->second = beginning();
    push_state(stream->second, outputs);
    move_on(stream->second, blocks);
  }
  // Keeps the node, so that the stream stays one stream.
  void retrace(Graph& graph, std::span<const Tensor> inputs, TensorList& outputs) const override {
    outputs = add_function(graph, shared_from_this(), inputs, three_numbers(), type());
  }

 private:
  StreamState beginning() const {
    if (seeds_) return {seeds_->first, 0, seeds_->second};
    int64_t words[2];
    if (!platform::random_bytes(words, sizeof words)) {
      fail(Code::kInternal, "The system gives no random numbers.");
    }
    return {words[0], 0, words[1]};
  }

  std::optional<Seeds> seeds_;
  bool for_all_rows_;
  uint64_t node_ = nodes.fetch_add(1, std::memory_order_relaxed);
  mutable std::mutex mutex_;
  mutable int64_t restarts_seen_ = 0;
  mutable std::unordered_map<uint64_t, StreamState>
      streams_;  // by the chain of calls that runs the graph
};

class StateAdvance final : public NodeFunction {
 public:
  explicit StateAdvance(Variable& state) : state_(state) {}

  const char* type() const override { return "RngReadAndSkip"; }
  bool has_effects() const override { return true; }
  bool draws() const override { return true; }
  bool needs_host() const override { return false; }
  std::span<const VariableRef> variables() const override { return {&state_, 1}; }
  void run(std::span<const Tensor> inputs, TensorList& outputs) const override {
    push_state(advance(SwappedVariables::find(*state_), number_of(inputs[0])), outputs);
  }
  void retrace(Graph& graph, std::span<const Tensor> inputs, TensorList& outputs) const override {
    outputs = add_state_advance(graph, SwappedVariables::find(*state_), inputs[0]);
  }

 private:
  VariableRef state_;
};

}  // namespace

TensorList add_random_stream(Graph& graph, std::optional<Seeds> seeds, const Tensor& blocks,
                             bool for_all_rows) {
  return add_function(graph, std::make_shared<RandomStream>(seeds, for_all_rows), {&blocks, 1},
                      three_numbers(), "RandomStream");
}

void restart_random_streams() { restarts.fetch_add(1, std::memory_order_relaxed); }

TensorList add_state_advance(Graph& graph, Variable& state, const Tensor& blocks) {
  return add_function(graph, std::make_shared<StateAdvance>(state), {&blocks, 1}, three_numbers(),
                      "RngReadAndSkip");
}

StreamState advance(Variable& variable, int64_t blocks) {
  const Variable::Update update(variable);
  auto* const words = update.tensor().mutable_data<int64_t>();
  StreamState state{words[2], words[0], words[1]};
  const StreamState before = state;
  move_on(state, blocks);
  words[0] = state.low;
  words[1] = state.high;
  return before;
}

void move_on(StreamState& state, int64_t blocks) {
  const auto before = static_cast<uint64_t>(state.low);
  const uint64_t after = before + static_cast<uint64_t>(blocks);
  if (after < before) state.high = static_cast<int64_t>(static_cast<uint64_t>(state.high) + 1);
  state.low = static_cast<int64_t>(after);
}

DrawFrom::DrawFrom(StreamStates& drawn_from) : outer_(std::exchange(states, &drawn_from)) {}
DrawFrom::~DrawFrom() { states = outer_; }

CalledFrom::CalledFrom(const void* caller) : outer_(place) {
  place = mixed(place + reinterpret_cast<uintptr_t>(caller));
}
CalledFrom::~CalledFrom() { place = outer_; }

}  // namespace ef::graph
