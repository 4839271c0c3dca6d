// Looks up and compiles the programs of operations.
#include "lower/operation_programs.h"

#include <algorithm>
#include <functional>

#include "lower/program.h"
#include "lower/program_cache.h"
#include "lower/rule.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/op_facts.h"
#include "tensor/error.h"

namespace ef::lower {
namespace {

// The limit of programs, so that calls with new shapes do not fill the memory.
constexpr size_t kMostOperations = 8192;

// A call's attributes, some of which are parameters of the program.
struct Split {
  SavedAttrs attrs;  // with the others, where there are any
  std::vector<std::string> names;
  std::vector<int64_t> values;
};

// The positions of random streams.
void split_stream(AttrsRef attrs, Split& split) {
  split.attrs = attrs;
  const AttrsRef own = split.attrs;
  for (const AttrField& field : own.type()->fields()) {
    if (field.name != "key" && field.name != "counter_low" && field.name != "counter_high")
      continue;
    auto* const value = static_cast<int64_t*>(field.value_in(const_cast<void*>(own.data())));
    split.names.push_back(field.name);
    split.values.push_back(std::exchange(*value, 0));
  }
}

// The indices of x[i, …, j]. All other entries must be full axes or new axes.
void split_indices(AttrsRef attrs, Split& split) {
  const auto& given = attrs.as<ops::StridedSliceAttrs>();
  if (given.shrink_axis_mask == 0) return;
  const auto simple = given.shrink_axis_mask | given.new_axis_mask | given.ellipsis_mask |
                      (given.begin_mask & given.end_mask);
  for (size_t i = 0; i < given.begin.size(); ++i) {
    const bool index = (given.shrink_axis_mask >> i & 1) != 0;
    if ((simple >> i & 1) == 0 || (!index && given.strides[i] != 1)) return;
  }
  ops::StridedSliceAttrs others = given;
  for (size_t i = 0; i < given.begin.size(); ++i) {
    if ((given.shrink_axis_mask >> i & 1) == 0) continue;
    split.names.push_back(cat("begin[", i, "]"));
    split.values.push_back(given.begin[i]);
    others.begin[i] = 0;
    others.end[i] = 1;
  }
  split.attrs = AttrsRef(others);
}

Split split_attrs(const Op& op, AttrsRef attrs) {
  Split split;
  if (&op == &ops::strided_slice) {
    split_indices(attrs, split);
  } else if (std::string_view(name(op)).starts_with("philox_")) {
    split_stream(attrs, split);
  }
  return split;
}

size_t hash_of(const Op& op, std::span<const Tensor> inputs) {
  size_t hash = std::hash<const void*>()(&op);
  const auto mix = [&](int64_t number) {
    hash = (hash ^ static_cast<size_t>(number)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  };
  for (const Tensor& input : inputs) {
    mix(static_cast<int64_t>(input.dtype()));
    for (const int64_t size : input.shape()) mix(size);
  }
  return hash;
}

bool same_specs(const SpecList& specs, std::span<const Tensor> tensors) {
  if (specs.size() != tensors.size()) return false;
  for (size_t k = 0; k < specs.size(); ++k) {
    if (specs[k].dtype != tensors[k].dtype() || specs[k].shape != tensors[k].shape()) return false;
  }
  return true;
}

}  // namespace

const OperationPrograms::Entry* OperationPrograms::find_entry(size_t hash, const Op& op,
                                                              std::span<const Tensor> inputs,
                                                              AttrsRef attrs, bool overwrites) {
  const auto [begin, end] = entries_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    const Entry& entry = at->second;
    if (entry.op == &op && entry.overwrites == overwrites && same_specs(entry.inputs, inputs) &&
        AttrsRef(entry.attrs) == attrs) {
      return &entry;
    }
  }
  return nullptr;
}

OperationPrograms::Found OperationPrograms::find(const Op& op, std::span<const Tensor> inputs,
                                                 AttrsRef attrs, const SpecList& specs,
                                                 bool overwrites) {
  const Split split = split_attrs(op, attrs);
  if (!split.names.empty()) attrs = split.attrs;
  const auto with_late = [&](Found program) {
    for (const int64_t value : split.values) program.late.push_back(Tensor::of(value));
    return program;
  };
  const size_t hash = hash_of(op, inputs);
  {
    const std::lock_guard lock(mutex_);
    if (const Entry* entry = find_entry(hash, op, inputs, attrs, overwrites)) {
      return with_late(entry->found);
    }
  }
  // Compiling lets other threads have Python's lock, so it holds no lock.
  Entry entry{
      &op, attrs, {}, overwrites, compile(op, inputs, attrs, specs, split.names, overwrites)};
  Found found = with_late(entry.found);
  for (const Tensor& input : inputs) entry.inputs.push_back({input.dtype(), input.shape()});
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= kMostOperations) entries_.clear();
  if (!find_entry(hash, op, inputs, attrs, overwrites)) entries_.emplace(hash, std::move(entry));
  return found;
}

OperationPrograms::Found OperationPrograms::compile(const Op& op, std::span<const Tensor> inputs,
                                                    AttrsRef attrs, const SpecList& specs,
                                                    std::span<const std::string> late,
                                                    bool overwrites) {
  if (!find_rule(op)) return {};
  std::vector<TensorSpec> given;
  for (const Tensor& input : inputs) given.push_back({input.dtype(), input.shape()});
  OperationProgram program;
  try {
    program = program_of(op, given, attrs, specs, late, overwrites);
  } catch (const Error& error) {
    if (error.code() != Code::kUnimplemented) throw;
    return {};
  }
  SpecList results = specs;
  for (size_t k = 0; k < program.refusals.size(); ++k) results.push_back({DType::kBool, {}});
  Found found;
  found.executable = compiled_program(client_, program.text, results);
  if (!program.refusals.empty()) {
    found.refusals = std::make_shared<std::vector<std::string>>(std::move(program.refusals));
  }
  return found;
}

}  // namespace ef::lower
