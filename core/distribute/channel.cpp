#include "distribute/channel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstring>
#include <utility>

#include "ops/compose.h"
#include "tensor/error.h"

namespace ef::distribute {
namespace {

constexpr size_t kLedger = 4096;
// Tensors below this size travel together.
constexpr int64_t kPackedBytes = 1 << 18;
constexpr int64_t kAlignment = 64;
// The most elements of one call of MPI, whose counts are ints.
constexpr int64_t kMaxCount = int64_t{1} << 30;

int64_t now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// FNV-1a over 64-bit words, with the upper bits mixed in.
uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x100000001b3u;
  return hash ^ (hash >> 29);
}

struct Leaving {
  Channel& channel;
  ~Leaving() { channel.leave(); }
};

bool is_short(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBfloat16; }

int64_t padded(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Channel::Channel(Functions functions, Names names, intptr_t comm, int size)
    : functions_(functions), names_(std::move(names)), comm_(comm), size_(size), ledger_(kLedger) {}

Channel::~Channel() { close(); }

uint64_t Channel::signature_of(std::span<const Tensor> tensors, const std::string& operation) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char letter : operation) hash = mixed(hash, static_cast<unsigned char>(letter));
  for (const Tensor& tensor : tensors) {
    hash = mixed(hash, static_cast<uint64_t>(tensor.dtype()));
    hash = mixed(hash, static_cast<uint64_t>(tensor.rank()));
    for (int k = 0; k < tensor.rank(); ++k)
      hash = mixed(hash, static_cast<uint64_t>(tensor.dim(k)));
  }
  return hash;
}

void Channel::enter(uint64_t signature, uint64_t bytes) {
  const std::lock_guard lock(ledger_mutex_);
  const uint64_t history = mixed(ledger_[last_ % kLedger].history, signature);
  ++last_;
  ledger_[last_ % kLedger] = {
      .number = last_, .history = history, .signature = signature, .bytes = bytes, .begin = now()};
}

void Channel::leave() {
  const std::lock_guard lock(ledger_mutex_);
  ledger_[last_ % kLedger].end = now();
}

Entry Channel::last() const {
  const std::lock_guard lock(ledger_mutex_);
  return ledger_[last_ % kLedger];
}

bool Channel::find(uint64_t number, Entry& entry) const {
  const std::lock_guard lock(ledger_mutex_);
  entry = ledger_[number % kLedger];
  return number && entry.number == number;
}

void Channel::check(int code) const {
  if (!code) return;
  char text[4096] = "";  // more than any library's MPI_MAX_ERROR_STRING
  int length = 0;
  functions_.error_string(code, text, &length);
  fail(Code::kInternal, "MPI could not join the processes' values: ", text);
}

// Sums of 16-bit floats, which MPI does not know: each process adds up one part of all processes'
// values, in float and in their order, and the parts are gathered.
Tensor Channel::sum_short(const Tensor& tensor) {
  const int64_t part = (tensor.size() + size_ - 1) / size_;
  const bool even = part * size_ == tensor.size();
  Tensor sent = tensor;
  if (!even) {
    sent = Tensor::empty(tensor.dtype(), {part * size_});
    std::memcpy(sent.mutable_raw_data(), tensor.raw_data(), static_cast<size_t>(tensor.bytes()));
    std::memset(static_cast<char*>(sent.mutable_raw_data()) + tensor.bytes(), 0,
                static_cast<size_t>(sent.bytes() - tensor.bytes()));
  }
  if (part * 2 > INT_MAX) fail(Code::kResourceExhausted, "A tensor of 16-bit floats is too large.");
  const int bytes = static_cast<int>(part * 2);
  const Tensor parts = Tensor::empty(tensor.dtype(), {size_, part});
  check(functions_.all_to_all(sent.raw_data(), bytes, names_.byte, parts.mutable_raw_data(), bytes,
                              names_.byte, comm_));
  Tensor sum = cast_to(parts.view_at(0, {part}), DType::kFloat32);
  for (int k = 1; k < size_; ++k) {
    sum = sum + cast_to(parts.view_at(k * part, {part}), DType::kFloat32);
  }
  sum = cast_to(sum, tensor.dtype());
  const Tensor all = Tensor::empty(tensor.dtype(), {part * size_});
  check(functions_.all_gather(sum.raw_data(), bytes, names_.byte, all.mutable_raw_data(), bytes,
                              names_.byte, comm_));
  return all.view_at(0, tensor.shape());
}

Tensor Channel::reduce_one(const Tensor& tensor, intptr_t operation) {
  if (tensor.size() == 0) return tensor;
  if (is_short(tensor.dtype())) return sum_short(tensor);
  const auto type = names_.types.find(tensor.dtype());
  if (type == names_.types.end()) {
    fail(Code::kTypeError, "Values of type ", dtype_name(tensor.dtype()),
         " cannot be reduced over processes.");
  }
  Tensor result = Tensor::empty(tensor.dtype(), tensor.shape());
  const auto size = static_cast<int64_t>(element_size(tensor.dtype()));
  const char* const from = static_cast<const char*>(tensor.raw_data());
  char* const to = static_cast<char*>(result.mutable_raw_data());
  for (int64_t start = 0; start < tensor.size(); start += kMaxCount) {
    const auto count = static_cast<int>(std::min(kMaxCount, tensor.size() - start));
    check(functions_.all_reduce(from + start * size, to + start * size, count, type->second,
                                operation, comm_));
  }
  return result;
}

TensorList Channel::reduce(std::span<const Tensor> tensors, const std::string& operation,
                           uint64_t signature) {
  const auto code = names_.operations.find(operation);
  if (code == names_.operations.end()) {
    fail(Code::kValueError, "There is no reduction called ", operation, ".");
  }
  for (const Tensor& tensor : tensors) tensor.impl()->settle();
  uint64_t bytes = 0;
  for (const Tensor& tensor : tensors) bytes += static_cast<uint64_t>(tensor.bytes());
  enter(signature, bytes);
  const Leaving leaving{*this};
  TensorList results;
  results.resize(tensors.size());
  // Small tensors of one dtype lie side by side in one.
  std::map<DType, std::vector<size_t>> small;
  for (size_t k = 0; k < tensors.size(); ++k) {
    if (tensors.size() > 1 && tensors[k].bytes() < kPackedBytes) {
      small[tensors[k].dtype()].push_back(k);
    } else {
      results[k] = reduce_one(tensors[k], code->second);
    }
  }
  for (const auto& [dtype, places] : small) {
    const auto size = static_cast<int64_t>(element_size(dtype));
    int64_t total = 0;
    for (const size_t k : places) total += padded(tensors[k].bytes());
    const Tensor pack = Tensor::empty(dtype, {total / size});
    char* to = static_cast<char*>(pack.mutable_raw_data());
    for (const size_t k : places) {
      const int64_t bytes = tensors[k].bytes();
      std::memcpy(to, tensors[k].raw_data(), static_cast<size_t>(bytes));
      std::memset(to + bytes, 0, static_cast<size_t>(padded(bytes) - bytes));
      to += padded(bytes);
    }
    const Tensor sum = reduce_one(pack, code->second);
    int64_t start = 0;
    for (const size_t k : places) {
      results[k] = sum.view_at(start / size, tensors[k].shape());
      start += padded(tensors[k].bytes());
    }
  }
  return results;
}

Tensor Channel::gather_one(const Tensor& tensor, std::span<const int64_t> rows) {
  Shape shape = tensor.shape();
  shape[0] = 0;
  for (const int64_t count : rows) shape[0] += count;
  Tensor all = Tensor::empty(tensor.dtype(), shape);
  int64_t row = static_cast<int64_t>(element_size(tensor.dtype()));
  for (int k = 1; k < tensor.rank(); ++k) row *= tensor.dim(k);
  if (all.bytes() > INT_MAX) {
    fail(Code::kResourceExhausted, "The rows of all processes have ", all.bytes(),
         " bytes; 2 GiB can be gathered at once.");
  }
  std::vector<int> counts;
  std::vector<int> starts;
  int start = 0;
  for (const int64_t count : rows) {
    counts.push_back(static_cast<int>(count * row));
    starts.push_back(start);
    start += counts.back();
  }
  check(functions_.all_gather_v(tensor.raw_data(), static_cast<int>(tensor.bytes()), names_.byte,
                                all.mutable_raw_data(), counts.data(), starts.data(), names_.byte,
                                comm_));
  return all;
}

uint64_t Channel::signature_of_rows(std::span<const Tensor> tensors) {
  uint64_t hash = 0x9ae16a3b2f90404fu;
  for (const Tensor& tensor : tensors) {
    if (tensor.rank() == 0) fail(Code::kValueError, "A scalar has no rows.");
    hash = mixed(mixed(hash, static_cast<uint64_t>(tensor.dtype())),
                 static_cast<uint64_t>(tensor.rank()));
    for (int k = 1; k < tensor.rank(); ++k)
      hash = mixed(hash, static_cast<uint64_t>(tensor.dim(k)));
  }
  return hash;
}

TensorList Channel::gather(std::span<const Tensor> tensors, uint64_t signature) {
  // How many rows each tensor has.
  std::vector<int64_t> own;
  uint64_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    tensor.impl()->settle();
    own.push_back(tensor.dim(0));
    bytes += static_cast<uint64_t>(tensor.bytes());
  }
  enter(signature, bytes);
  const Leaving leaving{*this};
  const size_t width = own.size();
  std::vector<int64_t> all(width * static_cast<size_t>(size_));
  const int sent = static_cast<int>(width * sizeof(int64_t));
  check(functions_.all_gather(own.data(), sent, names_.byte, all.data(), sent, names_.byte, comm_));
  TensorList results;
  for (size_t t = 0; t < tensors.size(); ++t) {
    std::vector<int64_t> rows;
    for (size_t k = 0; k < all.size(); k += width) rows.push_back(all[k + t]);
    results.push_back(gather_one(tensors[t], rows));
  }
  return results;
}

// Waits until all processes are here. MPI would watch for them without a pause, and take the
// processor from the backward pass; so this looks now and then, unless the program waits, too.
void Channel::await_others() {
  intptr_t request = 0;
  check(functions_.begin_barrier(comm_, &request));
  for (int done = 0;;) {
    std::array<int64_t, 32> status;  // more than any library's
    check(functions_.test(&request, &done, status.data()));
    if (done) return;
    if (waiters_) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
}

uint64_t Channel::start(TensorList tensors, uint64_t signature) {
  for (const Tensor& tensor : tensors) tensor.impl()->settle();
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  waiting_.push_back({++tickets_, signature, std::move(tensors)});
  changed_.notify_all();
  return tickets_;
}

TensorList Channel::wait(uint64_t ticket) {
  std::unique_lock lock(mutex_);
  if (ticket == 0 || ticket > tickets_)
    fail(Code::kValueError, "Nothing was started under ", ticket);
  ++waiters_;
  changed_.wait(lock, [&] { return finished_.contains(ticket); });
  --waiters_;
  Finished done = std::move(finished_.at(ticket));
  finished_.erase(ticket);
  lock.unlock();
  if (done.error) std::rethrow_exception(done.error);
  return std::move(done.tensors);
}

void Channel::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Started next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Finished done;
    try {
      await_others();
      done.tensors = reduce(next.tensors, "SUM", next.signature);
    } catch (...) {
      done.error = std::current_exception();
    }
    next.tensors = {};
    lock.lock();
    finished_[next.ticket] = std::move(done);
    changed_.notify_all();
  }
}

void Channel::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace ef::distribute
