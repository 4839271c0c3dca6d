// Profiles: events of scopes, and who held memory at the peak.
#include "eager/profile.h"

#include <chrono>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "eager/record.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "graph/symbolic.h"
#include "platform/process.h"
#include "tensor/buffer_watch.h"

namespace ef::profile {
namespace {

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// A buffer that was allocated, or freed if there are no bytes.
struct Change {
  const void* buffer;
  int64_t bytes = 0;
  std::string name;
  Line line;
};

// What is noted. Lines are objects of the host language: they are dropped in end() and begin(),
// whose caller holds its lock.
struct Notes {
  std::vector<Event> events;
  std::vector<Change> changes;
  std::unordered_map<uint64_t, std::pair<Line, bool>> deferred;
};

std::mutex mutex;  // guards the notes, and:
Notes notes;
std::unordered_map<const Record*, Line> records;  // while the records exist
std::atomic<uint64_t> number{0};                  // of the profile, or of the one that ended last

thread_local Scope* innermost = nullptr;
thread_local const BackwardOf* backward = nullptr;

Line find_line() { return graph::find_source ? graph::find_source() : nullptr; }

void freed(const void* buffer) {
  if (!active()) return;
  const std::lock_guard lock(mutex);
  notes.changes.push_back({buffer, 0, {}, nullptr});
}

}  // namespace

void allocated(const void* buffer, int64_t bytes) {
  if (!active()) return;
  Change change{buffer, bytes, {}, nullptr};
  if (Scope* const scope = innermost) {
    scope->bytes_ += bytes;
    change.name = scope->name_;
    change.line = scope->line_;
  } else {
    change.line = find_line();
  }
  const std::lock_guard lock(mutex);
  notes.changes.push_back(std::move(change));
}

namespace {

const BufferWatch watch{
    [](const void* buffer, size_t bytes) { allocated(buffer, static_cast<int64_t>(bytes)); },
    freed};

// What was in use after the change that led to the peak.
std::vector<Holder> holders_at_peak(const std::vector<Change>& changes) {
  std::unordered_map<const void*, const Change*> live;
  int64_t total = 0, peak = 0;
  const auto apply = [&](const Change& change) {
    const auto found = live.find(change.buffer);
    if (found != live.end()) {
      total -= found->second->bytes;
      live.erase(found);
    }
    if (change.bytes == 0) return;
    live.emplace(change.buffer, &change);
    total += change.bytes;
  };
  size_t count = 0;
  for (size_t k = 0; k < changes.size(); ++k) {
    apply(changes[k]);
    if (total <= peak) continue;
    peak = total;
    count = k + 1;
  }
  live.clear();
  for (size_t k = 0; k < count; ++k) apply(changes[k]);
  std::vector<Holder> holders;
  for (const auto& [buffer, change] : live) {
    holders.push_back({change->name, change->line, change->bytes});
  }
  return holders;
}

}  // namespace

void begin() {
  Notes dropped;  // after the lock
  {
    const std::lock_guard lock(mutex);
    dropped = std::exchange(notes, {});
  }
  ++number;
  buffer_watch = &watch;
  running = true;
}

Result end() {
  running = false;
  buffer_watch = nullptr;
  Notes taken;
  {
    const std::lock_guard lock(mutex);
    taken = std::exchange(notes, {});
  }
  return {std::move(taken.events), holders_at_peak(taken.changes)};
}

Scope::Scope(std::string name, Line line, bool gradient)
    : outer_(std::exchange(innermost, this)),
      profile_(number),
      name_(std::move(name)),
      line_(std::move(line)),
      gradient_(gradient) {
  begin_ = now();
}

Scope::Scope(std::string name, uint64_t deferred) : Scope(std::move(name), nullptr) {
  const std::lock_guard lock(mutex);
  const auto found = notes.deferred.find(deferred);
  if (found != notes.deferred.end()) std::tie(line_, gradient_) = found->second;
}

Scope::Scope(std::string name) : Scope(std::move(name), nullptr) {
  const graph::Node* const node = graph::running_node();
  if (node && node->source && (!backward || backward->node_ != node)) {
    line_ = node->source;
  } else if (backward && backward->line_) {
    line_ = backward->line_;
    gradient_ = true;
  } else {
    line_ = node && node->source ? node->source : find_line();
  }
  begin_ = now();
}

Scope::~Scope() {
  const int64_t end = now();
  innermost = outer_;
  if (!active() || profile_ != number) return;
  if (!counts_) {
    if (!outer_) return;
    outer_->inner_ += inner_;
    outer_->bytes_ += bytes_;
    return;
  }
  if (outer_) outer_->inner_ += end - begin_;
  const std::lock_guard lock(mutex);
  notes.events.push_back({std::move(name_), std::move(line_), gradient_, platform::thread_id(),
                          begin_, end, inner_, bytes_});
}

Scope* current() { return active() ? innermost : nullptr; }

void note_deferred(uint64_t id, const Scope& scope) {
  std::pair<Line, bool> noted(scope.line(), scope.gradient());
  const std::lock_guard lock(mutex);
  std::swap(notes.deferred[id], noted);  // the old one is dropped after the lock
}

void note_record(Record& record, std::span<const Tensor> outputs) {
  Line line;
  const Symbol* const symbol = outputs.empty() ? nullptr : symbol_of(outputs[0]);
  if (symbol && symbol->in_graph()) {
    line = symbol->graph()->node(symbol->port().node).source;
  } else if (active()) {
    line = innermost ? innermost->line() : find_line();
  }
  if (!line) return;
  record.noted = true;
  const std::lock_guard lock(mutex);
  std::swap(records[&record], line);
}

Line line_of_record(const Record& record) {
  const std::lock_guard lock(mutex);
  const auto found = records.find(&record);
  return found == records.end() ? nullptr : found->second;
}

void forget_record(const Record& record) {
  Line dropped;  // after the lock
  const std::lock_guard lock(mutex);
  const auto found = records.find(&record);
  if (found == records.end()) return;
  dropped = std::move(found->second);
  records.erase(found);
}

BackwardOf::BackwardOf(Line line)
    : outer_(std::exchange(backward, this)), node_(graph::running_node()), line_(std::move(line)) {}

BackwardOf::~BackwardOf() { backward = outer_; }

const BackwardOf* BackwardOf::current() { return backward; }

}  // namespace ef::profile
