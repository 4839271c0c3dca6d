// A short sequence of operations with fixed attributes: the work of one node of a graph.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/op.h"

namespace ef::session {

// The dtype of a tensor, and its shape, which may be partly known.
struct PartialSpec {
  DType dtype = DType::kInvalid;
  bool ranked = false;  // whether the number of dimensions is known
  Shape shape;          // -1 is an unknown size

  bool fully_known() const;
  friend bool operator==(const PartialSpec& a, const PartialSpec& b) {
    return a.dtype == b.dtype && a.ranked == b.ranked && (!a.ranked || a.shape == b.shape);
  }
};

// The common part of two shapes; sizes that differ are unknown.
PartialSpec merge(const PartialSpec& a, const PartialSpec& b);

// The source of a step's tensor: the program's arguments, its constants, or earlier results.
struct Operand {
  enum From : int32_t { kArgument, kConstant, kResult };
  From from = kArgument;
  int32_t index = 0;  // of the argument, the constant or the step
  int32_t output = 0;
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct Step {
  const Op* op = nullptr;
  SavedAttrs attrs;
  InlineVector<Operand, 4> inputs;
};

struct Program {
  std::vector<Step> steps;
  std::vector<Tensor> constants;
  std::vector<Operand> results;

  // Runs the steps through the dispatch of every operation, so that tapes and observers see them.
  void run(std::span<const Tensor> arguments, TensorList& outputs) const;

  // Dtypes and shapes of the results. Unknown sizes are replaced by two different sizes in turn: a
  // result's size that changes with them is unknown. Throws what the operations throw.
  std::vector<PartialSpec> infer(std::span<const PartialSpec> arguments) const;

  // The same operations on the same constants; compares the constants' values.
  friend bool operator==(const Program& a, const Program& b);
};

}  // namespace ef::session
