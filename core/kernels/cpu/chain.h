// Chains of elementwise operations that run in one pass over memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ops/attrs.h"
#include "ops/element_loop.h"
#include "tensor/dtype.h"
#include "tensor/inline_vector.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"
#include "tensor/tensor_list.h"

namespace ef::cpu {

// Elementwise operations on tensors of one shape and on tensors that broadcast to it. Intermediate
// values exist for a block of elements at a time and stay in the cache. The results are, bit by
// bit, those of the operations' own kernels.
//
// Values are numbered: first the inputs, then the result of each operation. A chain is built once
// and does not change after finish(); several threads may run it at once.
class Chain {
 public:
  explicit Chain(std::span<const DType> inputs);

  // Adds an operation on earlier values with a result of dtype `output`. Returns the number of the
  // result, or -1 if the operation has no elementwise loop for these dtypes.
  int add(const Op& op, AttrsRef attrs, std::span<const int> operands, DType output);
  // Ends the building: `results` are the values that a run returns.
  void finish(std::span<const int> results);

  // The number of operations, except those that return their input.
  int size() const { return static_cast<int>(steps_.size()); }

  // Whether no result is an input.
  bool computes_results() const;

  // Whether the operations accept inputs of these shapes and have results of one shape, which is
  // stored in `shape`. Results computed from single elements only do not count.
  bool fits(std::span<const Tensor> inputs, Shape* shape) const;
  // The estimated run time in nanoseconds on one thread.
  double cost(const Shape& shape) const;
  // Runs the chain on inputs that fit. A result may take the memory of an input to which there is
  // no other handle.
  void run(const Shape& shape, std::span<Tensor> inputs, TensorList& results) const;

  class Reader;

 private:
  static constexpr size_t kMostOperands = 8;
  static constexpr double kTaskNanoseconds = 10'000;  // about the time of one task

  struct Step {
    ElementLoop loop;
    InlineVector<int32_t, 3> operands;
  };
  struct Value {
    DType dtype = DType::kInvalid;
    int32_t bytes = 0;       // of an element
    int32_t last_used = -1;  // the last step that reads it; after all steps for a result
    int32_t slot = -1;       // the slot of its blocks; -1 in inputs and results
    bool read = false;       // from memory, not only from registers by the next step
    bool in_memory = false;  // whether it is stored
  };
  // The code on registers for a value or a step.
  struct TileAction {
    enum Kind : uint8_t { kLoad, kCompute, kStore, kCall } kind;
    TileCode code = nullptr;
    int32_t value = -1;
    TileCode single_code = nullptr;  // for a value that is a single element
    int32_t other = -1;              // another value, which the next step holds in its memory
  };
  class Run;

  Value& value(int32_t number) { return values_[static_cast<size_t>(number)]; }
  const Value& value(int32_t number) const { return values_[static_cast<size_t>(number)]; }
  const Step& step(int32_t index) const { return steps_[static_cast<size_t>(index)]; }

  bool on_registers(const Step& step) const;
  void choose_tile_type();
  void sort_steps();
  void find_uses();
  void assign_slots();
  void write_tile_code();

  int32_t num_inputs_;
  std::vector<Value> values_;     // inputs, then one for each step
  std::vector<int32_t> numbers_;  // results of add(): a forwarded value occurs several times
  std::vector<Step> steps_;
  std::vector<int32_t> results_;
  int32_t num_slots_ = 0;
  int32_t slot_bytes_ = 1;             // the largest element
  double cost_ = 0;                    // nanoseconds for an element
  DType tile_type_ = DType::kInvalid;  // of the steps that run on registers, if any do
  std::vector<TileAction> tile_code_;
};

// Computes the only result of a chain in parts, which are not written to memory. The result must
// not be an input.
class Chain::Reader {
 public:
  // The inputs must fit. The chain and the inputs must live as long as the reader.
  Reader(const Chain& chain, const Shape& shape, std::span<Tensor> inputs);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The elements of a task for one thread, if each takes `nanoseconds` beside its computation.
  int64_t grain(double nanoseconds) const;

  // The state of one reading thread.
  class Part {
   public:
    explicit Part(const Reader& reader);
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    // Writes the elements [begin, begin + count) to `out`.
    void read(int64_t begin, int64_t count, void* out);

   private:
    struct State;
    std::unique_ptr<State> state_;
  };

 private:
  std::unique_ptr<const Run> run_;
};

}  // namespace ef::cpu
