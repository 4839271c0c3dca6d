// Recording operations.
#include "eager/tape.h"

#include <algorithm>

#include "eager/profile.h"
#include "eager/record.h"
#include "eager/variable.h"
#include "ops/op.h"
#include "ops/pooling.h"

namespace ef {
namespace {

// The tapes of one thread. Those below `floor` are paused; `floors` are the floors of outer pauses.
struct TapeStack {
  std::vector<Tape*> tapes;
  size_t floor = 0;
  std::vector<size_t> floors;

  ~TapeStack() {
    for (Tape* tape : tapes) tape->release();
  }
};
thread_local TapeStack stack;

uint16_t bit_of(size_t i) { return static_cast<uint16_t>(1u << std::min<size_t>(i, 15)); }

// The number of recorded sizes of a tensor; those of symbolic tensors may be unknown.
size_t recorded_rank(const Tensor& tensor) {
  return tensor.shape().ranked() ? static_cast<size_t>(tensor.rank()) : 0;
}

}  // namespace

void Record::fill(Slot& slot, int64_t*& dims, DType dtype, const Shape& shape) {
  slot.dtype = dtype;
  slot.rank = static_cast<uint8_t>(shape.ranked() ? shape.rank() : 0);
  slot.dims = static_cast<uint32_t>(dims - this->dims());
  for (int64_t dim : shape) *dims++ = dim;
}

void Record::fill(Slot& slot, int64_t*& dims, const Tensor& tensor, bool keep) {
  fill(slot, dims, tensor.dtype(), tensor.shape());
  if (keep) slot.value = tensor;
}

void destroy_records(std::vector<Record*>& records) {
  while (!records.empty()) {
    Record* const last = records.back();
    records.pop_back();
    Record::destroy(last);
  }
}

[[gnu::hot]] std::span<Tape* const> active_tapes() {
  return std::span<Tape* const>(stack.tapes).subspan(stack.floor);
}

void push_tape(Tape* tape) {
  stack.tapes.push_back(tape);
  tape->retain();
}

void pop_tape(Tape* tape) {
  const auto innermost = std::find(stack.tapes.rbegin(), stack.tapes.rend(), tape);
  if (innermost == stack.tapes.rend()) return;
  const auto position = std::next(innermost).base();
  const auto index = static_cast<size_t>(position - stack.tapes.begin());
  stack.tapes.erase(position);
  if (index < stack.floor) --stack.floor;
  for (size_t& floor : stack.floors) floor -= index < floor;
  tape->release();
}

void pause_recording() {
  stack.floors.push_back(stack.floor);
  stack.floor = stack.tapes.size();
}
void resume_recording() {
  if (stack.floors.empty()) return;
  stack.floor = stack.floors.back();
  stack.floors.pop_back();
}
StopRecording::StopRecording() { pause_recording(); }
StopRecording::~StopRecording() { resume_recording(); }

RecordingTapes::RecordingTapes() {
  for (Tape* tape : active_tapes()) {
    tape->retain();
    tapes_.push_back(tape);
  }
}
RecordingTapes::~RecordingTapes() {
  for (Tape* tape : tapes_) tape->release();
}
void RecordingTapes::begin() const {
  pause_recording();
  for (Tape* tape : tapes_) push_tape(tape);
}
void RecordingTapes::end() const {
  for (size_t i = tapes_.size(); i-- > 0;) pop_tape(tapes_[i]);
  resume_recording();
}

void record_on_tapes(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                     std::span<const Tensor> outputs) {
  for (Tape* tape : active_tapes()) tape->record(op, inputs, attrs, outputs);
}

Tape::Tape(Options options) : options_(options) {}

Tape::~Tape() {
  destroy_records(records_);
  for (Variable* variable : variables_) variable->release();
}

uint32_t Tape::entry_of(uint64_t id) {
  if (const uint32_t entry = entries_.find(id)) return entry;
  entries_.set(id, entry_count_);
  return entry_count_++;
}

uint32_t Tape::fresh_entry(uint64_t id) {
  entries_.set(id, entry_count_);
  return entry_count_++;
}

void Tape::watch(const Tensor& tensor) { entry_of(tensor.impl()->id()); }

void Tape::watch(Variable& variable) {
  if (entries_.find(variable.id())) return;
  entry_of(variable.id());
  variable.retain();
  variables_.push_back(&variable);
}

bool Tape::watches(const Variable& variable) const { return entries_.find(variable.id()) != 0; }

bool Tape::watches_reads_of(const Variable& variable) const {
  return (variable.trainable() && options_.watch_accessed) || watches(variable);
}

void Tape::variable_read(Variable& variable, const Tensor& value) {
  if (may_pool_first_) [[unlikely]]
    pool_first();
  watch(variable);
  entries_.set(value.impl()->id(), entries_.find(variable.id()));
}

void Tape::record(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                  std::span<const Tensor> outputs) {
  if (options_.watch_only) return;
  Need need;
  bool watched = false;
  InlineVector<uint32_t, 8> entries;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const uint64_t id = inputs[i].impl()->id_or_zero();
    uint32_t entry = id ? entries_.find(id) : 0;
    if (entry && !differentiates(inputs[i].dtype())) entry = 0;
    entries.push_back(entry);
    if (!entry) continue;
    watched = true;
    const Need more = op.need(i);
    need.inputs |= more.inputs;
    need.outputs |= more.outputs;
  }
  if (!watched) return;
  if (may_pool_first_) [[unlikely]] {
    pool_first();
    may_pool_first_ = false;
  }

  size_t rank_sum = 0;
  for (const Tensor& t : inputs) rank_sum += recorded_rank(t);
  for (const Tensor& t : outputs) rank_sum += recorded_rank(t);
  Record* record = Record::create(inputs.size(), outputs.size(), rank_sum);
  record->op = &op;
  record->attrs = attrs;
  int64_t* dims = record->dims();
  for (size_t i = 0; i < inputs.size(); ++i) {
    record->fill(record->input(i), dims, inputs[i], need.inputs & bit_of(i));
    record->input(i).entry = entries[i];
  }
  for (size_t j = 0; j < outputs.size(); ++j) {
    record->fill(record->output(j), dims, outputs[j], need.outputs & bit_of(j));
    if (differentiates(outputs[j].dtype())) {
      record->output(j).entry = fresh_entry(outputs[j].impl()->id());
    }
  }
  records_.push_back(record);
  if (profile::active() || (!outputs.empty() && outputs[0].impl()->lazy())) [[unlikely]]
    profile::note_record(*record, outputs);
  may_pool_first_ = &op == &ops::max_pool;
}

void Tape::record(std::shared_ptr<BackwardFunction> backward, std::span<const uint64_t> inputs,
                  std::span<const Tensor> outputs) {
  if (options_.watch_only) return;
  bool watched = false;
  for (uint64_t id : inputs) watched |= entries_.find(id) != 0;
  if (!watched) return;
  may_pool_first_ = false;
  size_t rank_sum = 0;
  for (const Tensor& t : outputs) rank_sum += recorded_rank(t);
  Record* record = Record::create(inputs.size(), outputs.size(), rank_sum);
  record->backward = std::move(backward);
  int64_t* dims = record->dims();
  for (size_t i = 0; i < inputs.size(); ++i) record->input(i).entry = entries_.find(inputs[i]);
  for (size_t j = 0; j < outputs.size(); ++j) {
    record->fill(record->output(j), dims, outputs[j], false);
    if (options_.forward && entries_.find(outputs[j].impl()->id()) != 0) continue;
    if (differentiates(outputs[j].dtype())) {
      record->output(j).entry = fresh_entry(outputs[j].impl()->id());
    }
  }
  records_.push_back(record);
  if (profile::active() || (!outputs.empty() && outputs[0].impl()->lazy())) [[unlikely]]
    profile::note_record(*record, outputs);
}

void Tape::connect(std::span<const Source> sources, std::span<const Tensor> outputs) {
  if (options_.watch_only) return;
  std::vector<const Source*> watched;
  size_t rank_sum = 0;
  for (const Source& source : sources) {
    if (!entries_.find(source.id) || !differentiates(source.dtype)) continue;
    watched.push_back(&source);
    rank_sum += static_cast<size_t>(source.shape.rank());
  }
  if (watched.empty()) return;
  may_pool_first_ = false;
  for (const Tensor& output : outputs) rank_sum += recorded_rank(output);
  Record* record = Record::create(watched.size(), outputs.size(), rank_sum);
  int64_t* dims = record->dims();
  for (size_t i = 0; i < watched.size(); ++i) {
    record->fill(record->input(i), dims, watched[i]->dtype, watched[i]->shape);
    record->input(i).entry = entries_.find(watched[i]->id);
  }
  for (size_t j = 0; j < outputs.size(); ++j) {
    record->fill(record->output(j), dims, outputs[j], false);
    if (options_.forward && entries_.find(outputs[j].impl()->id()) != 0) continue;
    if (differentiates(outputs[j].dtype())) {
      record->output(j).entry = entry_of(outputs[j].impl()->id());
    }
  }
  records_.push_back(record);
}

}  // namespace ef
