// The pattern of attention, softmax(query * keyᵀ * scale + mask) * value, for eager execution and
// for plans of graphs.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "patterns/view.h"

namespace ef::patterns {

// The operands of an attention by name. `Value` is that of a view, an index or a tensor.
template <class Value>
struct AttentionOperands {
  struct Number {
    Value value;
    bool inverted;  // the scores are divided by it, or it is subtracted from them
  };

  Value query{}, key{}, value{};
  bool keys_in_columns = false;
  std::vector<Number> scales;  // the last one first
  std::vector<Number> shifts;  // that are added after the scales
  // At most one of a mask that is added (or subtracted) and a condition: where that is not `shown`,
  // `hidden` replaces the score.
  std::optional<Value> mask;
  bool subtracts_mask = false;
  std::optional<Value> condition, hidden;
  bool shown = true;

  bool is_masked() const { return mask || condition; }

  size_t size() const {
    return 3 + scales.size() + shifts.size() + size_t{mask.has_value()} +
           size_t{condition.has_value()} + size_t{hidden.has_value()};
  }

  // The same with map(value) in place of each value.
  template <class Map>
  auto map(Map&& map) const {
    using Other = std::decay_t<decltype(map(query))>;
    AttentionOperands<Other> other;
    other.query = map(query);
    other.key = map(key);
    other.value = map(value);
    other.keys_in_columns = keys_in_columns;
    for (const Number& scale : scales) other.scales.push_back({map(scale.value), scale.inverted});
    for (const Number& shift : shifts) other.shifts.push_back({map(shift.value), shift.inverted});
    if (mask) other.mask = map(*mask);
    other.subtracts_mask = subtracts_mask;
    if (condition) other.condition = map(*condition);
    if (hidden) other.hidden = map(*hidden);
    other.shown = shown;
    return other;
  }
};

// Whether an operation is a product of matrices with exactly these operands transposed.
inline bool is_product(const Op* op, AttrsRef attrs, bool swaps_a, bool swaps_b) {
  if (op != &ops::matmul) return false;
  const auto& matmul = attrs.as<ops::MatmulAttrs>();
  return matmul.swaps_a() == swaps_a && matmul.swaps_b() == swaps_b;
}

// Whether the keys of a head are large enough: very small matrices are multiplied faster one by
// one. Unknown sizes may be large.
inline bool has_long_keys(const Shape& key) {
  constexpr int64_t kLongKeys = 1024;  // elements
  if (!key.ranked() || key.rank() < 2 || key.back(0) < 0 || key.back(1) < 0) return true;
  return key.back(0) * key.back(1) >= kLongKeys;
}

// The scores that a softmax reads: a product of queries and keys, scaled, shifted and masked.
template <class View>
struct Scores {
  using Value = typename View::Value;

  // All operands but the values, which the product after the softmax has.
  AttentionOperands<Value> operands;
  // The results that the pattern replaces. The first one is what the softmax reads, the last one is
  // the product of queries and keys.
  std::vector<Value> replaced;

  // Whether `value` are such scores. Undefined afterwards if not.
  bool match(const View& view, const Value& value) {
    const Producer<Value> producer = view.producer(value);
    if (!producer) return false;
    replaced.push_back(value);
    const Op* const op = producer.op;
    const std::span<const Value> inputs = producer.inputs;
    if (producer.forwards) return match(view, inputs[0]);
    const bool in_columns = is_product(op, producer.attrs, false, false);
    if (in_columns || is_product(op, producer.attrs, false, true)) {
      operands.query = inputs[0];
      operands.key = inputs[1];
      operands.keys_in_columns = in_columns;
      return true;
    }
    if (op == &ops::multiply || op == &ops::real_divide) {
      return match_either(view, producer, op == &ops::multiply,
                          [&](Scores& tried, const Value& other) {
                            if (!view.is_number(other)) return false;
                            tried.operands.scales.push_back({other, op == &ops::real_divide});
                            return true;
                          });
    }
    // What follows comes after the scales in a program.
    if (!operands.scales.empty()) return false;
    if (op == &ops::add || op == &ops::subtract) {
      return match_either(view, producer, op == &ops::add, [&](Scores& tried, const Value& other) {
        if (view.is_number(other)) {
          tried.operands.shifts.push_back({other, op == &ops::subtract});
          return true;
        }
        if (tried.operands.is_masked()) return false;
        tried.operands.mask = other;
        tried.operands.subtracts_mask = op == &ops::subtract;
        return true;
      });
    }
    if (op != &ops::select || operands.is_masked()) return false;
    for (const size_t scores : {size_t{1}, size_t{2}}) {
      if (!view.is_number(inputs[3 - scores])) continue;
      Scores tried = *this;
      tried.operands.condition = inputs[0];
      tried.operands.hidden = inputs[3 - scores];
      tried.operands.shown = scores == 1;
      if (tried.match(view, inputs[scores])) return take(std::move(tried));
    }
    return false;
  }

 private:
  bool take(Scores&& tried) {
    *this = std::move(tried);
    return true;
  }

  // Tries each operand as the scores, if the operation commutes, else the first one. `accept` says
  // whether the other one suits, and notes it.
  template <class Accept>
  bool match_either(const View& view, const Producer<Value>& producer, bool commutes,
                    Accept&& accept) {
    const std::span<const Value> inputs = producer.inputs;
    if (view.are_same(inputs[0], inputs[1])) return false;
    for (size_t k = 0; k < (commutes ? 2u : 1u); ++k) {
      Scores tried = *this;
      if (accept(tried, inputs[1 - k]) && tried.match(view, inputs[k])) {
        return take(std::move(tried));
      }
    }
    return false;
  }
};

}  // namespace ef::patterns
