// The table of rules.
#include "lower/rule.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

#include "ops/op.h"
#include "tensor/error.h"

namespace ef::lower {

const Value* Call::find_late(std::string_view name) const {
  const auto found = std::ranges::find(late, name, &std::pair<std::string, Value>::first);
  return found == late.end() ? nullptr : &found->second;
}

namespace {

// The rule of an operation whose entry names that of StableHLO.
Values named(const Call& c) {
  Values operands;
  for (size_t i = 0; i < c.in.size(); ++i) operands.push_back(c.broadcast(i));
  const std::string_view name = c.op.stablehlo;
  if (name.find('.') == name.npos) return {c.b.compare(name, operands[0], operands[1])};
  return {c.b.one(name, operands, c.out[0])};
}

}  // namespace

Rule find_rule(const Op& op) {
  static const std::unordered_map<const Op*, Rule> rules = [] {
    std::unordered_map<std::string_view, Rule> by_name;
    for (const RuleList list :
         {elementwise_rules(), special_rules(), reduction_rules(), array_rules(), matrix_rules(),
          linear_system_rules(), decomposition_rules(), fourier_rules(), image_rules(),
          convolution_rules(), pooling_rules(), normalization_rules(), indexing_rules(),
          sorting_rules(), random_rules(), recurrent_rules(), tensor_list_rules()}) {
      for (const auto& [name, rule] : list) by_name[name] = rule;
    }
    std::unordered_map<const Op*, Rule> result;
    for (const Op* op : op_table()) {
      if (op->stablehlo) result[op] = named;
      if (const auto found = by_name.find(op->name); found != by_name.end()) {
        result[op] = found->second;
        by_name.erase(found);
      }
    }
    if (!by_name.empty()) {
      fail(Code::kInternal, "A rule is for ", by_name.begin()->first, ", which no operation is.");
    }
    return result;
  }();
  const auto found = rules.find(&op);
  return found == rules.end() ? nullptr : found->second;
}

int64_t normalized(int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

Dims normalized(const std::optional<Ints>& axes, int rank) {
  if (!axes) return axes_from(0, rank);
  Dims result;
  for (const int64_t axis : *axes) result.push_back(normalized(axis, rank));
  std::ranges::sort(result);
  const auto [first, last] = std::ranges::unique(result);
  result.erase(first, last);
  return result;
}

std::vector<const Op*> operations() {
  std::vector<const Op*> found;
  std::ranges::copy_if(op_table(), std::back_inserter(found),
                       [](const Op* op) { return static_cast<bool>(find_rule(*op)); });
  return found;
}

}  // namespace ef::lower
