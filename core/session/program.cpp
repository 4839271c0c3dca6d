// Running and inferring sequences of operations.
#include "session/program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "eager/dispatch.h"
#include "eager/tape.h"
#include "graph/symbolic.h"
#include "tensor/error.h"

namespace ef::session {
namespace {

// The sizes that replace unknown ones while shapes are inferred: of the first axis, of other axes,
// and the shape of a tensor of unknown rank.
struct Choice {
  int64_t first;
  int64_t other;
  std::array<int64_t, 2> unranked;
  size_t unranked_size;
};
constexpr Choice kChoices[] = {{12, 480, {}, 0}, {24, 960, {24, 960}, 2}};

Tensor stand_in(const PartialSpec& spec, const Choice& choice) {
  TensorSpec chosen;
  chosen.dtype = spec.dtype;
  if (!spec.ranked) {
    chosen.shape = Shape(std::span(choice.unranked.data(), choice.unranked_size));
    return symbolic(chosen);
  }
  for (int axis = 0; axis < spec.shape.rank(); ++axis) {
    const int64_t size = spec.shape[axis];
    chosen.shape.push_back(size >= 0 ? size : axis ? choice.other : choice.first);
  }
  return symbolic(chosen);
}

bool same_value(const Tensor& a, const Tensor& b) {
  if (a.impl() == b.impl()) return true;
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  if (a.dtype() == DType::kString) return std::ranges::equal(a.strings(), b.strings());
  return a.bytes() == 0 ||
         std::memcmp(a.raw_data(), b.raw_data(), static_cast<size_t>(a.bytes())) == 0;
}

}  // namespace

bool PartialSpec::fully_known() const {
  return ranked && std::ranges::all_of(shape.dims(), [](int64_t size) { return size >= 0; });
}

PartialSpec merge(const PartialSpec& a, const PartialSpec& b) {
  PartialSpec result = a;
  if (!a.ranked || !b.ranked || a.shape.rank() != b.shape.rank()) {
    result.ranked = false;
    result.shape = {};
    return result;
  }
  for (int axis = 0; axis < a.shape.rank(); ++axis) {
    if (a.shape[axis] != b.shape[axis]) result.shape[axis] = -1;
  }
  return result;
}

void Program::run(std::span<const Tensor> arguments, TensorList& outputs) const {
  // Most programs are one operation on the arguments and a few constants.
  std::vector<TensorList> values(steps.size() > 1 ? steps.size() : 0);
  TensorList last;
  const auto find = [&](const Operand& operand) -> const Tensor& {
    switch (operand.from) {
      case Operand::kArgument: return arguments[static_cast<size_t>(operand.index)];
      case Operand::kConstant: return constants[static_cast<size_t>(operand.index)];
      case Operand::kResult: break;
    }
    const TensorList& made = values.empty() ? last : values[static_cast<size_t>(operand.index)];
    return made[static_cast<size_t>(operand.output)];
  };
  for (size_t k = 0; k < steps.size(); ++k) {
    const Step& step = steps[k];
    TensorList inputs;
    for (const Operand& operand : step.inputs) inputs.push_back(find(operand));
    ef::run(*step.op, inputs, step.attrs, values.empty() ? last : values[k]);
  }
  for (const Operand& operand : results) outputs.push_back(find(operand));
}

std::vector<PartialSpec> Program::infer(std::span<const PartialSpec> arguments) const {
  const StopRecording paused;
  const bool certain = std::ranges::all_of(arguments, &PartialSpec::fully_known);
  std::vector<PartialSpec> merged;
  std::optional<Error> failure;
  int worked = 0;
  for (const Choice& choice : kChoices) {
    std::vector<Tensor> inputs;
    for (const PartialSpec& spec : arguments) inputs.push_back(stand_in(spec, choice));
    TensorList outputs;
    try {
      run(inputs, outputs);
    } catch (const Error& error) {
      if (!failure) failure = error;
      continue;
    }
    for (size_t k = 0; k < outputs.size(); ++k) {
      const PartialSpec spec{outputs[k].dtype(), true, outputs[k].shape()};
      if (worked == 0) {
        merged.push_back(spec);
      } else {
        merged[k] = merge(merged[k], spec);
      }
    }
    ++worked;
    if (certain) return merged;
  }
  if (worked == 0) throw *failure;
  if (worked == 1) {
    // A single choice does not reveal which sizes depend on it.
    for (PartialSpec& spec : merged) spec = {spec.dtype, false, {}};
  }
  return merged;
}

bool operator==(const Program& a, const Program& b) {
  if (a.steps.size() != b.steps.size() || a.constants.size() != b.constants.size() ||
      a.results != b.results) {
    return false;
  }
  for (size_t k = 0; k < a.steps.size(); ++k) {
    const Step &first = a.steps[k], &second = b.steps[k];
    if (first.op != second.op || first.attrs != second.attrs ||
        !std::equal(first.inputs.begin(), first.inputs.end(), second.inputs.begin(),
                    second.inputs.end())) {
      return false;
    }
  }
  return std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(), same_value);
}

}  // namespace ef::session
