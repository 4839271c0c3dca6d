// A profile: which operations ran, when, from which line of the program, and who holds memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace ef {
struct Record;
}

namespace ef::graph {
struct Node;
}

namespace ef::profile {

// A line of the program, an object of the host language; may be null.
using Line = std::shared_ptr<void>;

inline std::atomic<bool> running{false};
inline bool active() { return running.load(std::memory_order_relaxed); }

// Something that ran on one thread. Times are nanoseconds of the steady clock.
struct Event {
  std::string name;
  Line line;
  bool gradient = false;  // of the operation in that line
  uint64_t thread = 0;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t inner = 0;  // time of the events inside
  int64_t bytes = 0;  // memory of tensors that it allocated, without the events inside
};

// Memory that was in use when most of it was.
struct Holder {
  std::string name;  // of the operation that allocated it; empty: none
  Line line;
  int64_t bytes = 0;
};

struct Result {
  std::vector<Event> events;  // in the order in which they ended
  std::vector<Holder> at_peak;
};

void begin();
Result end();

// An operation that runs during the scope's lifetime. Only while a profile is active.
class Scope {
 public:
  // The line is that of the running node, else of the program.
  explicit Scope(std::string name);
  Scope(std::string name, Line line, bool gradient = false);
  // For a deferred result, that of the operation.
  Scope(std::string name, uint64_t deferred);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Nothing ran, or others did: the scope is no event.
  void cancel() { counts_ = covers_ = false; }
  // The operations that it calls are its own.
  void cover() { covers_ = true; }
  bool covers() const { return covers_; }
  void rename(std::string name) { name_ = std::move(name); }
  const std::string& name() const { return name_; }
  const Line& line() const { return line_; }
  bool gradient() const { return gradient_; }

 private:
  friend void allocated(const void* buffer, int64_t bytes);  // of buffer_watch

  Scope* const outer_;
  const uint64_t profile_;
  std::string name_;
  Line line_;
  bool gradient_ = false;
  bool counts_ = true;
  bool covers_ = false;
  int64_t begin_ = 0;
  int64_t inner_ = 0;
  int64_t bytes_ = 0;
};

// The innermost scope of this thread, or null.
Scope* current();

// Remembers which scope a deferred result comes from, by the identity of its tensor.
void note_deferred(uint64_t id, const Scope& scope);

// Remembers the line of a tape's record: of its nodes while a graph is built, else of the scope.
void note_record(Record& record, std::span<const Tensor> outputs);
Line line_of_record(const Record& record);
void forget_record(const Record& record);

// During its lifetime, operations of this thread, and nodes that it adds, are the backward step of
// the operation in a line.
class BackwardOf {
 public:
  explicit BackwardOf(Line line);
  ~BackwardOf();
  BackwardOf(const BackwardOf&) = delete;
  BackwardOf& operator=(const BackwardOf&) = delete;

  // The innermost one of this thread, or null.
  static const BackwardOf* current();
  const Line& line() const { return line_; }

 private:
  friend class Scope;
  const BackwardOf* const outer_;
  const graph::Node* const node_;  // that ran when it began
  const Line line_;
};

}  // namespace ef::profile
