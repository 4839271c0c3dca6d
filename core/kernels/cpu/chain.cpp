// Building chains: the order of the steps, which memory holds values, and the code on registers.
#include "kernels/cpu/chain.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu/broadcast.h"
#include "kernels/cpu/elementwise_loops.h"
#include "ops/element_call.h"

namespace ef::cpu {
namespace {

// The grain of loops that do little with each element.
constexpr int64_t kLightGrain = 65'536;

}  // namespace

Chain::Chain(std::span<const DType> inputs) : num_inputs_(static_cast<int32_t>(inputs.size())) {
  for (const DType dtype : inputs) {
    numbers_.push_back(static_cast<int32_t>(values_.size()));
    values_.push_back({.dtype = dtype, .bytes = static_cast<int32_t>(element_size(dtype))});
  }
}

int Chain::add(const Op& op, AttrsRef attrs, std::span<const int> operands, DType output) {
  if (operands.size() > kMostOperands) return -1;
  Step step;
  InlineVector<DType, 3> types;
  for (const int operand : operands) {
    const int32_t number = numbers_[static_cast<size_t>(operand)];
    step.operands.push_back(number);
    types.push_back(value(number).dtype);
  }
  step.loop = element_loop({op, types, output, attrs});
  if (!step.loop) return -1;
  const int number = static_cast<int>(numbers_.size());
  if (step.loop.forwards) {
    numbers_.push_back(step.operands[0]);
    return number;
  }
  steps_.push_back(std::move(step));
  numbers_.push_back(static_cast<int32_t>(values_.size()));
  values_.push_back({.dtype = output, .bytes = static_cast<int32_t>(element_size(output))});
  return number;
}

void Chain::finish(std::span<const int> results) {
  for (const int result : results) results_.push_back(numbers_[static_cast<size_t>(result)]);
  choose_tile_type();
  sort_steps();
  find_uses();
  assign_slots();
  if (tile_type_ != DType::kInvalid) write_tile_code();
  for (const Step& step : steps_) {
    const double cost = kTaskNanoseconds / static_cast<double>(step.loop.grain);
    // Light loops are limited by memory, which registers cannot speed up.
    const bool memory_bound = step.loop.grain >= kLightGrain;
    cost_ += memory_bound && on_registers(step) ? cost / 8 : cost;
  }
}

bool Chain::on_registers(const Step& step) const {
  return step.loop.tile_type == tile_type_ && step.loop.tiles.first;
}

// Steps that do not run on registers are slower for tiles than for longer blocks. That does not
// matter for steps that are slow anyway.
void Chain::choose_tile_type() {
  int fitting[2] = {};
  int light = 0;
  for (const Step& step : steps_) {
    if (step.loop.tiles.first) {
      ++fitting[step.loop.tile_type == DType::kFloat64];
    } else if (step.loop.grain >= kLightGrain) {
      ++light;
    }
  }
  const bool wide = fitting[1] > fitting[0];
  if (fitting[wide] < 2 || fitting[wide] < light + fitting[!wide]) return;
  tile_type_ = wide ? DType::kFloat64 : DType::kFloat32;
}

// Moves an operation directly behind the producer of its operand where the order is free: the value
// can stay in registers, or occupies memory for a shorter time.
void Chain::sort_steps() {
  const auto count = static_cast<size_t>(size());
  std::vector<std::vector<int32_t>> readers(count);
  std::vector<int32_t> missing(count);  // operands that are not computed yet
  for (int32_t i = 0; i < size(); ++i) {
    for (const int32_t operand : step(i).operands) {
      if (operand < num_inputs_) continue;
      readers[static_cast<size_t>(operand - num_inputs_)].push_back(i);
      ++missing[static_cast<size_t>(i)];
    }
  }
  std::vector<int32_t> order, position(count, -1);
  const auto ready = [&](int32_t i) {
    return position[static_cast<size_t>(i)] < 0 && missing[static_cast<size_t>(i)] == 0;
  };
  // A comparison is delayed until its reader, which takes the mask from registers, needs only it.
  const auto delayed = [&](int32_t i) {
    if (value(num_inputs_ + i).dtype != DType::kBool || !on_registers(step(i))) return false;
    const auto& then = readers[static_cast<size_t>(i)];
    return then.size() == 1 && missing[static_cast<size_t>(then[0])] > 1;
  };
  int32_t next = 0;  // all before it are in order
  for (int32_t last = -1; order.size() < count;) {
    int32_t chosen = -1;
    if (last >= 0) {
      for (const int32_t reader : readers[static_cast<size_t>(last)]) {
        if (chosen < 0 && ready(reader) && !delayed(reader)) chosen = reader;
      }
    }
    if (chosen < 0) {
      while (position[static_cast<size_t>(next)] >= 0) ++next;
      chosen = next;
      for (; chosen < size() && (!ready(chosen) || delayed(chosen)); ++chosen) {
      }
      // All steps that are ready are delayed for each other.
      if (chosen == size()) {
        for (chosen = next; !ready(chosen); ++chosen) {
        }
      }
    }
    position[static_cast<size_t>(chosen)] = static_cast<int32_t>(order.size());
    order.push_back(chosen);
    for (const int32_t reader : readers[static_cast<size_t>(chosen)]) {
      --missing[static_cast<size_t>(reader)];
    }
    last = chosen;
  }
  const auto moved = [&](int32_t number) {
    return number < num_inputs_ ? number
                                : num_inputs_ + position[static_cast<size_t>(number - num_inputs_)];
  };
  std::vector<Step> steps;
  std::vector<Value> values(values_.begin(), values_.begin() + num_inputs_);
  for (const int32_t i : order) {
    steps.push_back(std::move(steps_[static_cast<size_t>(i)]));
    for (int32_t& operand : steps.back().operands) operand = moved(operand);
    values.push_back(value(num_inputs_ + i));
  }
  steps_ = std::move(steps);
  values_ = std::move(values);
  for (int32_t& result : results_) result = moved(result);
}

void Chain::find_uses() {
  for (int32_t i = 0; i < size(); ++i) {
    for (const int32_t operand : step(i).operands) {
      Value& read = value(operand);
      read.last_used = i;
      // Only the next step can read the value from registers, and `select` can do so only once.
      const auto& operands = step(i).operands;
      const bool again = operands.size() == 3 && operands[1] == operands[2];
      if (operand != num_inputs_ + i - 1 || !on_registers(step(i)) || again) read.read = true;
    }
    value(num_inputs_ + i).in_memory = !on_registers(step(i));
  }
  for (const int32_t result : results_) {
    value(result).last_used = size();
    value(result).in_memory = true;
  }
  for (Value& each : values_) each.in_memory |= each.read;
}

// Slots are shared by values whose lifetimes do not overlap: fewer slots allow longer blocks.
void Chain::assign_slots() {
  std::vector<int32_t> free;
  for (int32_t i = 0; i < size(); ++i) {
    Value& out = value(num_inputs_ + i);
    const auto release = [&](bool overwritten) {
      const auto& operands = step(i).operands;
      for (size_t k = 0; k < operands.size(); ++k) {
        const Value& read = value(operands[k]);
        const bool again = std::find(operands.begin(), &operands[k], operands[k]) != &operands[k];
        if (read.slot < 0 || read.last_used != i || again) continue;
        if ((step(i).loop.overwrites && read.bytes == out.bytes) == overwritten) {
          free.push_back(read.slot);
        }
      }
    };
    release(true);
    if (free.empty()) {
      out.slot = num_slots_++;
    } else {
      out.slot = free.back();
      free.pop_back();
    }
    release(false);
    if (out.last_used < 0) free.push_back(out.slot);
  }
  // Inputs that broadcast are written to slots, too.
  for (const Value& each : values_) slot_bytes_ = std::max(slot_bytes_, each.bytes);
}

void Chain::write_tile_code() {
  using enum TileAction::Kind;
  const TileLoops& tiles = element_loops().tiles_of(tile_type_);
  int32_t held = -1;  // the value on registers
  const auto is_bool = [&](int32_t number) { return value(number).dtype == DType::kBool; };
  const auto load = [&](int32_t number) {
    tile_code_.push_back({kLoad, is_bool(number) ? tiles.load_bool : tiles.load, number});
    held = number;
  };
  for (int32_t i = 0; i < size(); ++i) {
    const Step& now = step(i);
    const int32_t result = num_inputs_ + i;
    if (!on_registers(now)) {
      tile_code_.push_back({kCall, tiles.call, result});
      held = -1;
      continue;
    }
    const int32_t x = now.operands[0];
    const TileForms& forms = now.loop.tiles;
    if (now.operands.size() == 1) {
      if (held != x) load(x);
      tile_code_.push_back({kCompute, forms.first, -1});
    } else if (now.operands.size() == 3) {
      const int32_t y = now.operands[1], z = now.operands[2];
      if (held == y) {
        tile_code_.push_back({kCompute, forms.second, x, nullptr, z});
      } else if (held == z) {
        tile_code_.push_back({kCompute, forms.both, x, nullptr, y});
      } else {
        if (held != x) load(x);
        tile_code_.push_back({kCompute, forms.first, y, nullptr, z});
      }
    } else {
      const int32_t y = now.operands[1];
      if (held != x && held != y) load(x);
      if (x == y) {
        tile_code_.push_back({kCompute, forms.both, -1});
      } else if (held == x) {
        tile_code_.push_back({kCompute, forms.first, y, forms.first_single});
      } else {
        tile_code_.push_back({kCompute, forms.second, x, forms.second_single});
      }
    }
    held = result;
    if (value(result).in_memory) {
      tile_code_.push_back({kStore, is_bool(result) ? tiles.store_bool : tiles.store, result});
    }
  }
}

bool Chain::fits(std::span<const Tensor> inputs, Shape* shape) const {
  *shape = inputs[0].shape();
  for (const Tensor& input : inputs) {
    if (input.shape() == *shape) continue;
    Shape both;
    if (!broadcast_shapes(*shape, input.shape(), &both)) return false;
    *shape = both;
  }
  // Whether a value has the shape of the result, is a single element, or has another shape.
  enum Extent : uint8_t { kWhole, kSingle, kPart };
  InlineVector<uint8_t, 64> extents;
  for (const Tensor& input : inputs) {
    extents.push_back(input.shape() == *shape ? kWhole : input.size() == 1 ? kSingle : kPart);
  }
  for (const Step& step : steps_) {
    uint32_t singles = 0, parts = 0;
    for (size_t k = 0; k < step.operands.size(); ++k) {
      const uint8_t extent = extents[static_cast<size_t>(step.operands[k])];
      if (extent == kSingle) singles |= 1u << k;
      if (extent == kPart) parts |= 1u << k;
    }
    const uint32_t all = (1u << step.operands.size()) - 1;
    const bool single = singles == all && (all == 1 || step.loop.repeats == all);
    const bool whole = (singles | parts) != all && !(singles & ~step.loop.repeats) &&
                       !(parts & ~step.loop.expands);
    if (!single && !whole) return false;
    extents.push_back(single ? kSingle : kWhole);
  }
  return true;
}

bool Chain::computes_results() const {
  return std::ranges::all_of(results_, [&](int32_t result) { return result >= num_inputs_; });
}

double Chain::cost(const Shape& shape) const {
  return cost_ * static_cast<double>(shape.num_elements());
}

}  // namespace ef::cpu
