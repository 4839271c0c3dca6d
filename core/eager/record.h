// A tape's record of one call: sized to its arguments, so that a small op takes two cache lines.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "device/allocator.h"
#include "eager/profile.h"
#include "eager/tape.h"
#include "tensor/error.h"

namespace ef {

struct Record {
  // One input or output of the call; it keeps the `value` only if the gradient reads it.
  struct Slot {
    Tensor value;
    uint32_t entry = 0;  // the tape's entry, 0 if not watched
    uint32_t dims = 0;   // position of the shape in dims()
    DType dtype = DType::kInvalid;
    uint8_t rank = 0;
  };

  const Op* op = nullptr;                      // or null, and then:
  std::shared_ptr<BackwardFunction> backward;  // or null, and then inputs and outputs are connected
  SavedAttrs attrs;
  uint32_t num_inputs = 0;
  uint32_t num_outputs = 0;
  uint32_t bytes = 0;
  bool noted = false;  // whether profiles know the program's line

  static Record* create(size_t inputs, size_t outputs, size_t dims) {
    const size_t slots = inputs + outputs;
    const size_t bytes = sizeof(Record) + slots * sizeof(Slot) + dims * sizeof(int64_t);
    void* block = pool_allocate(bytes);
    if (!block) fail(Code::kResourceExhausted, "Out of memory while recording on a tape.");
    auto* record = new (block) Record;
    record->num_inputs = static_cast<uint32_t>(inputs);
    record->num_outputs = static_cast<uint32_t>(outputs);
    record->bytes = static_cast<uint32_t>(bytes);
    std::uninitialized_default_construct_n(record->slots(), slots);
    return record;
  }
  static void destroy(Record* record) {
    const size_t bytes = record->bytes;
    if (record->noted) [[unlikely]]
      profile::forget_record(*record);
    std::destroy_n(record->slots(), record->num_inputs + record->num_outputs);
    record->~Record();
    pool_deallocate(record, bytes);
  }

  bool connects() const { return !op && !backward; }

  Slot& input(size_t i) { return slots()[i]; }
  Slot& output(size_t j) { return slots()[num_inputs + j]; }
  int64_t* dims() { return reinterpret_cast<int64_t*>(slots() + num_inputs + num_outputs); }
  // Describes a tensor in a slot, and writes its sizes to position `dims` of dims().
  void fill(Slot& slot, int64_t*& dims, const Tensor& tensor, bool keep);
  void fill(Slot& slot, int64_t*& dims, DType dtype, const Shape& shape);
  Shape shape(const Slot& slot) {
    return Shape(std::span<const int64_t>(dims() + slot.dims, slot.rank));
  }

 private:
  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
};

struct RecordDeleter {
  void operator()(Record* record) const { Record::destroy(record); }
};
using RecordPtr = std::unique_ptr<Record, RecordDeleter>;

// The gradients of an operation, from a record that belongs to no tape. The `entry` of input i is i
// + 1 if its gradient is wanted, and 0 otherwise. `dy` has one dense gradient per output, which may
// be empty.
std::vector<Gradient> gradients_of_call(Record& record, std::span<Tensor> dy);

// Newest first: values that only later records keep are freed before their sources.
void destroy_records(std::vector<Record*>& records);

}  // namespace ef
