// Infers values while tracing.
#include "graph/static_value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eager/dispatch.h"
#include "eager/tape.h"
#include "ops/array.h"
#include "ops/creation.h"
#include "ops/elementwise.h"
#include "ops/indexing.h"
#include "ops/shapes.h"

namespace ef::graph {
namespace {

// Larger results of operations on constants are computed when the graph runs.
constexpr int64_t kKeptElements = 1024;

// Doubles hold all integers below it.
constexpr double kExactDoubles = 9007199254740992.0;

// The number of elements of a range with these values; infinite if they define no range.
double range_size(std::span<const Tensor> inputs) {
  double numbers[3];
  for (size_t i = 0; i < 3; ++i) {
    const Tensor wide =
        call(ops::cast, {value_of(inputs[i])}, ops::CastAttrs{.dtype = DType::kFloat64});
    if (wide.size() != 1) return std::numeric_limits<double>::infinity();
    numbers[i] = *wide.data<double>();
  }
  return (numbers[1] - numbers[0]) / numbers[2];
}

// Whether an operation reads only the shapes of its inputs.
bool takes_only_shapes(const Op& op) { return &op == &ops::zeros_like || &op == &ops::ones_like; }

// Whether the results depend on a captured tensor that tapes may watch, which no integer is.
bool follows_from_capture(const Op& op, std::span<const Tensor> inputs) {
  const Graph* const graph = building();
  return graph && !takes_only_shapes(op) && std::ranges::any_of(inputs, [&](const Tensor& input) {
           const Symbol* const symbol = symbol_of(input);
           return symbol ? symbol->from_capture() : graph->captures_value(input);
         });
}

bool compute(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
             std::span<const Tensor> outputs) {
  // Sizes may depend on values.
  for (const Tensor& output : outputs) {
    if (known_elements(output.shape()) > kKeptElements) return false;
  }
  TensorList values, results;
  for (const Tensor& input : inputs) {
    if (takes_only_shapes(op) && known_elements(input.shape()) >= 0 &&
        known_elements(input.shape()) <= kKeptElements && input.dtype() != DType::kString) {
      values.push_back(Tensor::empty(input.dtype(), input.shape()));
      continue;
    }
    values.push_back(value_of(input));
    if (!values.back() || values.back().size() > kKeptElements) return false;
  }
  const bool captured = follows_from_capture(op, inputs);
  const Building paused(nullptr);
  const StopRecording unrecorded;
  try {
    if (&op == &ops::range) {
      const double size = std::ceil(range_size(inputs));
      if (!(size <= kKeptElements)) {
        if (is_integer(outputs[0].dtype()) && size < kExactDoubles) {
          outputs[0].impl()->refine_shape(Shape{static_cast<int64_t>(size)});
        }
        return false;
      }
    }
    run(op, values, attrs, results);
  } catch (const Error&) {
    return false;  // the run raises the error
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    outputs[k].impl()->refine_shape(results[k].shape());
    if (results[k].size() > kKeptElements) continue;
    symbol_of(outputs[k])->set_value(results[k], captured && is_differentiable(results[k].dtype()));
  }
  return true;
}

int64_t length(const Tensor& tensor) { return known_elements(tensor.shape()); }

// Scalars, vectors, and small matrices such as paddings, whose elements are known row by row.
bool is_list_of_numbers(const Tensor& tensor) {
  return tensor.shape().ranked() && tensor.rank() <= 2 && is_integer(tensor.dtype()) &&
         length(tensor) <= kKeptElements;
}

std::optional<Ints> known_elements(const Tensor& tensor) {
  if (!is_list_of_numbers(tensor)) return {};
  const Symbol* const symbol = symbol_of(tensor);
  if (const Tensor value = value_of(tensor)) {
    const Building paused(nullptr);
    const StopRecording unrecorded;
    const Tensor wide = call(ops::cast, {value}, ops::CastAttrs{.dtype = DType::kInt64});
    Ints numbers;
    for (int64_t i = 0; i < wide.size(); ++i) numbers.push_back(as_known(wide.data<int64_t>()[i]));
    return numbers;
  }
  if (symbol->numbers()) return *symbol->numbers();
  if (!tensor.shape().fully_known()) return {};
  Ints unknown;
  for (int64_t i = 0; i < length(tensor); ++i) unknown.push_back(kUnknownInt);
  return unknown;
}

// Whether the elements of the result are those of the inputs, in order.
bool appends(const Op& op, const Tensor& first, AttrsRef attrs) {
  if (&op == &ops::stack) return first.rank() == 0 || attrs.as<ops::StackAttrs>().axis == 0;
  return &op == &ops::concat && (first.rank() == 1 || attrs.as<ops::ConcatAttrs>().axis == 0);
}

// Whether the elements of the results, one after the other, are those of the input in order.
bool divides(const Op& op, const Tensor& first, AttrsRef attrs) {
  if (&op == &ops::unstack) return first.rank() == 1 || attrs.as<ops::UnstackAttrs>().axis == 0;
  return &op == &ops::split && (first.rank() == 1 || attrs.as<ops::SplitAttrs>().axis == 0);
}

void set_parts(const Ints& numbers, std::span<const Tensor> outputs) {
  int64_t next = 0;
  for (const Tensor& output : outputs) {
    const int64_t size = length(output);
    if (size < 0 || next + size > static_cast<int64_t>(numbers.size())) return;
    Ints part;
    for (; static_cast<int64_t>(part.size()) < size; ++next) {
      part.push_back(numbers[static_cast<size_t>(next)]);
    }
    set_known_numbers(output, part);
  }
}

// Infers the elements of results of operations that programs use to compute shapes.
std::optional<Ints> numbers_after(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs,
                                  const Tensor& output) {
  if (&op == &ops::shape) return Ints(inputs[0].shape());
  std::vector<Ints> known;
  for (const Tensor& input : inputs) {
    std::optional<Ints> numbers = known_elements(input);
    if (!numbers && &op == &ops::stack && output.shape().fully_known()) {
      // All stacked tensors have the shape of the first one.
      numbers.emplace();
      const int64_t count = length(output) / static_cast<int64_t>(inputs.size());
      for (int64_t i = 0; i < count; ++i) numbers->push_back(kUnknownInt);
    }
    if (!numbers) return {};
    known.push_back(*numbers);
  }
  if (&op == &ops::identity || &op == &ops::cast || &op == &ops::stop_gradient ||
      &op == &ops::reshape || &op == &ops::expand_dims || &op == &ops::squeeze) {
    return known[0];
  }
  if (appends(op, inputs[0], attrs)) {
    Ints all;
    for (const Ints& part : known) {
      for (const int64_t number : part) all.push_back(number);
    }
    return all;
  }
  if (&op == &ops::strided_slice || &op == &ops::gather) {
    // By running the operation on positions instead of elements.
    const auto count = static_cast<int64_t>(known[0].size());
    Tensor positions = Tensor::empty(DType::kInt64, {count});
    for (int64_t i = 0; i < count; ++i) positions.mutable_data<int64_t>()[i] = i;
    TensorList values, taken;
    values.push_back(positions.view(inputs[0].shape()));
    for (const Tensor& input : inputs.subspan(1)) {
      if (!value_of(input)) return {};
      values.push_back(value_of(input));
    }
    run(op, values, attrs, taken);
    Ints result;
    for (int64_t i = 0; i < taken[0].size(); ++i) {
      result.push_back(known[0][static_cast<size_t>(taken[0].data<int64_t>()[i])]);
    }
    return result;
  }
  return {};
}

// -1 is an unknown size in a shape, and an ordinary value in a list.
Ints from_sizes(Ints numbers) {
  for (int64_t& number : numbers) {
    if (number == kUnknownSize) number = kUnknownInt;
  }
  return numbers;
}

}  // namespace

std::optional<Ints> known_numbers(const Tensor& tensor) {
  return tensor.rank() <= 1 ? known_elements(tensor) : std::nullopt;
}

void set_known_numbers(const Tensor& tensor, const Ints& numbers) {
  Symbol* const symbol = symbol_of(tensor);
  if (!numbers.fully_known() || length(tensor) != static_cast<int64_t>(numbers.size())) {
    return symbol->set_numbers(numbers);
  }
  const Building paused(nullptr);
  const StopRecording unrecorded;
  Tensor value = Tensor::vector({numbers.begin(), numbers.size()});
  value = call(ops::cast, {value.view(tensor.shape())}, ops::CastAttrs{.dtype = tensor.dtype()});
  symbol->set_value(value);
}

void find_values(const Op& op, std::span<const Tensor> inputs, AttrsRef attrs, bool late,
                 std::span<const Tensor> outputs) {
  if (late) return;
  const bool constant = takes_only_shapes(op) || std::ranges::all_of(inputs, has_value);
  if (constant && compute(op, inputs, attrs, outputs)) return;
  if (!std::ranges::all_of(outputs, is_list_of_numbers)) return;
  if (!outputs.empty() && divides(op, inputs[0], attrs)) {
    const std::optional<Ints> numbers = known_elements(inputs[0]);
    if (numbers) set_parts(*numbers, outputs);
    return;
  }
  if (outputs.size() != 1) return;
  if (&op == &ops::shape && !inputs[0].shape().ranked()) return;
  const Building paused(nullptr);
  const StopRecording unrecorded;
  std::optional<Ints> numbers = numbers_after(op, inputs, attrs, outputs[0]);
  if (!numbers || static_cast<int64_t>(numbers->size()) != length(outputs[0])) return;
  if (&op == &ops::shape) numbers = from_sizes(*numbers);
  set_known_numbers(outputs[0], *numbers);
}

}  // namespace ef::graph
