// Products of sparse matrices with dense and sparse ones.
#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/sparse.h"
#include "kernels/cpu/typed.h"
#include "ops/sparse.h"

namespace ef::cpu {
namespace {

// The least number of multiplications for a thread.
constexpr int64_t kPairGrain = 16'384;
// Tables for all rows or columns are used for so many, even if most are empty.
constexpr int64_t kFewColumns = 65'536;

void check_pairs(const int64_t* pairs, int64_t count, int64_t rows, int64_t columns,
                 const char* op) {
  bool inside = true;
  for (int64_t i = 0; i < count; ++i) {
    inside &= static_cast<uint64_t>(pairs[2 * i]) < static_cast<uint64_t>(rows) &&
              static_cast<uint64_t>(pairs[2 * i + 1]) < static_cast<uint64_t>(columns);
  }
  for (int64_t i = 0; !inside && i < count; ++i) {
    const int64_t row = pairs[2 * i], column = pairs[2 * i + 1];
    if (row >= 0 && row < rows && column >= 0 && column < columns) continue;
    invalid_argument("indices[", i, "] = [", row, ", ", column,
                     "] is out of bounds: need 0 <= index < [", rows, ", ", columns, "] [Op:", op,
                     "]");
  }
}

template <class T>
T conjugated(T value) {
  return value;
}
Complex64 conjugated(Complex64 value) { return std::conj(value); }
Complex128 conjugated(Complex128 value) { return std::conj(value); }

// a * b + sum of numbers whose sums are computed in Sum.
template <class Sum, class T, class U>
Sum plus_product(Sum sum, T a, U b) {
  return static_cast<Sum>(wrapping(sum) + wrapping(a) * wrapping(b));
}

template <class T, class Sum>
void add_scaled_row(Sum* out, const T* row, Sum factor, int64_t count) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (count >= 8) return row_loops_of<T>().add_scaled(out, row, factor, count);
  }
  for (int64_t k = 0; k < count; ++k) {
    out[k] = static_cast<Sum>(out[k] + factor * static_cast<Sum>(arithmetic(row[k])));
  }
}

// Which of the two indices of an element is the row of the result, and which that of the dense
// matrix.
struct Sides {
  int out;
  int in;
};

template <class T, class Sum>
void multiply_pairs(const T* values, const int64_t* pairs, int64_t count, Sides sides,
                    bool conjugate, const T* dense, int64_t width, Sum* out, int64_t rows) {
  const auto add = [=](int64_t i, int64_t from, int64_t to) {
    const auto value = arithmetic(conjugate ? conjugated(values[i]) : values[i]);
    add_scaled_row(out + pairs[2 * i + sides.out] * width + from,
                   dense + pairs[2 * i + sides.in] * width + from, static_cast<Sum>(value),
                   to - from);
  };
  const int64_t work = count * (width + 4);
  bool ordered = true;
  for (int64_t i = 1; ordered && i < count; ++i) {
    ordered = pairs[2 * (i - 1) + sides.out] <= pairs[2 * i + sides.out];
  }
  if (ordered) {
    // Threads share the elements, but each row of the result belongs to one thread.
    const auto start = [=](int64_t i) {
      while (i > 0 && i < count && pairs[2 * i + sides.out] == pairs[2 * (i - 1) + sides.out]) ++i;
      return i;
    };
    parallel_for(count, kPairGrain / (width + 4) + 1, [&](int64_t begin, int64_t end) {
      const int64_t last = start(end);
      for (int64_t i = start(begin); i < last;) {
        const int64_t row = pairs[2 * i + sides.out];
        const int64_t first = i;
        while (i < last && pairs[2 * i + sides.out] == row) ++i;
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
          row_loops_of<T>().add_scaled_rows(out + row * width, dense, pairs + 2 * first + sides.in,
                                            values + first, i - first, width);
        } else {
          for (int64_t k = first; k < i; ++k) add(k, 0, width);
        }
      }
    });
    return;
  }
  if (width >= 64) {
    const int64_t grain = std::max<int64_t>(32, kPairGrain / (count + 1));
    parallel_for(width, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < count; ++i) add(i, begin, end);
    });
    return;
  }
  // Each thread reads all elements, and multiplies those of its rows.
  const int64_t parts = std::min<int64_t>({max_threads(), work / kPairGrain + 1, rows});
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    const int64_t first = rows * begin / parts, last = rows * end / parts;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = pairs[2 * i + sides.out];
      if (row >= first && row < last) add(i, 0, width);
    }
  });
}

// What `sparse_layout` has written: the elements of row i are those from starts[i] to starts[i +
// 1].
class Layout {
 public:
  // A layout may come from anywhere: `starts` are checked here, columns by `row`.
  Layout(const Tensor& layout, int64_t count, int64_t rows, int64_t columns)
      : rows_(rows),
        count_(count),
        limit_(static_cast<uint32_t>(columns - 1)),
        starts_(layout.data<int32_t>()),
        columns_(starts_ + rows + 1) {
    fits_ = layout.size() == rows + 1 + count && columns <= std::numeric_limits<int32_t>::max() &&
            starts_[0] == 0 && starts_[rows] == count;
    if (!fits_) return;
    bool ascending = true;
    for (int64_t i = 0; i < rows; ++i) ascending &= starts_[i] <= starts_[i + 1];
    fits_ = ascending;
  }

  int64_t rows() const { return rows_; }
  int64_t count() const { return count_; }

  // The elements of a row; none if it has columns that are out of bounds, which `check` reports.
  struct Row {
    int64_t begin;
    int64_t count;
    const int32_t* columns;
  };
  Row row(int64_t i) const {
    const int64_t begin = starts_[i], count = starts_[i + 1] - begin;
    const int32_t* const columns = columns_ + begin;
    uint32_t outside = 0;  // its sign, if a column is negative or too large
    for (int64_t k = 0; k < count; ++k) {
      const auto column = static_cast<uint32_t>(columns[k]);
      outside |= column | (limit_ - column);
    }
    if (outside >> 31 == 0) return {begin, count, columns};
    fits_ = false;
    return {};
  }

  // The first row of a piece of the elements: pieces have as many elements as rows allow.
  int64_t row_of_piece(int64_t piece, int64_t pieces) const {
    if (piece == pieces) return rows_;
    return std::lower_bound(starts_, starts_ + rows_, count_ * piece / pieces) - starts_;
  }

  void check() const {
    if (fits_) return;
    invalid_argument("the layout is not that of ", count_, " elements in ", rows_, " rows and ",
                     int64_t{limit_} + 1, " columns [Op:SparseTensorDenseMatMul]");
  }

 private:
  int64_t rows_;
  int64_t count_;
  uint32_t limit_;
  const int32_t* starts_;
  const int32_t* columns_;
  mutable std::atomic<bool> fits_ = true;
};

// out = matrix * dense
template <class T, class Sum>
void multiply_rows(const T* values, const Layout& matrix, const T* dense, int64_t width, Sum* out) {
  const int64_t work = matrix.count() * (width + 4);
  const int64_t pieces = std::max<int64_t>(
      1, std::min<int64_t>({4 * max_threads(), work / kPairGrain, matrix.rows()}));
  parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    const int64_t last = matrix.row_of_piece(end, pieces);
    for (int64_t i = matrix.row_of_piece(begin, pieces); i < last; ++i) {
      const auto [first, count, columns] = matrix.row(i);
      if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
        row_loops_of<T>().add_scaled_columns(out + i * width, dense, columns, values + first, count,
                                             width);
      } else {
        for (int64_t k = 0; k < count; ++k) {
          add_scaled_row(out + i * width, dense + columns[k] * width,
                         static_cast<Sum>(arithmetic(values[first + k])), width);
        }
      }
    }
  });
}

// Rows of an adjoint product belong to all threads: there are so many tables of partial sums.
constexpr int64_t kAdjointTables = 4;

// out = the conjugate transpose of matrix * dense, where `out` is a table of zeros.
template <class T, class Sum>
void multiply_columns(const T* values, const Layout& matrix, const T* dense, int64_t width,
                      Sum* out, int64_t rows) {
  const auto add = [&](Sum* to, int64_t i, int64_t from, int64_t end) {
    const auto [first, count, columns] = matrix.row(i);
    if (width == 1) {
      const auto number = static_cast<Sum>(arithmetic(dense[i]));
      for (int64_t k = 0; k < count; ++k) {
        Sum& sum = to[columns[k]];
        sum = plus_product(sum, arithmetic(conjugated(values[first + k])), number);
      }
      return;
    }
    for (int64_t k = 0; k < count; ++k) {
      const auto factor = static_cast<Sum>(arithmetic(conjugated(values[first + k])));
      add_scaled_row(to + columns[k] * width + from, dense + i * width + from, factor, end - from);
    }
  };
  const int64_t size = rows * width;
  if (width >= 64 || kAdjointTables * size > matrix.count() * width) {
    const int64_t grain = std::max<int64_t>(32, kPairGrain / (matrix.count() + 1));
    parallel_for(width, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < matrix.rows(); ++i) add(out, i, begin, end);
    });
    return;
  }
  // As many tables for any number of threads: sums must not depend on it.
  const Scratch memory(static_cast<size_t>((kAdjointTables - 1) * size) * sizeof(Sum));
  const int64_t grain = kPairGrain / (matrix.count() * (width + 4) / kAdjointTables + 1) + 1;
  parallel_for(kAdjointTables, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      Sum* const table = t == 0 ? out : memory.as<Sum>() + (t - 1) * size;
      if (t > 0) std::fill_n(table, size, Sum(0));
      const int64_t last = matrix.row_of_piece(t + 1, kAdjointTables);
      for (int64_t i = matrix.row_of_piece(t, kAdjointTables); i < last; ++i)
        add(table, i, 0, width);
    }
  });
  for (int64_t t = 1; t < kAdjointTables; ++t) {
    const Sum* const table = memory.as<Sum>() + (t - 1) * size;
    for (int64_t i = 0; i < size; ++i) out[i] = static_cast<Sum>(out[i] + table[i]);
  }
}

// The elements of a sparse matrix by rows, as in CSR: the matrix itself may be in any order.
class MatrixRows {
 public:
  MatrixRows(const int64_t* pairs, int64_t count, int64_t rows)
      : direct_(rows <= 4 * count + kFewColumns) {
    bool ordered = true;
    for (int64_t i = 1; ordered && i < count; ++i) ordered = pairs[2 * i - 2] <= pairs[2 * i];
    if (direct_) {
      starts_.assign(static_cast<size_t>(rows + 1), 0);
      for (int64_t i = 0; i < count; ++i) ++starts_[static_cast<size_t>(pairs[2 * i] + 1)];
      std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
      if (ordered) return;
      order_.resize(static_cast<size_t>(count));
      std::vector<int64_t> next = starts_;
      for (int64_t i = 0; i < count; ++i) {
        order_[static_cast<size_t>(next[static_cast<size_t>(pairs[2 * i])]++)] = i;
      }
      return;
    }
    if (!ordered) {
      order_.resize(static_cast<size_t>(count));
      std::iota(order_.begin(), order_.end(), int64_t{0});
      std::stable_sort(order_.begin(), order_.end(),
                       [=](int64_t a, int64_t b) { return pairs[2 * a] < pairs[2 * b]; });
    }
    for (int64_t p = 0; p < count; ++p) {
      const int64_t row = pairs[2 * element(p)];
      if (!ids_.empty() && ids_.back() == row) continue;
      ids_.push_back(row);
      starts_.push_back(p);
    }
    starts_.push_back(count);
  }

  // The rows that may have elements, in ascending order.
  int64_t count() const { return static_cast<int64_t>(starts_.size()) - 1; }
  int64_t row(int64_t group) const { return direct_ ? group : ids_[static_cast<size_t>(group)]; }

  struct Range {
    int64_t begin = 0;
    int64_t end = 0;
  };
  Range group(int64_t group) const {
    const auto at = static_cast<size_t>(group);
    return {starts_[at], starts_[at + 1]};
  }
  Range find(int64_t row) const {
    if (direct_) return group(row);
    const auto at = std::lower_bound(ids_.begin(), ids_.end(), row);
    if (at == ids_.end() || *at != row) return {};
    return group(at - ids_.begin());
  }
  // The element at a position of a range.
  int64_t element(int64_t place) const {
    return order_.empty() ? place : order_[static_cast<size_t>(place)];
  }

 private:
  bool direct_;
  std::vector<int64_t> ids_;     // the rows with elements, unless there are few rows
  std::vector<int64_t> starts_;  // of the rows
  std::vector<int64_t> order_;   // empty if the elements are in order
};

// Numbers the columns that have elements, if these are few of all.
class MatrixColumns {
 public:
  MatrixColumns(const int64_t* pairs, int64_t count, int64_t columns) : columns_(columns) {
    if (columns <= 2 * count + kFewColumns) return;
    ids_.resize(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) ids_[static_cast<size_t>(i)] = pairs[2 * i + 1];
    std::sort(ids_.begin(), ids_.end());
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    columns_ = -1;
  }
  int64_t count() const { return columns_ >= 0 ? columns_ : static_cast<int64_t>(ids_.size()); }
  int64_t column(int64_t number) const {
    return columns_ >= 0 ? number : ids_[static_cast<size_t>(number)];
  }
  // -1 if the column has no elements.
  int64_t number(int64_t column) const {
    if (columns_ >= 0) return column;
    const auto at = std::lower_bound(ids_.begin(), ids_.end(), column);
    return at == ids_.end() || *at != column ? -1 : at - ids_.begin();
  }

 private:
  int64_t columns_;
  std::vector<int64_t> ids_;
};

// A set of small numbers, which are read in ascending order.
class NumberSet {
 public:
  explicit NumberSet(int64_t limit)
      : words_(static_cast<size_t>(limit / 64 + 1)), tops_(words_.size() / 64 + 1) {}
  void add(uint32_t number) {
    uint64_t& word = words_[number / 64];
    tops_[number / 4096] |= uint64_t{1} << (number / 64 % 64);
    word |= uint64_t{1} << (number % 64);
  }
  // Writes the numbers to `out`, which has room for three more, and leaves the set empty. Returns
  // the end.
  uint32_t* take(uint32_t* out) {
    for (size_t top = 0; top < tops_.size(); ++top) {
      for (uint64_t rest = std::exchange(tops_[top], 0); rest != 0; rest &= rest - 1) {
        const size_t at = top * 64 + static_cast<size_t>(std::countr_zero(rest));
        const auto first = static_cast<uint32_t>(at * 64);
        const auto lowest = [=](uint64_t bits) {
          return first + static_cast<uint32_t>(std::countr_zero(bits));
        };
        // Up to three are written in any case: a processor could not predict their number.
        const uint64_t one = std::exchange(words_[at], 0), two = one & (one - 1);
        const uint64_t three = two & (two - 1);
        out[0] = lowest(one);
        out[1] = lowest(two);
        out[2] = lowest(three);
        out += 1 + (two != 0) + (three != 0);
        for (uint64_t bits = three & (three - 1); bits != 0; bits &= bits - 1) {
          *out++ = lowest(bits);
        }
      }
    }
    return out;
  }

 private:
  std::vector<uint64_t> words_;
  std::vector<uint64_t> tops_;  // the words that are not zero
};

// A list of numbers and values in blocks, whose memory comes from the caching allocator.
template <class T>
class Blocks {
 public:
  struct Block {
    explicit Block(int64_t capacity)
        : capacity(capacity),
          number_memory(static_cast<size_t>(capacity) * sizeof(uint32_t)),
          value_memory(static_cast<size_t>(capacity) * sizeof(T)) {}
    uint32_t* numbers() const { return number_memory.as<uint32_t>(); }
    T* values() const { return value_memory.as<T>(); }
    int64_t capacity;
    int64_t size = 0;
    Scratch number_memory;
    Scratch value_memory;
  };

  // The block in which there is room for more elements.
  Block& room(int64_t more) {
    if (blocks_.empty() || blocks_.back()->size + more > blocks_.back()->capacity) {
      blocks_.push_back(std::make_unique<Block>(std::max(more, kBlock)));
    }
    return *blocks_.back();
  }
  // Calls visit for each block.
  template <class Visit>
  void each(const Visit& visit) const {
    for (const auto& block : blocks_) visit(*block);
  }

 private:
  static constexpr int64_t kBlock = 1 << 16;
  std::vector<std::unique_ptr<Block>> blocks_;
};

// The right matrix of a product by rows, with numbered columns.
template <class T>
struct RightRows {
  using Sum = decltype(arithmetic(T()));

  RightRows(const T* values, const int64_t* pairs, int64_t count, int64_t rows, int64_t columns)
      : rows(pairs, count, rows),
        columns(pairs, count, columns),
        numbers(static_cast<size_t>(count)),
        values(static_cast<size_t>(values == nullptr ? 0 : count)) {
    for (int64_t p = 0; p < count; ++p) {
      const int64_t i = this->rows.element(p);
      const auto at = static_cast<size_t>(p);
      numbers[at] = static_cast<uint32_t>(this->columns.number(pairs[2 * i + 1]));
      if (values != nullptr) this->values[at] = arithmetic(values[i]);
    }
  }

  MatrixRows rows;
  MatrixColumns columns;
  std::vector<uint32_t> numbers;
  std::vector<Sum> values;
};

// The product of two sparse matrices by F. G. Gustavson's algorithm, ACM Trans. Math. Software 4
// (1978) 250: each row of the result is a sum of rows of b.
template <class T>
void multiply_sparse(KernelContext& context, const ops::SparseProductAttrs& attrs) {
  using Sum = decltype(arithmetic(T()));
  const auto* a = context.input(0).data<T>();
  const auto* pairs = context.input(1).data<int64_t>();
  const int64_t count = context.input(0).size();
  const MatrixRows left(pairs, count, attrs.rows);
  const RightRows<T> right(context.input(2).data<T>(), context.input(3).data<int64_t>(),
                           context.input(2).size(), attrs.inner, attrs.columns);
  struct Part {
    Blocks<T> blocks;
    std::vector<int64_t> ends;  // of the rows, counted in elements
  };
  int64_t work = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto [begin, end] = right.rows.find(pairs[2 * i + 1]);
    work += end - begin;
  }
  const int64_t groups = left.count();
  const int64_t pieces =
      std::max<int64_t>(1, std::min<int64_t>({max_threads(), work / kPairGrain, groups}));
  std::vector<Part> parts(static_cast<size_t>(pieces));
  parallel_for(pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      Part& part = parts[static_cast<size_t>(piece)];
      std::vector<Sum> sums(static_cast<size_t>(right.columns.count()));
      NumberSet present(right.columns.count());
      for (int64_t g = groups * piece / pieces; g < groups * (piece + 1) / pieces; ++g) {
        const auto [begin, end] = left.group(g);
        int64_t most = 0;
        for (int64_t p = begin; p < end; ++p) {
          const int64_t i = left.element(p);
          const Sum factor = arithmetic(a[i]);
          const auto [from, to] = right.rows.find(pairs[2 * i + 1]);
          most += to - from;
          for (auto q = static_cast<size_t>(from); q < static_cast<size_t>(to); ++q) {
            const uint32_t number = right.numbers[q];
            present.add(number);
            sums[number] = plus_product(sums[number], factor, right.values[q]);
          }
        }
        auto& block = part.blocks.room(std::min(most, right.columns.count()) + 3);
        uint32_t* const numbers = block.numbers() + block.size;
        T* const values = block.values() + block.size;
        const int64_t found = present.take(numbers) - numbers;
        for (int64_t k = 0; k < found; ++k) {
          values[k] = static_cast<T>(std::exchange(sums[numbers[k]], Sum(0)));
        }
        block.size += found;
        part.ends.push_back((part.ends.empty() ? 0 : part.ends.back()) + found);
      }
    }
  });
  std::vector<int64_t> starts{0};
  for (const Part& part : parts) {
    starts.push_back(starts.back() + (part.ends.empty() ? 0 : part.ends.back()));
  }
  const Tensor values = Tensor::empty(context.input(0).dtype(), {starts.back()});
  const Tensor indices = Tensor::empty(DType::kInt64, {starts.back(), 2});
  parallel_for(pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t piece = first; piece < last; ++piece) {
      const Part& part = parts[static_cast<size_t>(piece)];
      T* value = values.mutable_data<T>() + starts[static_cast<size_t>(piece)];
      auto* place = indices.mutable_data<int64_t>() + 2 * starts[static_cast<size_t>(piece)];
      int64_t done = 0;
      auto end = part.ends.begin();
      int64_t g = groups * piece / pieces;
      part.blocks.each([&](const auto& block) {
        value = std::copy_n(block.values(), block.size, value);
        // Rows do not extend over blocks.
        for (int64_t k = 0; k < block.size;) {
          for (; *end == done; ++end) ++g;
          const int64_t row = left.row(g), stop = k + *end - done;
          done = *end;
          for (; k < stop; ++k) {
            *place++ = row;
            *place++ = right.columns.column(block.numbers()[k]);
          }
        }
      });
    }
  });
  context.output(0) = values;
  context.output(1) = indices;
}

// The sum over all i, k, j of a[i, k] * b[k, j] * c[i, j] is linear in each of the matrices. These
// are its derivatives with respect to the values of one of them, at the elements that this has.
template <class T>
void find_product_term(KernelContext& context, const ops::SparseProductTermAttrs& attrs) {
  using Sum = decltype(arithmetic(T()));
  const auto* x = context.input(0).data<T>();
  const auto* y = context.input(1).data<T>();
  const int64_t of = attrs.of;
  const T* const a = of == 0 ? nullptr : x;
  const T* const b = of == 0 ? y : of == 2 ? y : nullptr;
  const T* const c = of == 0 ? x : of == 1 ? y : nullptr;
  const auto* pairs = context.input(2).data<int64_t>();
  const auto* result_pairs = context.input(4).data<int64_t>();
  const MatrixRows left(pairs, context.input(2).dim(0), attrs.rows);
  const RightRows<T> right(b, context.input(3).data<int64_t>(), context.input(3).dim(0),
                           attrs.inner, attrs.columns);
  const MatrixRows result(result_pairs, context.input(4).dim(0), attrs.rows);
  T* const out = context.output(0).mutable_data<T>();
  std::vector<Sum> totals(static_cast<size_t>(of == 1 ? context.output(0).size() : 0));
  fill_constant(context.output(0), 0);
  const auto run = [&](int64_t first, int64_t last) {
    std::vector<Sum> row(static_cast<size_t>(right.columns.count()));
    const auto each_of_result = [&](int64_t g, const auto& visit) {
      const auto [begin, end] = result.find(left.row(g));
      for (int64_t p = begin; p < end; ++p) {
        const int64_t i = result.element(p);
        const int64_t number = right.columns.number(result_pairs[2 * i + 1]);
        if (number >= 0) visit(i, row[static_cast<size_t>(number)]);
      }
    };
    for (int64_t g = first; g < last; ++g) {
      const auto [begin, end] = left.group(g);
      if (begin == end) continue;
      if (c != nullptr) {
        each_of_result(g, [&](int64_t i, Sum& sum) {
          sum = static_cast<Sum>(wrapping(sum) + wrapping(arithmetic(c[i])));
        });
      }
      for (int64_t p = begin; p < end; ++p) {
        const int64_t i = left.element(p);
        const auto [from, to] = right.rows.find(pairs[2 * i + 1]);
        Sum total = Sum(0);
        for (auto q = static_cast<size_t>(from); q < static_cast<size_t>(to); ++q) {
          Sum& sum = row[right.numbers[q]];
          if (of == 0) {
            total = plus_product(total, sum, right.values[q]);
          } else if (of == 1) {
            totals[q] = plus_product(totals[q], arithmetic(a[i]), sum);
          } else {
            sum = plus_product(sum, arithmetic(a[i]), right.values[q]);
          }
        }
        if (of == 0) out[i] = static_cast<T>(total);
      }
      if (c == nullptr) {
        each_of_result(g, [&](int64_t i, Sum& sum) { out[i] = static_cast<T>(sum); });
        for (int64_t p = begin; p < end; ++p) {
          const auto [from, to] = right.rows.find(pairs[2 * left.element(p) + 1]);
          for (auto q = static_cast<size_t>(from); q < static_cast<size_t>(to); ++q) {
            row[right.numbers[q]] = Sum(0);
          }
        }
      } else {
        each_of_result(g, [&](int64_t, Sum& sum) { sum = Sum(0); });
      }
    }
  };
  const int64_t groups = left.count();
  if (of == 1) {  // rows of a add to the same elements of b
    run(0, groups);
    for (size_t q = 0; q < totals.size(); ++q) {
      out[right.rows.element(static_cast<int64_t>(q))] = static_cast<T>(totals[q]);
    }
    return;
  }
  const int64_t elements = context.input(2).dim(0) + context.input(4).dim(0);
  parallel_for(groups, groups * kPairGrain / (8 * elements + 1) + 1, run);
}

}  // namespace

void sparse_layout(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const auto* pairs = indices.data<int64_t>();
  const int64_t count = indices.dim(0);
  const auto& [rows, columns] = context.attrs<ops::SparseLayoutAttrs>();
  check_pairs(pairs, count, rows, columns, "SparseTensorDenseMatMul");
  const auto none = [&] { context.output(0) = Tensor::empty(DType::kInt32, {0}); };
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();
  if (rows > 4 * count + kFewColumns || rows + count >= kLargest || columns > kLargest) {
    return none();
  }
  for (int64_t i = 1; i < count; ++i) {
    if (pairs[2 * i - 2] > pairs[2 * i]) return none();
  }
  const Tensor layout = Tensor::empty(DType::kInt32, {rows + 1 + count});
  auto* const starts = layout.mutable_data<int32_t>();
  int64_t row = 0;
  for (int64_t i = 0; i < count; ++i) {
    for (; row <= pairs[2 * i]; ++row) starts[row] = static_cast<int32_t>(i);
    starts[rows + 1 + i] = static_cast<int32_t>(pairs[2 * i + 1]);
  }
  std::fill(starts + row, starts + rows + 1, static_cast<int32_t>(count));
  context.output(0) = layout;
}

void sparse_matmul(KernelContext& context) {
  const Tensor& values = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& dense = context.input(2);
  const Tensor& out = context.output(0);
  const int64_t count = values.size();
  const auto* pairs = indices.data<int64_t>();
  const auto& attrs = context.attrs<ops::SparseMatmulAttrs>();
  const bool adjoint = attrs.adjoint;
  std::optional<Layout> layout;
  if (context.num_inputs() > 3) {
    layout.emplace(context.input(3), count, attrs.rows, attrs.columns);
    layout->check();
  } else {
    check_pairs(pairs, count, attrs.rows, attrs.columns, "SparseTensorDenseMatMul");
  }
  fill_constant(out, 0);
  if (count == 0 || out.size() == 0) return;
  on_number_type(out.dtype(), [&]<class T>(T) {
    using Sum = decltype(arithmetic(T()));
    const T *x = values.data<T>(), *y = dense.data<T>();
    const auto multiply = [&](Sum* sums) {
      if (!layout) {
        const Sides sides = adjoint ? Sides{1, 0} : Sides{0, 1};
        multiply_pairs(x, pairs, count, sides, adjoint, y, dense.dim(1), sums, out.dim(0));
      } else if (adjoint) {
        multiply_columns(x, *layout, y, dense.dim(1), sums, out.dim(0));
      } else {
        multiply_rows(x, *layout, y, dense.dim(1), sums);
      }
    };
    if constexpr (std::is_same_v<Sum, T>) {
      multiply(out.mutable_data<T>());
    } else {
      const Scratch memory(static_cast<size_t>(out.size()) * sizeof(Sum));
      Sum* const sums = memory.as<Sum>();
      std::fill_n(sums, out.size(), Sum(0));
      multiply(sums);
      std::transform(sums, sums + out.size(), out.mutable_data<T>(),
                     [](Sum sum) { return T(sum); });
    }
  });
  if (layout) layout->check();
}

void sparse_dots(KernelContext& context) {
  const Tensor& a = context.input(1);
  const Tensor& b = context.input(2);
  const Tensor& out = context.output(0);
  const auto* pairs = context.input(0).data<int64_t>();
  const int64_t width = a.dim(1);
  check_pairs(pairs, out.size(), a.dim(0), b.dim(0), "SparseTensorDenseMatMul");
  on_number_type(out.dtype(), [&]<class T>(T) {
    using Sum = decltype(arithmetic(T()));
    parallel_for(out.size(), kPairGrain / (width + 4) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* const x = a.data<T>() + pairs[2 * i] * width;
        const T* const y = b.data<T>() + pairs[2 * i + 1] * width;
        T& to = out.mutable_data<T>()[i];
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
          if (width >= 8) {
            to = row_loops_of<T>().dot(x, y, width);
            continue;
          }
        }
        Sum sum = Sum(0);
        for (int64_t k = 0; k < width; ++k) {
          sum = static_cast<Sum>(wrapping(sum) + wrapping(x[k]) * wrapping(y[k]));
        }
        to = static_cast<T>(sum);
      }
    });
  });
}

void sparse_product(KernelContext& context) {
  const auto& attrs = context.attrs<ops::SparseProductAttrs>();
  check_pairs(context.input(1).data<int64_t>(), context.input(0).size(), attrs.rows, attrs.inner,
              "SparseMatMul");
  check_pairs(context.input(3).data<int64_t>(), context.input(2).size(), attrs.inner, attrs.columns,
              "SparseMatMul");
  on_number_type(context.input(0).dtype(), [&]<class T>(T) { multiply_sparse<T>(context, attrs); });
}

void sparse_product_term(KernelContext& context) {
  const auto& attrs = context.attrs<ops::SparseProductTermAttrs>();
  const int64_t sides[3][2] = {
      {attrs.rows, attrs.inner}, {attrs.inner, attrs.columns}, {attrs.rows, attrs.columns}};
  for (int i = 0; i < 3; ++i) {
    const Tensor& pairs = context.input(2 + i);
    check_pairs(pairs.data<int64_t>(), pairs.dim(0), sides[i][0], sides[i][1], "SparseMatMul");
  }
  on_number_type(context.output(0).dtype(),
                 [&]<class T>(T) { find_product_term<T>(context, attrs); });
}

}  // namespace ef::cpu
