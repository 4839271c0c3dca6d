// Running chains: blocks of elements, and which memory holds them.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "device/parallel.h"
#include "kernels/cpu/broadcast.h"
#include "kernels/cpu/chain.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/element_source.h"
#include "kernels/cpu/elementwise_loops.h"
#include "tensor/buffer.h"

namespace ef::cpu {
namespace {

// Preparing a thread for a step takes about this long, a small part of a task.
constexpr double kStepNanoseconds = 500;

// Reading or writing a byte in the second-level cache takes about this long, which light steps on
// registers do not exceed.
constexpr double kByteNanoseconds = 0.009;

// Reading an element that is not in the memory of an operand of its own takes about this long.
constexpr double kReadNanoseconds = 0.05;

// Memory for the blocks of one thread. Larger blocks need fewer calls, but have to stay in the
// first-level cache.
constexpr int64_t kCacheBytes = 24 << 10;
constexpr int64_t kLongestBlock = 2048;
constexpr int64_t kShortestBlock = 256;

// Operands that broadcast are expanded for several tiles at once, in so many bytes in all.
constexpr int64_t kExpandedBytes = 16 << 10;

// Repeated rows of at most this length are expanded once for all blocks.
constexpr int64_t kLongestRow = 4096;

// Inputs of more bytes are prefetched for later tiles while earlier tiles compute. The hardware
// prefetches well only while a single loop reads the memory.
constexpr int64_t kFarBytes = 1 << 20;
constexpr int64_t kPrefetchBytes = 2048;

// Rows of fewer elements are copied to longer blocks where steps do not run on registers.
constexpr int64_t kShortestRow = 128;

}  // namespace

// Scratch memory from the caching allocator.
class ChainScratch {
 public:
  explicit ChainScratch(size_t bytes) : buffer_(Buffer::allocate(bytes)) {}
  ~ChainScratch() { buffer_->release(); }
  ChainScratch(const ChainScratch&) = delete;
  ChainScratch& operator=(const ChainScratch&) = delete;
  char* data() const { return reinterpret_cast<char*>(buffer_->data()); }

 private:
  Buffer* buffer_;
};

// One run: the memory of each value.
class Chain::Run {
 public:
  // Without `results`, the only result is read in parts.
  Run(const Chain& chain, const Shape& shape, std::span<Tensor> inputs, TensorList* results)
      : chain_(chain), count_(shape.num_elements()) {
    places_.resize(chain.values_.size());
    place_inputs(shape, inputs);
    compute_singles();
    if (results) {
      place_results(shape, inputs, *results);
    } else {
      place(chain.results_[0]).step = chain.value(chain.results_[0]).bytes;
    }
    if (chain.tile_type_ != DType::kInvalid) {
      tiles_ = &element_loops().tiles_of(chain.tile_type_);
      if (count_ < 2 * tiles_->elements) tiles_ = nullptr;
    }
    if (tiles_) {
      block_ = tiles_->elements;
    } else {
      const int64_t slots = chain.num_slots_ + static_cast<int64_t>(expanded_.size());
      while (block_ > kShortestBlock && block_ * slots * chain.slot_bytes_ > kCacheBytes) {
        block_ /= 2;
      }
    }
    choose_rows();
    expanded_block_ = block_;
    const auto all = static_cast<int64_t>(expanded_.size()) * chain.slot_bytes_;
    while (tiles_ && 2 * expanded_block_ * all <= kExpandedBytes && all > 0) expanded_block_ *= 2;
  }

  // The elements of a task, if each takes `nanoseconds` beside its computation.
  int64_t grain(double nanoseconds) const;
  void execute() const;

  // The elements that a thread computes at once, and its memory.
  class Part;

 private:
  // A value's block that begins at element i is at data + i * step, or in a slot.
  struct Place {
    char* data = nullptr;
    int64_t step = 0;  // bytes; 0 for a single element, and for a slot
    int32_t slot = -1;
    bool single = false;
    bool expanded = false;   // an input whose blocks are written before the steps that read them
    int32_t rank = 0;        // of a single element
    char* stream = nullptr;  // where blocks go from the slot, past the caches
    char* filled = nullptr;  // a single element, repeated for tiles
  };
  // An input that broadcasts, or has no memory. Its blocks are written to the scratch memory.
  struct Expanded {
    int32_t value;
    const char* data = nullptr;
    BroadcastLayout<1> layout;
    std::shared_ptr<const ElementSource> source;
    int64_t rows = 0;  // of this run, in a row of the source that is read in place

    // The length of the repeated row; 0 if the rows differ.
    int64_t row() const {
      return !source && layout.rank == 2 && layout.stride[0][0] == 0 ? layout.size[1] : 0;
    }
  };
  struct Single {
    alignas(16) char bytes[16];
  };

  Place& place(int32_t value) { return places_[static_cast<size_t>(value)]; }

  // Sources whose rows stand in memory are read there if no other limits the rows to a few
  // elements.
  void choose_rows() {
    for (const Expanded& each : expanded_) {
      const int64_t row = each.source ? each.source->row() : 0;
      if (row > 0) row_ = row_ ? std::min(row_, row) : row;
    }
    const int64_t least = tiles_ ? tiles_->elements : kShortestRow;
    const bool streams = std::ranges::any_of(places_, [](const Place& to) { return to.stream; });
    if (row_ < least || streams) row_ = 0;
    if (!row_) return;
    for (Expanded& each : expanded_) {
      if (each.source && each.source->row() % row_ == 0) each.rows = each.source->row() / row_;
    }
  }

  void place_inputs(const Shape& shape, std::span<const Tensor> inputs) {
    int64_t bytes = 0;
    for (int32_t i = 0; i < chain_.num_inputs_; ++i) {
      const Tensor& input = inputs[static_cast<size_t>(i)];
      Place& to = place(i);
      if (auto source = input.shape() == shape ? source_of(input) : nullptr) {
        to.step = chain_.value(i).bytes;
        to.expanded = true;
        expanded_.push_back({i, nullptr, {}, std::move(source)});
        continue;
      }
      to.data = static_cast<char*>(input.mutable_raw_data());
      if (input.shape() == shape) {
        to.step = chain_.value(i).bytes;
        bytes += input.bytes();
      } else if (input.size() == 1) {
        to.single = true;
        to.rank = input.rank();
      } else {
        to.step = chain_.value(i).bytes;
        to.expanded = true;
        expanded_.push_back({i, to.data, broadcast_layout<1>(shape, {&input.shape()}), nullptr});
      }
    }
    from_far_ = bytes >= kFarBytes;
  }

  // Computes values that depend on single elements only, once.
  void compute_singles() {
    for (int32_t i = 0; i < chain_.size(); ++i) {
      const Step& step = chain_.step(i);
      Place& out = place(chain_.num_inputs_ + i);
      out.single = std::ranges::all_of(step.operands,
                                       [&](int32_t operand) { return place(operand).single; });
      if (!out.single) {
        out.slot = chain_.value(chain_.num_inputs_ + i).slot;
        continue;
      }
      if (singles_.empty()) singles_.resize(chain_.steps_.size());
      out.data = singles_[static_cast<size_t>(i)].bytes;
      const void* operands[kMostOperands];
      for (size_t k = 0; k < step.operands.size(); ++k) {
        const Place& from = place(step.operands[k]);
        operands[k] = from.data;
        out.rank = std::max(out.rank, from.rank);
      }
      step.loop(out.data, operands, 0, 1);
    }
  }

  void place_results(const Shape& shape, std::span<Tensor> inputs, TensorList& results) {
    for (const int32_t result : chain_.results_) {
      if (result < chain_.num_inputs_) {
        results.push_back(inputs[static_cast<size_t>(result)].alias());
        continue;
      }
      Place& to = place(result);
      if (to.single) {
        Shape ones;
        while (ones.rank() < to.rank) ones.push_back(1);
        results.push_back(Tensor::empty(chain_.value(result).dtype, ones));
        std::memcpy(results.back().mutable_raw_data(), to.data,
                    static_cast<size_t>(chain_.value(result).bytes));
        continue;
      }
      if (to.step) {  // an earlier result is the same value
        const auto* const first = chain_.results_.data();
        const auto* const same = std::find(first, first + results.size(), result);
        results.push_back(results[static_cast<size_t>(same - first)].alias());
        continue;
      }
      results.push_back(result_memory(result, shape, inputs));
      to.data = static_cast<char*>(results.back().mutable_raw_data());
      to.step = chain_.value(result).bytes;
      if (to.stream) to.stream = to.data;
    }
  }

  // Reuses an input's memory if the input is not read after the result's block is written.
  Tensor result_memory(int32_t result, const Shape& shape, std::span<Tensor> inputs) {
    const int32_t step = result - chain_.num_inputs_;
    for (int32_t i = 0; i < chain_.num_inputs_; ++i) {
      Tensor& input = inputs[static_cast<size_t>(i)];
      const Value& from = chain_.value(i);
      if (!input || from.dtype != chain_.value(result).dtype || from.last_used > step) continue;
      if (from.last_used == step && !chain_.step(step).loop.overwrites) continue;
      if (!input.exclusively_owned() || input.shape() != shape) continue;
      input.impl()->reset_id();  // tapes know the old value
      overwrites_ = true;
      return std::move(input);
    }
    Tensor fresh = Tensor::empty(chain_.value(result).dtype, shape);
    if (fresh.bytes() >= kStreamBytes) {
      place(result).stream = static_cast<char*>(fresh.mutable_raw_data());
    }
    return fresh;
  }

  const Chain& chain_;
  const int64_t count_;
  int64_t block_ = kLongestBlock;
  int64_t expanded_block_ = 0;        // the elements of expanded inputs that are there at once
  int64_t row_ = 0;                   // the length of rows that are read in place; 0 if none are
  bool overwrites_ = false;           // whether a result has the memory of an input
  const TileLoops* tiles_ = nullptr;  // if the chain runs on registers
  bool from_far_ = false;             // the inputs may be outside the caches of one processor
  std::vector<Place> places_;         // of the values
  std::vector<Expanded> expanded_;
  std::vector<Single> singles_;
};

class Chain::Run::Part {
 public:
  explicit Part(const Run& run)
      : run_(run), chain_(run.chain_), places_(std::span<const Place>(run.places_)) {
    place_slots();
    if (run.tiles_) write_code();
    if (run.row_) find_row_sources();
  }
  Part(const Part&) = delete;  // steps of the code point to this object
  Part& operator=(const Part&) = delete;

  void run(int64_t begin, int64_t end) {
    if (run_.row_) {
      run_rows(begin, end);
    } else if (run_.tiles_) {
      // Tiles begin at multiples of their size, so that non-temporal stores are aligned.
      const int64_t tile = run_.block_;
      const int64_t first = std::min((begin + tile - 1) / tile * tile, end);
      const int64_t last = std::max(end / tile * tile, first);
      compute(begin, first);
      run_tiles(first, last);
      compute(last, end);
    } else {
      compute(begin, end);
    }
    if (streams()) element_loops().stream_end();
  }

  void read(int64_t begin, int64_t count, char* out) {
    const int32_t result = chain_.results_[0];
    Place& to = places_[static_cast<size_t>(result)];
    to.data = out - begin * to.step;
    int64_t first = begin;
    if (run_.tiles_) {
      for (const size_t k : result_code_) code_[k].data = to.data;
    }
    if (run_.row_) return run_rows(begin, begin + count);
    if (run_.tiles_) {
      first += count / run_.block_ * run_.block_;
      run_tiles(begin, first);
    }
    compute(first, begin + count);
  }

 private:
  // Slots, and repeated rows, from the start of the scratch memory.
  void place_slots() {
    const int64_t slot_bytes = run_.block_ * chain_.slot_bytes_;
    int64_t total = chain_.num_slots_ * slot_bytes;
    const auto reserve = [&](int64_t bytes) {
      const int64_t at = total;
      total += (bytes + 63) / 64 * 64;
      return at;
    };
    for (const Expanded& from : run_.expanded_) {
      const int64_t row = from.row();
      const bool repeats = row > 0 && row <= kLongestRow;
      const int64_t bytes = chain_.value(from.value).bytes;
      rows_.push_back(repeats ? reserve((row + run_.expanded_block_) * bytes) : -1);
      blocks_.push_back(reserve(run_.expanded_block_ * bytes));
    }
    std::vector<std::pair<int32_t, int64_t>> filled;  // single elements, repeated for tiles
    if (run_.tiles_) {
      std::vector<char> seen(places_.size());
      for (const TileAction& action : chain_.tile_code_) {
        for (const int32_t number : {action.value, action.other}) {
          if (number < 0 || action.kind == TileAction::kCall || action.single_code ||
              action.kind == TileAction::kStore || !place(number).single ||
              std::exchange(seen[static_cast<size_t>(number)], 1)) {
            continue;
          }
          filled.emplace_back(number, reserve(slot_bytes));
        }
      }
    }
    scratch_.emplace(static_cast<size_t>(std::max<int64_t>(total, 1)));
    for (Place& to : places_) {
      if (to.slot < 0 || (to.step && !to.stream)) continue;
      to.data = scratch_->data() + to.slot * slot_bytes;
      to.step = 0;
    }
    for (size_t k = 0; k < rows_.size(); ++k) {
      if (rows_[k] < 0) continue;
      const Expanded& from = run_.expanded_[k];
      const int64_t bytes = chain_.value(from.value).bytes;
      const int64_t row = from.row() * bytes;
      std::memcpy(scratch_->data() + rows_[k], from.data, static_cast<size_t>(row));
      repeat_bytes(scratch_->data() + rows_[k], row, row + run_.expanded_block_ * bytes);
    }
    for (const auto& [number, at] : filled) {
      Place& single = places_[static_cast<size_t>(number)];
      single.filled = scratch_->data() + at;
      const int64_t bytes = chain_.value(number).bytes;
      std::memcpy(single.filled, single.data, static_cast<size_t>(bytes));
      repeat_bytes(single.filled, bytes, run_.block_ * bytes);
    }
  }

  const Place& place(int32_t value) const { return places_[static_cast<size_t>(value)]; }

  bool streams() const {
    return std::ranges::any_of(places_, [](const Place& each) { return each.stream; });
  }

  void compute(int64_t begin, int64_t end) {
    const int64_t block = run_.block_;
    while (begin < end) {
      const int64_t count = std::min((begin / block + 1) * block, end) - begin;
      for (size_t k = 0; k < run_.expanded_.size(); ++k) expand(k, begin, count);
      for (int32_t i = 0; i < chain_.size(); ++i) compute_step(i, begin, count);
      for (const int32_t result : chain_.results_) {
        if (place(result).stream) store(result, begin, count);
      }
      begin += count;
    }
  }

  // Whole rows with the elements of sources in their own memory, and the elements around them.
  void run_rows(int64_t begin, int64_t end) {
    const int64_t row = run_.row_;
    const int64_t first = std::min((begin + row - 1) / row * row, end);
    const int64_t last = std::max(end / row * row, first);
    compute(begin, first);
    in_rows_ = true;
    for (int64_t number = first / row; number < last / row; ++number) run_row(number);
    in_rows_ = false;
    compute(last, end);
  }

  void run_row(int64_t number) {
    const int64_t row = run_.row_, begin = number * row;
    for (const RowSource& from : row_sources_) {
      const int64_t index = from.rows == 1 ? number : number / from.rows;
      const auto* const memory = static_cast<const char*>(from.source->row_at(index));
      char* const data = const_cast<char*>(memory) - index * from.bytes;
      places_[static_cast<size_t>(from.value)].data = data;
      for (const size_t k : from.code) code_[k].data = data;
    }
    if (!run_.tiles_) return compute(begin, begin + row);
    const int64_t tile = run_.block_, whole = row / tile * tile;
    run_tiles(begin, begin + whole);
    if (whole == row) return;
    // Elements of the last tile are computed twice, which needs their operands as they were.
    if (run_.overwrites_) {
      compute(begin + whole, begin + row);
    } else {
      run_tiles(begin + row - tile, begin + row);
    }
  }

  // A source whose rows are read in place.
  struct RowSource {
    const ElementSource* source;
    int32_t value;
    int64_t rows;                  // of the run, in a row of the source
    int64_t bytes;                 // of a row of the source
    InlineVector<size_t, 4> code;  // the steps that hold its address
  };

  void find_row_sources() {
    for (const Expanded& from : run_.expanded_) {
      if (!from.rows) {
        copies_ = true;
        continue;
      }
      RowSource& row = row_sources_.emplace_back();
      row.source = from.source.get();
      row.value = from.value;
      row.rows = from.rows;
      row.bytes = from.rows * run_.row_ * chain_.value(from.value).bytes;
      for (const auto& [k, value] : expanded_code_) {
        if (value == from.value) row.code.push_back(k);
      }
    }
  }

  // Tiles between multiples of their size, or of a row.
  void run_tiles(int64_t begin, int64_t end) {
    const bool none = in_rows_ ? !copies_ : run_.expanded_.empty();
    if (none) return run_.tiles_->run(code_.data(), begin, end);
    const int64_t most = run_.expanded_block_;
    for (int64_t i = begin; i < end; i += most) {
      const int64_t count = std::min(most, end - i);
      for (size_t k = 0; k < run_.expanded_.size(); ++k) expand(k, i, count);
      for (const auto& [k, value] : expanded_code_) code_[k].data = place(value).data;
      run_.tiles_->run(code_.data(), i, i + count);
    }
  }

  // Writes elements [begin, begin + count), which are in the value's place then.
  void expand(size_t k, int64_t begin, int64_t count) {
    const Expanded& from = run_.expanded_[k];
    if (in_rows_ && from.rows) return;
    const int64_t bytes = chain_.value(from.value).bytes;
    char* const to = scratch_->data() + blocks_[k];
    places_[static_cast<size_t>(from.value)].data = to - begin * bytes;
    if (from.source) {
      from.source->read(begin, count, to);
    } else if (rows_[k] >= 0) {
      std::memcpy(to, scratch_->data() + rows_[k] + begin % from.row() * bytes,
                  static_cast<size_t>(count * bytes));
    } else {
      cpu::expand(from.layout, bytes, from.data, begin, count, to);
    }
  }

  void compute_step(int32_t i, int64_t begin, int64_t count) const {
    const Place& to = place(chain_.num_inputs_ + i);
    if (to.single) return;
    const Step& step = chain_.step(i);
    const void* operands[kMostOperands];
    uint32_t single = 0;
    for (size_t k = 0; k < step.operands.size(); ++k) {
      const Place& from = place(step.operands[k]);
      operands[k] = from.data + begin * from.step;
      single |= static_cast<uint32_t>(from.single) << k;
    }
    step.loop(to.data + begin * to.step, operands, single, count);
  }

  // Uses a non-temporal store where possible, which does not read the memory first.
  void store(int32_t result, int64_t begin, int64_t count) const {
    const Place& from = place(result);
    const int64_t bytes = chain_.value(result).bytes;
    char* const to = from.stream + begin * bytes;
    if (reinterpret_cast<uintptr_t>(to) % 64 == 0) {
      element_loops().stream(to, from.data, count * bytes);
    } else {
      std::memcpy(to, from.data, static_cast<size_t>(count * bytes));
    }
  }

  // A call that runs between steps on registers.
  struct Call : TileCall {
    const Part* part;
    int64_t index;  // of a step or a result
  };

  void write_code() {
    const TileLoops& tiles = *run_.tiles_;
    std::vector<TileStep>& code = code_;
    code.reserve(2 * chain_.tile_code_.size() + 8);
    calls_.reserve(2 * chain_.tile_code_.size());
    std::vector<char> prefetched(places_.size(), !run_.from_far_);
    const auto call = [&](void (*run)(const TileCall&, int64_t, int64_t), int64_t index) {
      calls_.push_back({{run}, this, index});
      code.push_back({tiles.call, reinterpret_cast<char*>(&calls_.back()), 0});
    };
    const auto store_past_caches = [&](int32_t result) {
      call(
          [](const TileCall& c, int64_t at, int64_t count) {
            const auto& self = static_cast<const Call&>(c);
            self.part->store(static_cast<int32_t>(self.index), at, count);
          },
          result);
    };
    for (const TileAction& action : chain_.tile_code_) {
      for (const int32_t number : {action.value, action.other}) {
        if (number < 0 || number >= chain_.num_inputs_ || !place(number).step ||
            place(number).expanded || chain_.value(number).dtype != chain_.tile_type_ ||
            std::exchange(prefetched[static_cast<size_t>(number)], 1)) {
          continue;
        }
        code.push_back(step_of(tiles.prefetch, number));
        code.back().data += kPrefetchBytes;
      }
      if (action.kind == TileAction::kCall) {
        if (place(action.value).single) continue;
        call(
            [](const TileCall& c, int64_t at, int64_t count) {
              const auto& self = static_cast<const Call&>(c);
              self.part->compute_step(static_cast<int32_t>(self.index), at, count);
            },
            action.value - chain_.num_inputs_);
        if (place(action.value).stream) store_past_caches(action.value);
      } else if (action.kind == TileAction::kStore && place(action.value).stream &&
                 chain_.value(action.value).dtype != chain_.tile_type_) {
        // Stores a mask as bytes of bools, which overwrites the registers.
        code.push_back(step_of(action.code, action.value));
        store_past_caches(action.value);
        code.push_back(step_of(tiles.load_bool, action.value));
      } else if (action.kind == TileAction::kStore && place(action.value).stream) {
        code.push_back({tiles.stream, place(action.value).stream, -1});
        if (chain_.value(action.value).read) code.push_back(step_of(tiles.store, action.value));
      } else if (action.single_code && place(action.value).single) {
        code.push_back({action.single_code, place(action.value).data, 0});
      } else if (action.kind != TileAction::kStore || !place(action.value).single) {
        code.push_back(step_of(action.code, action.value));
        if (action.other >= 0) code.push_back(step_of(nullptr, action.other));
      }
    }
    code.push_back({tiles.end, nullptr, 0});
  }

  // A step that the caller adds to the code at once.
  TileStep step_of(TileCode code, int32_t value) {
    if (value < 0) return {code, nullptr, 0};
    if (value == chain_.results_[0]) result_code_.push_back(code_.size());
    const Place& from = place(value);
    if (from.expanded) expanded_code_.emplace_back(code_.size(), value);
    return {code, from.single ? from.filled : from.data, from.step ? -1 : 0};
  }

  const Run& run_;
  const Chain& chain_;
  InlineVector<Place, 16> places_;
  // Where expanded inputs have a repeated row in the scratch memory, or -1, and their blocks.
  InlineVector<int64_t, 4> rows_, blocks_;
  std::optional<ChainScratch> scratch_;
  std::vector<RowSource> row_sources_;
  bool copies_ = false;         // whether others have to be copied
  bool in_rows_ = false;        // whether sources are read in their own memory
  std::vector<TileStep> code_;  // steps on registers
  std::vector<Call> calls_;
  std::vector<size_t> result_code_;  // the steps that hold the address of the first result
  std::vector<std::pair<size_t, int32_t>> expanded_code_;  // those of expanded inputs
};

int64_t Chain::Run::grain(double nanoseconds) const {
  const double piece = kTaskNanoseconds + kStepNanoseconds * chain_.size();
  double cost = chain_.cost_ + nanoseconds;
  cost += kReadNanoseconds * static_cast<double>(expanded_.size());
  for (const Place& each : places_) cost += kByteNanoseconds * static_cast<double>(each.step);
  return std::min(static_cast<int64_t>(piece / cost), kLargestGrain);
}

void Chain::Run::execute() const {
  parallel_for(count_, grain(0), [&](int64_t begin, int64_t end) { Part(*this).run(begin, end); });
}

void Chain::run(const Shape& shape, std::span<Tensor> inputs, TensorList& results) const {
  const Run run(*this, shape, inputs, &results);
  if (shape.num_elements() > 0) run.execute();
}

Chain::Reader::Reader(const Chain& chain, const Shape& shape, std::span<Tensor> inputs)
    : run_(std::make_unique<Run>(chain, shape, inputs, nullptr)) {}
Chain::Reader::~Reader() = default;
int64_t Chain::Reader::grain(double nanoseconds) const { return run_->grain(nanoseconds); }

struct Chain::Reader::Part::State {
  Run::Part part;
};

Chain::Reader::Part::Part(const Reader& reader) : state_(new State{Run::Part(*reader.run_)}) {}
Chain::Reader::Part::~Part() = default;

void Chain::Reader::Part::read(int64_t begin, int64_t count, void* out) {
  state_->part.read(begin, count, static_cast<char*>(out));
}

}  // namespace ef::cpu
