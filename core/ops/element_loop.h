// How an elementwise operation computes a range of its elements, for chains of such operations.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensor/dtype.h"

namespace ef {

// Code that computes on registers, the accumulator (kernels/cpu/tiles.h). There is one function for
// each operand that may be in the accumulator; the other operand is in memory.
using TileCode = void (*)();
struct TileForms {
  TileCode first = nullptr;  // also for a single operand
  TileCode second = nullptr;
  TileCode both = nullptr;
  TileCode first_single = nullptr;  // the other operand is a single element
  TileCode second_single = nullptr;
};

// Computes `count` elements of a call of an elementwise operation, for certain dtypes and
// attributes. Empty if there is no such loop: the operation is not elementwise, or may reject
// values.
class ElementLoop {
 public:
  // Input k has `count` contiguous elements, or one if bit k of `single` is set.
  using Run = void (*)(const ElementLoop& loop, void* out, const void* const* inputs,
                       uint32_t single, int64_t count);

  // `call` is called with the arguments of Run; a plain value of a few words.
  template <class Call>
  static ElementLoop of(const Call& call, int64_t grain) {
    static_assert(std::is_trivially_copyable_v<Call> && sizeof(Call) <= kCallBytes);
    ElementLoop loop;
    std::memcpy(loop.call_, &call, sizeof(Call));
    loop.run_ = [](const ElementLoop& self, void* out, const void* const* inputs, uint32_t single,
                   int64_t count) {
      reinterpret_cast<const Call*>(self.call_)->run(out, inputs, single, count);
    };
    loop.grain = grain;
    return loop;
  }
  // The loop of an operation that returns its input.
  static ElementLoop forwarding() {
    ElementLoop loop;
    loop.forwards = true;
    return loop;
  }

  void operator()(void* out, const void* const* inputs, uint32_t single, int64_t count) const {
    run_(*this, out, inputs, single, count);
  }
  explicit operator bool() const { return run_ || forwards; }

  bool forwards = false;
  bool overwrites = true;  // whether `out` may be an input with elements of the same size
  // Bits of inputs that may be broadcast: from a single element, and from any other shape.
  uint32_t repeats = 0;
  uint32_t expands = 0;
  // The same on registers; empty if there is no such code. Then all dtypes are `tile_type`.
  TileForms tiles;
  DType tile_type = DType::kInvalid;
  int64_t grain = 0;  // elements that a thread computes in about ten microseconds

 private:
  static constexpr size_t kCallBytes = 48;

  Run run_ = nullptr;
  alignas(8) char call_[kCallBytes];
};

struct ElementCall;
using ElementLoopFn = ElementLoop (*)(const ElementCall&);

}  // namespace ef
