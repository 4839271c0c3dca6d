// Broadcast operands expanded into contiguous memory, against element-by-element indexing.
#include "kernels/cpu/broadcast.h"

#include <complex>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/check.h"

namespace ef::cpu {
namespace {

template <class E>
void check_expanded(std::mt19937& random, int64_t longest) {
  const auto below = [&](int64_t bound) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
  };
  // An operand that is repeated along some axes of the output.
  std::vector<int64_t> out, operand;
  for (int64_t axis = 0, rank = 1 + below(4); axis < rank; ++axis) {
    out.push_back(1 + below(longest));
    operand.push_back(below(2) ? out.back() : 1);
  }
  const Shape full{std::span<const int64_t>(out)}, shape{std::span<const int64_t>(operand)};
  std::vector<E> values(static_cast<size_t>(shape.num_elements()));
  for (E& value : values) value = static_cast<E>(random());
  const auto layout = broadcast_layout<1>(full, {&shape});
  const auto expected = [&](int64_t at) {
    int64_t index = 0, stride = 1;
    for (size_t axis = out.size(); axis-- > 0; at /= out[axis]) {
      if (operand[axis] > 1) index += at % out[axis] * stride;
      stride *= operand[axis];
    }
    return values[static_cast<size_t>(index)];
  };
  for (int attempt = 0; attempt < 8; ++attempt) {
    const int64_t begin = below(full.num_elements());
    const int64_t total = 1 + below(full.num_elements() - begin);
    const E guard = static_cast<E>(0x55);
    std::vector<E> result(static_cast<size_t>(total + 1), guard);
    expand(layout, sizeof(E), values.data(), begin, total, result.data());
    bool equal = result.back() == guard;  // nothing is written past the end
    for (int64_t i = 0; i < total; ++i) {
      equal = equal && result[static_cast<size_t>(i)] == expected(begin + i);
    }
    CHECK(equal);
  }
}

TEST(expanded_operands_have_each_element_in_its_place) {
  std::mt19937 random(0);
  for (int attempt = 0; attempt < 300; ++attempt) {
    check_expanded<uint8_t>(random, 80);
    check_expanded<uint16_t>(random, 9);
    check_expanded<uint32_t>(random, 20);
    check_expanded<uint32_t>(random, 70);
    check_expanded<uint64_t>(random, 12);
    check_expanded<std::complex<double>>(random, 12);
  }
}

}  // namespace
}  // namespace ef::cpu
