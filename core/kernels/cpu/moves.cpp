// Copies between strided layouts.
#include "kernels/cpu/moves.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "device/parallel.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/transpose.h"

namespace ef::cpu {
namespace {

TransposeFn transpose_of(int64_t size) {
  switch (size) {
    case 1: return best::transpose_kernels().bytes1;
    case 2: return best::transpose_kernels().bytes2;
    case 4: return best::transpose_kernels().bytes4;
    case 8: return best::transpose_kernels().bytes8;
    default: return nullptr;
  }
}

// One loop over elements of Size bytes; strides in bytes.
template <int Size>
void copy_loop(char* out, const char* in, int64_t count, int64_t out_step, int64_t in_step) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(out, in, Size);
    out += out_step;
    in += in_step;
  }
}

// For contiguous elements that are read backwards.
void copy_reversed(char* out, const char* in, int64_t count, int64_t out_step, int64_t) {
  switch (out_step) {
    case 2: return best::transpose_kernels().reverse2(out, in, count);
    case 4: return best::transpose_kernels().reverse4(out, in, count);
    default: return best::transpose_kernels().reverse8(out, in, count);
  }
}

template <class T>
void copy_owning(char* out, const char* in, int64_t count, int64_t out_step, int64_t in_step) {
  for (int64_t i = 0; i < count; ++i) {
    *reinterpret_cast<T*>(out) = *reinterpret_cast<const T*>(in);
    out += out_step;
    in += in_step;
  }
}

using CopyLoop = void (*)(char*, const char*, int64_t, int64_t, int64_t);

CopyLoop owning_loop(DType dtype) {
  return dtype == DType::kString ? copy_owning<std::string> : copy_owning<VariantRef>;
}

CopyLoop copy_loop_of(int64_t size) {
  switch (size) {
    case 1: return copy_loop<1>;
    case 2: return copy_loop<2>;
    case 3: return copy_loop<3>;
    case 4: return copy_loop<4>;
    case 6: return copy_loop<6>;
    case 8: return copy_loop<8>;
    case 12: return copy_loop<12>;
    case 16: return copy_loop<16>;
    case 24: return copy_loop<24>;
    case 32: return copy_loop<32>;
    case 64: return copy_loop<64>;
    default: return nullptr;
  }
}

}  // namespace

void StridedMove::add(int64_t size, int64_t out_stride, int64_t in_stride) {
  if (size == 0) empty_ = true;
  if (size == 1 || empty_) return;
  // A later loop may have zero steps. Then products of sizes and strides may overflow, which does
  // no harm.
  const auto times = [](int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  };
  if (rank_ > 0 && out_[rank_ - 1] == times(out_stride, size) &&
      in_[rank_ - 1] == times(in_stride, size)) {
    size_[rank_ - 1] = times(size_[rank_ - 1], size);
    out_[rank_ - 1] = out_stride;
    in_[rank_ - 1] = in_stride;
    return;
  }
  if (rank_ == kMaxLoops) {
    empty_ = true;  // more elements than fit: a loop of zero steps must follow
    return;
  }
  size_[rank_] = size;
  out_[rank_] = out_stride;
  in_[rank_] = in_stride;
  ++rank_;
}

// The loops with strides in bytes, ready to run.
class MoveRunner {
 public:
  MoveRunner(const StridedMove& move, DType dtype)
      : rank_(move.rank_),
        loop_(owns_memory(dtype) ? owning_loop(dtype) : nullptr),
        owning_(loop_) {
    element_ = static_cast<int64_t>(element_size(dtype));
    for (int i = 0; i < rank_; ++i) {
      size_[i] = move.size_[i];
      out_[i] = move.out_[i] * element_;
      in_[i] = move.in_[i] * element_;
    }
    if (rank_ == 0) add_unit_loop();
    if (!owning_) {
      widen_elements();
      bring_transpose_inside();
    }
    choose();
  }

  void run(char* out, const char* in) const {
    int64_t bytes = element_;
    for (int i = 0; i < rank_; ++i) bytes *= size_[i];
    // A transpose, or a gather of single elements, is slower than a copy of as many bytes.
    const int64_t grain = inner_ == Inner::kBlock || inner_ == Inner::kFill ? 1 << 18 : 1 << 16;
    const int split = split_loop();
    if (owning_ || bytes < 2 * grain) {
      run_loops(0, size_, out, in);
      return;
    }
    parallel_for(size_[split], std::max<int64_t>(1, grain / (bytes / size_[split])),
                 [&](int64_t begin, int64_t end) {
                   int64_t size[StridedMove::kMaxLoops];
                   std::copy_n(size_, rank_, size);
                   size[split] = end - begin;
                   run_loops(0, size, out + begin * out_[split], in + begin * in_[split]);
                 });
  }

 private:
  enum class Inner { kBlock, kFill, kLoop, kTranspose };

  void add_unit_loop() {
    size_[0] = 1;
    out_[0] = in_[0] = element_;
    rank_ = 1;
  }

  // Treats a short contiguous run, like a pair of floats or a pixel, as one wider element.
  void widen_elements() {
    const int last = rank_ - 1;
    const int64_t wide = element_ * size_[last];
    if (rank_ == 1 || out_[last] != element_ || in_[last] != element_ || wide > 64 ||
        !copy_loop_of(wide)) {
      return;
    }
    element_ = wide;
    --rank_;
  }

  // If the output runs along one loop and the input along another, makes the latter the last but
  // one, so that the two form a matrix to be transposed.
  void bring_transpose_inside() {
    const int last = rank_ - 1;
    if (rank_ < 2 || out_[last] != element_ || std::abs(in_[last]) <= element_ ||
        !transpose_of(element_)) {
      return;
    }
    for (int i = 0; i < last; ++i) {
      if (in_[i] != element_ || out_[i] % element_ != 0 || in_[last] % element_ != 0) continue;
      if (size_[i] < 4 || size_[last] < 4) return;
      std::rotate(size_ + i, size_ + i + 1, size_ + last);
      std::rotate(out_ + i, out_ + i + 1, out_ + last);
      std::rotate(in_ + i, in_ + i + 1, in_ + last);
      inner_ = Inner::kTranspose;
      return;
    }
  }

  void choose() {
    const int last = rank_ - 1;
    if (!owning_) loop_ = copy_loop_of(element_);
    if (inner_ == Inner::kTranspose) {
      transpose_ = transpose_of(element_);
      return;
    }
    if (owning_ || out_[last] != element_) return;
    if (in_[last] == -element_ && (element_ == 2 || element_ == 4 || element_ == 8)) {
      loop_ = copy_reversed;
    }
    if (in_[last] == element_ && size_[last] * element_ > 16) inner_ = Inner::kBlock;
    if (in_[last] == 0 && size_[last] * element_ > 64 && 64 % element_ == 0) inner_ = Inner::kFill;
  }

  // The loop to divide among threads: the outermost one that is long enough, else the longest.
  int split_loop() const {
    int longest = 0;
    for (int i = 0; i < rank_; ++i) {
      if (size_[i] >= 8 * max_threads()) return i;
      if (size_[i] > size_[longest]) longest = i;
    }
    return longest;
  }

  void run_loops(int depth, const int64_t* size, char* out, const char* in) const {
    if (inner_ == Inner::kTranspose && depth == rank_ - 2) {
      transpose_(out, in, size[depth], size[depth + 1], out_[depth] / element_,
                 in_[depth + 1] / element_);
      return;
    }
    if (depth == rank_ - 1) {
      run_inner(size[depth], out, in);
      return;
    }
    for (int64_t i = 0; i < size[depth]; ++i) {
      run_loops(depth + 1, size, out, in);
      out += out_[depth];
      in += in_[depth];
    }
  }

  void run_inner(int64_t count, char* out, const char* in) const {
    switch (inner_) {
      case Inner::kBlock: std::memcpy(out, in, static_cast<size_t>(count * element_)); return;
      case Inner::kFill: fill_elements(out, in, element_, count); return;
      default: loop_(out, in, count, out_[rank_ - 1], in_[rank_ - 1]);
    }
  }

  int rank_;
  CopyLoop loop_;
  bool owning_;
  Inner inner_ = Inner::kLoop;
  TransposeFn transpose_ = nullptr;
  int64_t element_;
  int64_t size_[StridedMove::kMaxLoops];
  int64_t out_[StridedMove::kMaxLoops];
  int64_t in_[StridedMove::kMaxLoops];
};

[[gnu::hot]] void StridedMove::run(DType dtype, void* out, const void* in) const {
  if (empty_) return;
  MoveRunner(*this, dtype).run(static_cast<char*>(out), static_cast<const char*>(in));
}

void copy_elements(DType dtype, void* out, const void* in, int64_t count) {
  if (count == 0) return;
  const auto step = static_cast<int64_t>(element_size(dtype));
  if (owns_memory(dtype)) {
    owning_loop(dtype)(static_cast<char*>(out), static_cast<const char*>(in), count, step, step);
    return;
  }
  const int64_t bytes = count * step;
  parallel_for(bytes, 1 << 18, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(out) + begin, static_cast<const char*>(in) + begin,
                static_cast<size_t>(end - begin));
  });
}

}  // namespace ef::cpu
