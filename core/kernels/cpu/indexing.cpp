// Gathering and scattering. Indices are checked before anything is written.
#include "kernels/cpu/indexing.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <type_traits>
#include <vector>

#include "device/parallel.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/moves.h"
#include "kernels/cpu/typed.h"
#include "ops/indexing.h"

namespace ef::cpu {
namespace {

// Index tensors of either width, read as int64.
class Indices {
 public:
  explicit Indices(const Tensor& t)
      : wide_(t.dtype() == DType::kInt64 ? t.data<int64_t>() : nullptr),
        narrow_(wide_ ? nullptr : t.data<int32_t>()) {}
  int64_t operator[](int64_t i) const { return wide_ ? wide_[i] : narrow_[i]; }

 private:
  const int64_t* wide_;
  const int32_t* narrow_;
};

void copy_items(DType dtype, void* out, int64_t to, const void* in, int64_t from, int64_t count) {
  if (owns_memory(dtype)) {
    return on_owning_type(dtype, [&]<class T>(T) {
      std::copy_n(static_cast<const T*>(in) + from, count, static_cast<T*>(out) + to);
    });
  }
  const auto size = static_cast<int64_t>(element_size(dtype));
  std::memcpy(static_cast<char*>(out) + to * size, static_cast<const char*>(in) + from * size,
              static_cast<size_t>(count * size));
}

// Rows of these sizes are prefetched while the previous row is copied: hardware prefetchers follow
// a row, but cannot predict the next.
constexpr size_t kFewBytes = 256, kManyBytes = 1 << 15, kCacheLine = 64;

void fetch(const void* row, size_t bytes) {
  const char* at = static_cast<const char*>(row);
  for (size_t i = 0; i < bytes; i += kCacheLine) __builtin_prefetch(at + i);
}

// The parameters of gather as [batch, outer, size, inner], and the indices as [batch, count].
struct Picking {
  int64_t batch = 1;
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
  int64_t count = 1;
};

Picking picking_of(const Shape& params, const Shape& indices, int axis, int batch_dims) {
  Picking p;
  for (int i = 0; i < params.rank(); ++i) {
    if (i == axis) {
      p.size = params[i];
    } else {
      (i < batch_dims ? p.batch : i < axis ? p.outer : p.inner) *= params[i];
    }
  }
  for (int i = batch_dims; i < indices.rank(); ++i) p.count *= indices[i];
  return p;
}

template <class Index>
bool all_within(const Index* indices, int64_t count, int64_t size) {
  bool within = true;
  for (int64_t i = 0; i < count; ++i) {
    within &= static_cast<uint64_t>(indices[i]) < static_cast<uint64_t>(size);
  }
  return within;
}

void check_indices(const Tensor& tensor, int64_t size, const char* op) {
  const bool wide = tensor.dtype() == DType::kInt64;
  if (wide ? all_within(tensor.data<int64_t>(), tensor.size(), size)
           : all_within(tensor.data<int32_t>(), tensor.size(), size)) {
    return;
  }
  const Indices indices(tensor);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (indices[i] >= 0 && indices[i] < size) continue;
    std::string place;
    if (tensor.rank() > 0) {
      const Shape strides = strides_of(tensor.shape());
      for (int k = 0; k < tensor.rank(); ++k) {
        place += (k ? "," : "[") + std::to_string(i / strides[k] % tensor.dim(k));
      }
      place += "]";
    }
    invalid_argument("indices", place, " = ", indices[i], " is not in [0, ", size, ") [Op:", op,
                     "]");
  }
}

// Calls body with the size of an item in bytes, as a constant where it is a small power of two.
template <class Body>
void on_item_size(size_t bytes, const Body& body) {
  switch (bytes) {
    case 1: return body(std::integral_constant<size_t, 1>());
    case 2: return body(std::integral_constant<size_t, 2>());
    case 4: return body(std::integral_constant<size_t, 4>());
    case 8: return body(std::integral_constant<size_t, 8>());
    case 16: return body(std::integral_constant<size_t, 16>());
    default: return body(bytes);
  }
}

// The least number of bytes of items for a thread to copy.
constexpr int64_t copy_grain(size_t bytes) {
  return static_cast<int64_t>(262'144 / (bytes + 16)) + 1;
}

// Calls body(gathered offset, parameter offset) for each piece of `inner` elements.
template <class Body>
void for_pieces(const Picking& p, const Indices& indices, const Body& body) {
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t o = 0; o < p.outer; ++o) {
      const int64_t block = b * p.outer + o;
      for (int64_t i = 0; i < p.count; ++i) {
        body((block * p.count + i) * p.inner,
             (block * p.size + indices[b * p.count + i]) * p.inner);
      }
    }
  }
}

template <class T>
void add_into(T* out, const T* in, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(wrapping(out[i]) + wrapping(in[i]));
  }
}

// gather_nd: each row of `depth` indices selects a slice of `inner` elements.
struct Slices {
  int64_t rows = 1;
  int depth = 0;
  int64_t inner = 1;
  Shape shape;  // of the indexed tensor
  int batch_dims = 0;
  int64_t rows_per_batch = 1;

  bool fits(const Indices& indices, int64_t row) const {
    bool inside = true;
    for (int k = 0; k < depth; ++k) {
      inside &= static_cast<uint64_t>(indices[row * depth + k]) <
                static_cast<uint64_t>(shape[batch_dims + k]);
    }
    return inside;
  }
  int64_t offset(const Indices& indices, int64_t row) const {
    int64_t at = batch_dims > 0 && rows_per_batch > 0 ? row / rows_per_batch : 0;
    for (int k = 0; k < depth; ++k) {
      at = at * shape[batch_dims + k] + indices[row * depth + k];
    }
    return at * inner;
  }
};

Slices slices_of(const Shape& shape, const Tensor& indices, int batch_dims, const char* op) {
  Slices s;
  s.shape = shape;
  s.batch_dims = batch_dims;
  s.depth = static_cast<int>(indices.shape().back());
  for (int i = 0; i + 1 < indices.rank(); ++i) {
    s.rows *= indices.dim(i);
    if (i >= batch_dims) s.rows_per_batch *= indices.dim(i);
  }
  for (int i = batch_dims + s.depth; i < shape.rank(); ++i) s.inner *= shape[i];
  const Indices at(indices);
  std::atomic<bool> all_fit = true;
  parallel_for(s.rows, 32'768, [&](int64_t begin, int64_t end) {
    bool fit = true;
    for (int64_t r = begin; r < end; ++r) fit &= s.fits(at, r);
    if (!fit) all_fit = false;
  });
  if (all_fit) return s;
  int64_t r = 0;
  while (s.fits(at, r)) ++r;
  std::string row;
  for (int j = 0; j < s.depth; ++j) {
    row += (j ? ", " : "") + std::to_string(at[r * s.depth + j]);
  }
  invalid_argument("indices[", r, "] = [", row, "] does not index into param shape ", shape,
                   " [Op:", op, "]");
}

// Writes updates into the slices of `out` that the indices select.
template <class Combine>
void scatter(const Tensor& out, const Tensor& indices, const char* op, const Combine& combine) {
  const Slices s = slices_of(out.shape(), indices, 0, op);
  const Indices at(indices);
  for (int64_t r = 0; r < s.rows; ++r) combine(s.offset(at, r), r * s.inner, s.inner);
}

void scatter_add(const Tensor& out, const Tensor& indices, const Tensor& updates, const char* op) {
  on_number_type(out.dtype(), [&]<class T>(T) {
    T* to = out.mutable_data<T>();
    const T* from = updates.data<T>();
    scatter(out, indices, op,
            [=](int64_t a, int64_t b, int64_t count) { add_into(to + a, from + b, count); });
  });
}

void copy_tensor(const Tensor& out, const Tensor& in) {
  if (out.raw_data() == in.raw_data()) return;  // it is changed in place
  copy_elements(in.dtype(), out.mutable_raw_data(), in.raw_data(), in.size());
}

// Combines elements of a copy of the first input with the updates.
template <class T, class Combine>
void update_typed(KernelContext& context, const Combine& combine) {
  const Tensor& out = context.output(0);
  slices_of(out.shape(), context.input(1), 0, context.tf_name());
  copy_tensor(out, context.input(0));
  T* to = out.mutable_data<T>();
  const T* from = context.input(2).data<T>();
  scatter(out, context.input(1), context.tf_name(), [&](int64_t a, int64_t b, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      to[a + i] = static_cast<T>(combine(arithmetic(to[a + i]), arithmetic(from[b + i])));
    }
  });
}

template <class Combine>
void update_elements(KernelContext& context, const Combine& combine) {
  on_real_type(context.output(0).dtype(), [&]<class T>(T) { update_typed<T>(context, combine); });
}

// Copies rows of kBytes bytes.
template <size_t kBytes>
void gather_words(const Tensor& params, const Indices& at, int64_t count, const Tensor& out) {
  const char* from = static_cast<const char*>(params.raw_data());
  char* to = static_cast<char*>(out.mutable_raw_data());
  parallel_for(count, 16'384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::memcpy(to + static_cast<size_t>(i) * kBytes, from + static_cast<size_t>(at[i]) * kBytes,
                  kBytes);
    }
  });
}

// The rows that indices of one type select, block by block of the parameters.
template <class Index>
void pick_blocks(const Picking& p, const Tensor& params, const Tensor& indices, const Tensor& out) {
  on_item_size(static_cast<size_t>(p.inner) * element_size(out.dtype()), [&](auto bytes) {
    const char* const from = static_cast<const char*>(params.raw_data());
    char* const to = static_cast<char*>(out.mutable_raw_data());
    const Index* const places = indices.data<Index>();
    const int64_t grain = std::max<int64_t>(1, copy_grain(bytes) / p.count);
    parallel_for(p.batch * p.outer, grain, [=, &p](int64_t begin, int64_t end) {
      // Local copies, because writes through byte pointers may alias members.
      const int64_t count = p.count;
      for (int64_t block = begin; block < end; ++block) {
        const char* const source = from + static_cast<size_t>(block * p.size) * bytes;
        char* const target = to + static_cast<size_t>(block * count) * bytes;
        const Index* const here = places + block / p.outer * count;
        for (int64_t i = 0; i < count; ++i) {
          std::memcpy(target + static_cast<size_t>(i) * bytes,
                      source + static_cast<size_t>(here[i]) * bytes, bytes);
        }
      }
    });
  });
}

}  // namespace

[[gnu::hot]] void gather(KernelContext& context) {
  const Tensor& params = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& out = context.output(0);
  const auto& attrs = context.attrs<ops::GatherAttrs>();
  const int axis = axis_of(attrs.axis, params.rank());
  const int batch_dims = axis_of(attrs.batch_dims, indices.rank());
  const Picking p = picking_of(params.shape(), indices.shape(), axis, batch_dims);
  check_indices(indices, p.size, "GatherV2");
  if (out.size() == 0) return;
  const Indices at(indices);
  if (p.batch == 1 && p.outer == 1) {
    const size_t bytes = static_cast<size_t>(p.inner) * element_size(out.dtype());
    const bool fetches = bytes >= kFewBytes && bytes <= kManyBytes;
    const char* rows = static_cast<const char*>(params.raw_data());
    if (bytes == 4) return gather_words<4>(params, at, p.count, out);
    if (bytes == 8) return gather_words<8>(params, at, p.count, out);
    parallel_for(p.count, std::max<int64_t>(1, 65'536 / p.inner), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (fetches && i + 1 < end) fetch(rows + static_cast<size_t>(at[i + 1]) * bytes, bytes);
        copy_items(out.dtype(), out.mutable_raw_data(), i * p.inner, params.raw_data(),
                   at[i] * p.inner, p.inner);
      }
    });
    return;
  }
  if (owns_memory(out.dtype())) {
    for_pieces(p, at, [&](int64_t to, int64_t from) {
      copy_items(out.dtype(), out.mutable_raw_data(), to, params.raw_data(), from, p.inner);
    });
    return;
  }
  if (indices.dtype() == DType::kInt64) return pick_blocks<int64_t>(p, params, indices, out);
  pick_blocks<int32_t>(p, params, indices, out);
}

void add_gathered(const Tensor& whole, const Tensor& dy, const Tensor& indices, int64_t axis,
                  int64_t batch_dims) {
  const Picking p = picking_of(whole.shape(), indices.shape(), axis_of(axis, whole.rank()),
                               axis_of(batch_dims, indices.rank()));
  check_indices(indices, p.size, "GatherV2");
  on_number_type(whole.dtype(), [&]<class T>(T) {
    for_pieces(p, Indices(indices), [&](int64_t from, int64_t to) {
      add_into(whole.mutable_data<T>() + to, dy.data<T>() + from, p.inner);
    });
  });
}

void gather_grad(KernelContext& context) {
  fill_constant(context.output(0), 0);
  const auto& [axis, batch_dims] = context.attrs<ops::GatherGradAttrs>().gather;
  add_gathered(context.output(0), context.input(0), context.input(1), axis, batch_dims);
}

void gather_or_zero(KernelContext& context) {
  const Tensor& params = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& out = context.output(0);
  const int64_t inner = indices.size() ? out.size() / indices.size() : 0;
  const Indices at(indices);
  const auto rows = static_cast<uint64_t>(params.dim(0));
  on_item_size(static_cast<size_t>(inner) * element_size(out.dtype()), [&](auto bytes) {
    const char* const from = static_cast<const char*>(params.raw_data());
    char* const to = static_cast<char*>(out.mutable_raw_data());
    parallel_for(indices.size(), copy_grain(bytes), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto row = static_cast<uint64_t>(at[i]);
        if (row < rows) {
          std::memcpy(to + static_cast<size_t>(i) * bytes, from + row * bytes, bytes);
        } else {
          std::memset(to + static_cast<size_t>(i) * bytes, 0, bytes);
        }
      }
    });
  });
}

void gather_nd(KernelContext& context) {
  const Tensor& params = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& out = context.output(0);
  const Slices s =
      slices_of(params.shape(), indices,
                static_cast<int>(context.attrs<ops::GatherNdAttrs>().batch_dims), "GatherNd");
  const Indices at(indices);
  if (out.size() == 0) return;
  if (owns_memory(out.dtype())) {
    for (int64_t r = 0; r < s.rows; ++r) {
      copy_items(out.dtype(), out.mutable_raw_data(), r * s.inner, params.raw_data(),
                 s.offset(at, r), s.inner);
    }
    return;
  }
  const size_t element = element_size(out.dtype());
  on_item_size(static_cast<size_t>(s.inner) * element, [&](auto bytes) {
    const char* const from = static_cast<const char*>(params.raw_data());
    char* const to = static_cast<char*>(out.mutable_raw_data());
    parallel_for(s.rows, copy_grain(bytes), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        std::memcpy(to + static_cast<size_t>(r) * bytes,
                    from + static_cast<size_t>(s.offset(at, r)) * element, bytes);
      }
    });
  });
}

void add_gathered_nd(const Tensor& whole, const Tensor& dy, const Tensor& indices,
                     int64_t batch_dims) {
  const Slices s = slices_of(whole.shape(), indices, static_cast<int>(batch_dims), "GatherNd");
  const Indices at(indices);
  on_number_type(whole.dtype(), [&]<class T>(T) {
    for (int64_t r = 0; r < s.rows; ++r) {
      add_into(whole.mutable_data<T>() + s.offset(at, r), dy.data<T>() + r * s.inner, s.inner);
    }
  });
}

void gather_nd_grad(KernelContext& context) {
  fill_constant(context.output(0), 0);
  add_gathered_nd(context.output(0), context.input(0), context.input(1),
                  context.attrs<ops::GatherNdGradAttrs>().gather.batch_dims);
}

void scatter_nd(KernelContext& context) {
  const Tensor& out = context.output(0);
  fill_constant(out, 0);
  scatter_add(out, context.input(0), context.input(1), "ScatterNd");
}

void tensor_scatter_nd_update(KernelContext& context) {
  const Tensor& out = context.output(0);
  const Slices s = slices_of(out.shape(), context.input(1), 0, "TensorScatterUpdate");
  copy_tensor(out, context.input(0));
  if (owns_memory(out.dtype())) {
    scatter(out, context.input(1), "TensorScatterUpdate", [&](int64_t a, int64_t b, int64_t count) {
      copy_items(out.dtype(), out.mutable_raw_data(), a, context.input(2).raw_data(), b, count);
    });
    return;
  }
  const size_t element = element_size(out.dtype());
  const int64_t inner = context.input(2).size() / std::max<int64_t>(1, s.rows);
  on_item_size(static_cast<size_t>(inner) * element, [&](auto bytes) {
    char* const to = static_cast<char*>(out.mutable_raw_data());
    const char* const from = static_cast<const char*>(context.input(2).raw_data());
    const Indices at(context.input(1));
    // In order: the last of equal indices wins.
    for (int64_t r = 0; r < s.rows; ++r) {
      std::memcpy(to + static_cast<size_t>(s.offset(at, r)) * element,
                  from + static_cast<size_t>(r) * bytes, bytes);
    }
  });
}

void tensor_scatter_nd_add(KernelContext& context) {
  slices_of(context.output(0).shape(), context.input(1), 0, "TensorScatterAdd");
  copy_tensor(context.output(0), context.input(0));
  scatter_add(context.output(0), context.input(1), context.input(2), "TensorScatterAdd");
}

void tensor_scatter_nd_sub(KernelContext& context) {
  on_number_type(context.output(0).dtype(), [&]<class T>(T) {
    update_typed<T>(context, [](auto a, auto b) { return a - b; });
  });
}
void tensor_scatter_nd_max(KernelContext& context) {
  update_elements(context, [](auto a, auto b) { return is_above(b, a) ? b : a; });
}
void tensor_scatter_nd_min(KernelContext& context) {
  update_elements(context, [](auto a, auto b) { return is_below(b, a) ? b : a; });
}

void one_hot(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const Tensor& on = context.input(1);
  const Tensor& off = context.input(2);
  const Tensor& out = context.output(0);
  const int64_t depth = context.attrs<ops::OneHotAttrs>().depth;
  const int axis = axis_of(context.attrs<ops::OneHotAttrs>().axis, out.rank());
  const auto size = static_cast<int64_t>(element_size(out.dtype()));
  int64_t inner = 1;
  for (int i = axis + 1; i < out.rank(); ++i) inner *= out.dim(i);
  const int64_t block = depth * inner;
  const auto index_at = [&](int64_t i) -> int64_t {
    switch (indices.dtype()) {
      case DType::kUint8: return indices.data<uint8_t>()[i];
      case DType::kInt8: return indices.data<int8_t>()[i];
      case DType::kInt32: return indices.data<int32_t>()[i];
      default: return indices.data<int64_t>()[i];
    }
  };
  const auto blocks = [&](int64_t begin, int64_t end) {
    if (owns_memory(out.dtype())) {
      std::fill_n(out.mutable_data<std::string>() + begin * block, (end - begin) * block,
                  off.strings()[0]);
    } else {
      fill_elements(static_cast<char*>(out.mutable_raw_data()) + begin * block * size,
                    off.raw_data(), size, (end - begin) * block);
    }
    if (inner == 1 && size == 4) {
      const auto mark = *static_cast<const uint32_t*>(on.raw_data());
      auto* const rows = static_cast<uint32_t*>(out.mutable_raw_data());
      for (int64_t i = begin; i < end; ++i) {
        const int64_t index = index_at(i);
        if (index >= 0 && index < depth) rows[i * depth + index] = mark;
      }
      return;
    }
    for (int64_t i = begin * inner; i < end * inner; ++i) {
      const int64_t index = index_at(i);
      if (index < 0 || index >= depth) continue;
      copy_items(out.dtype(), out.mutable_raw_data(),
                 (i / inner * depth + index) * inner + i % inner, on.raw_data(), 0, 1);
    }
  };
  // Several rows at a time, so that the ones are written while the zeros are still in the cache.
  const int64_t at_once = std::max<int64_t>(1, 4096 / block);
  parallel_for(out.size() / block, std::max<int64_t>(1, 65'536 / block),
               [&](int64_t begin, int64_t end) {
                 for (int64_t b = begin; b < end; b += at_once) {
                   blocks(b, std::min(end, b + at_once));
                 }
               });
}

namespace {

// Writes the indices of the nonzero elements in [i, last) to `out`. kRank is 0 for large ranks.
template <int kRank, class T>
void put_places(const T* x, int64_t i, int64_t last, const Shape& shape, int64_t* out) {
  constexpr int64_t kRoom = 257 * (kRank ? kRank : kInlineRank);
  int64_t found[kRoom];
  int64_t place[kRank ? kRank : kMaxRank];
  const int rank = kRank ? kRank : shape.rank();
  const int64_t at_once = std::min<int64_t>(kRoom / rank - 1, 256);
  const Shape strides = strides_of(shape);
  while (i < last) {
    for (int k = 0; k < rank; ++k) place[k] = i / strides[k] % shape[k];
    // The rest of a row, or its part below `last`, without unpredictable branches.
    const int64_t row = i - place[rank - 1];
    const int64_t end = std::min({last, row + shape[rank - 1], i + at_once});
    int64_t* next = found;
    for (; i < end; ++i) {
      for (int k = 0; k + 1 < rank; ++k) next[k] = place[k];
      next[rank - 1] = i - row;
      next += arithmetic(x[i]) != decltype(arithmetic(T()))(0) ? rank : 0;
    }
    out = std::copy(found, next, out);
  }
}

// The indices of the nonzero elements, by blocks that are counted first.
template <class T>
Tensor places_of(const Tensor& condition) {
  const T* const x = condition.data<T>();
  const int64_t size = condition.size();
  const int rank = condition.rank();
  constexpr int64_t kBlock = 16'384;
  const int64_t blocks = (size + kBlock - 1) / kBlock;
  std::vector<int64_t> before(static_cast<size_t>(blocks) + 1, 0);
  parallel_for(blocks, 4, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      int64_t count = 0;
      const int64_t last = std::min(size, (b + 1) * kBlock);
      for (int64_t i = b * kBlock; i < last; ++i) {
        count += arithmetic(x[i]) != decltype(arithmetic(T()))(0);
      }
      before[static_cast<size_t>(b) + 1] = count;
    }
  });
  for (size_t b = 1; b < before.size(); ++b) before[b] += before[b - 1];
  Tensor result = Tensor::empty(DType::kInt64, {before.back(), rank});
  if (rank == 0) return result;
  parallel_for(blocks, 2, [&](int64_t begin, int64_t end) {
    const auto put = rank == 1   ? put_places<1, T>
                     : rank == 2 ? put_places<2, T>
                     : rank == 3 ? put_places<3, T>
                                 : put_places<0, T>;
    put(x, begin * kBlock, std::min(size, end * kBlock), condition.shape(),
        result.mutable_data<int64_t>() + before[static_cast<size_t>(begin)] * rank);
  });
  return result;
}

}  // namespace

void where_indices(KernelContext& context) {
  const Tensor& condition = context.input(0);
  if (condition.dtype() == DType::kBool) {
    context.output(0) = places_of<uint8_t>(condition);
    return;
  }
  on_number_type(condition.dtype(),
                 [&]<class T>(T) { context.output(0) = places_of<T>(condition); });
}

}  // namespace ef::cpu
