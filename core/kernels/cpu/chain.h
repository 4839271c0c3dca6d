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
// values exist for some elements at a time and stay in the cache. The results are, bit by bit,
// those of the operations' own kernels.
//
// Values are numbered: first the inputs, then what each operation gives. A chain is built once
// and does not change after finish(); several threads may run it at once.
class Chain {
 public:
  explicit Chain(std::span<const DType> inputs);

  // Adds an operation on earlier values that gives elements of dtype `output`. Returns the number
  // of its value, or -1 if the operation has no loop over elements of these dtypes.
  int add(const Op& op, AttrsRef attrs, std::span<const int> operands, DType output);
  // Ends the building: `results` are the values that a run returns.
  void finish(std::span<const int> results);

  // The number of operations, those that return their input left out.
  int size() const { return static_cast<int>(steps_.size()); }

  // Whether no result is an input.
  bool computes_results() const;

  // Whether the operations accept inputs of these shapes, and all their values have one shape,
  // which is `shape` then, but for those that are computed of single elements alone.
  bool fits(std::span<const Tensor> inputs, Shape* shape) const;
  // The estimated run time in nanoseconds on one thread.
  double cost(const Shape& shape) const;
  // Runs the chain on inputs that fit. A result may take the memory of an input to which there is
  // no other handle.
  void run(const Shape& shape, std::span<Tensor> inputs, TensorList& results) const;

  class Reader;

 private:
  struct Step {
    ElementLoop loop;
    InlineVector<int32_t, 3> operands;
  };
  struct Value {
    DType dtype = DType::kInvalid;
    int32_t bytes = 0;       // of an element
    int32_t last_used = -1;  // the step that reads it last; after all steps for a result
    int32_t slot = -1;       // where blocks of it are, unless in an input or a result
    bool read = false;       // from memory, not only from registers by the next step
    bool in_memory = false;  // because it is read from there, or for another reason
  };
  // What the code on registers does with a value, or with a step.
  struct TileAction {
    enum Kind : uint8_t { kLoad, kCompute, kStore, kCall } kind;
    TileCode code = nullptr;
    int32_t value = -1;
    TileCode single_code = nullptr;  // for a value that is a single element
    int32_t other = -1;              // another value, in the memory of the next step
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
  std::vector<Value> values_;  // inputs, then one for each step
  std::vector<int32_t>
      numbers_;  // of what add() gave: a value, several times where it is forwarded
  std::vector<Step> steps_;
  std::vector<int32_t> results_;
  int32_t num_slots_ = 0;
  int32_t slot_bytes_ = 1;             // the largest element
  double cost_ = 0;                    // nanoseconds for an element
  DType tile_type_ = DType::kInvalid;  // of the steps that run on registers, if any do
  std::vector<TileAction> tile_code_;
};

// Gives the only result of a chain in parts, which are not written to memory. It must not be an
// input.
class Chain::Reader {
 public:
  // On inputs that fit. The chain and the inputs must live as long as the reader.
  Reader(const Chain& chain, const Shape& shape, std::span<Tensor> inputs);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // What one thread reads.
  class Part {
   public:
    explicit Part(const Reader& reader);
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    // Puts the elements [begin, begin + count) at `out`.
    void read(int64_t begin, int64_t count, void* out);

   private:
    struct State;
    std::unique_ptr<State> state_;
  };

 private:
  std::unique_ptr<const Run> run_;
};

}  // namespace ef::cpu
