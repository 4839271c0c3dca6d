// Checks for infinities and NaNs, in parallel.
#include "kernels/cpu/finite.h"

#include <atomic>

#include "device/parallel.h"
#include "kernels/cpu/finite_loops.h"

namespace ef::cpu {
namespace {

const FiniteLoops& bit_loops() { return best::finite_loops(); }

template <class Word>
bool any_with_exponent(bool (*any)(const Word*, int64_t, Word), const Tensor& tensor,
                       Word exponent) {
  constexpr int64_t kGrain = (int64_t{512} << 10) / sizeof(Word);
  const auto* const words = static_cast<const Word*>(tensor.raw_data());
  std::atomic<bool> found = false;
  parallel_for(tensor.bytes() / static_cast<int64_t>(sizeof(Word)), kGrain,
               [&](int64_t begin, int64_t end) {
                 if (any(words + begin, end - begin, exponent)) found = true;
               });
  return found;
}

}  // namespace

bool has_nonfinite(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat16: return any_with_exponent<uint16_t>(bit_loops().any16, tensor, 0x7c00);
    case DType::kBfloat16: return any_with_exponent<uint16_t>(bit_loops().any16, tensor, 0x7f80);
    case DType::kFloat32:
    case DType::kComplex64:
      return any_with_exponent<uint32_t>(bit_loops().any32, tensor, 0x7f800000);
    default: return any_with_exponent<uint64_t>(bit_loops().any64, tensor, 0x7ff0000000000000);
  }
}

}  // namespace ef::cpu
