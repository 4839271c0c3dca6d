// Nodes that hold the positions of streams of random values.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "eager/variable_ref.h"
#include "graph/graph.h"

namespace ef::graph {

struct Seeds {
  int64_t first = 0;
  int64_t second = 0;
};

// Adds a node whose three results, int64 scalars, are the key of a random operation's stream and
// the halves of its counter. Every run advances the stream by `blocks`, an int64 scalar. Each node
// that calls the graph has its own stream. Without seeds, streams begin at random positions.
// `for_all_rows` says that where the graph runs for many rows, one run draws the values of all.
TensorList add_random_stream(Graph& graph, std::optional<Seeds> seeds, const Tensor& blocks,
                             bool for_all_rows = false);

// Restarts all streams, because the global seed has been set.
void restart_random_streams();

// Adds a node with the same results, which reads the counter's halves and the key from a variable,
// int64 [3], and advances its counter.
TensorList add_state_advance(Graph& graph, Variable& state, const Tensor& blocks);

// Returns the variable's three elements and advances its counter. The caller has checked the
// variable.
struct StreamState {
  int64_t key, low, high;
};
StreamState advance(Variable& state, int64_t blocks);
// Adds blocks to the 128 bits of a counter.
void move_on(StreamState& state, int64_t blocks);

// The positions of the streams in one iteration over a pipeline. Each iteration restarts them.
class StreamStates {
 public:
  // Returns the state of a node's stream, and advances it; `begin` returns the first state.
  template <class Begin>
  StreamState next(uint64_t node, uint64_t place, int64_t blocks, const Begin& begin) {
    const std::lock_guard lock(mutex_);
    const auto [stream, is_new] = streams_.try_emplace({node, place});
    if (is_new) stream->second = begin();
    const StreamState before = stream->second;
    move_on(stream->second, blocks);
    return before;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<uint64_t, uint64_t>, StreamState> streams_;
};

// During its lifetime, graphs that this thread runs draw from these streams.
class DrawFrom {
 public:
  explicit DrawFrom(StreamStates& states);
  ~DrawFrom();
  DrawFrom(const DrawFrom&) = delete;
  DrawFrom& operator=(const DrawFrom&) = delete;

 private:
  StreamStates* outer_;
};

// During its lifetime, the call by which this thread runs a graph; `caller` distinguishes the calls
// in one graph.
class CalledFrom {
 public:
  explicit CalledFrom(const void* caller);
  ~CalledFrom();
  CalledFrom(const CalledFrom&) = delete;
  CalledFrom& operator=(const CalledFrom&) = delete;

 private:
  uint64_t outer_;
};

}  // namespace ef::graph
