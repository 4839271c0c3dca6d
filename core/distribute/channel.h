// Sums over the processes of a program, by functions of an MPI library that Python has loaded.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "tensor/tensor.h"
#include "tensor/tensor_list.h"

namespace ef::distribute {

// Functions of MPI. Handles are numbers or pointers, according to the library: what passes them in
// registers or slots of 8 bytes need not know.
struct Functions {
  int (*all_reduce)(const void*, void*, int, intptr_t, intptr_t, intptr_t);
  int (*all_to_all)(const void*, int, intptr_t, void*, int, intptr_t, intptr_t);
  int (*all_gather)(const void*, int, intptr_t, void*, int, intptr_t, intptr_t);
  int (*all_gather_v)(const void*, int, intptr_t, void*, const int*, const int*, intptr_t,
                      intptr_t);
  int (*begin_barrier)(intptr_t, intptr_t*);
  int (*test)(intptr_t*, int*, void*);
  int (*error_string)(int, char*, int*);
};

// What a library calls its types and operations.
struct Names {
  intptr_t byte = 0;
  std::map<DType, intptr_t> types;
  std::map<std::string, intptr_t> operations;
};

// A collective that was entered: how many there were, what they were, and this one. Processes that
// call the same ones have the same `history` at the same `number`.
struct Entry {
  uint64_t number = 0;
  uint64_t history = 0;
  uint64_t signature = 0;
  uint64_t bytes = 0;
  int64_t begin = 0;  // nanoseconds of the steady clock
  int64_t end = 0;    // 0 while it lasts
};

// The reductions of one MPI communicator, in one order: those of the calling thread, or those that
// a thread of its own makes one after the other. That thread knows nothing of Python.
class Channel {
 public:
  Channel(Functions functions, Names names, intptr_t comm, int size);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // What tensors and an operation look like; the same on all processes that agree.
  static uint64_t signature_of(std::span<const Tensor> tensors, const std::string& operation);
  // Whether the processes have compared a signature.
  bool agreed(uint64_t signature) const { return agreed_.contains(signature); }
  void agree(uint64_t signature) { agreed_.insert(signature); }

  // The tensors reduced over all processes. Blocks.
  TensorList reduce(std::span<const Tensor> tensors, const std::string& operation,
                    uint64_t signature);
  // The same for `gather`: of what all processes' tensors have in common.
  static uint64_t signature_of_rows(std::span<const Tensor> tensors);
  // Tensors with the rows of all processes, in the order of these. Blocks.
  TensorList gather(std::span<const Tensor> tensors, uint64_t signature);
  // Begins to add up tensors; returns what `wait` takes.
  uint64_t start(TensorList tensors, uint64_t signature);
  // The sums. Blocks.
  TensorList wait(uint64_t ticket);
  // Ends the thread, after what was started.
  void close();

  // Notes that this process enters a collective, and that it has left it.
  void enter(uint64_t signature, uint64_t bytes);
  void leave();
  // The last collective; its number is 0 if there was none.
  Entry last() const;
  // The collective of a number, if it is one of the last ones.
  bool find(uint64_t number, Entry& entry) const;

 private:
  struct Started {
    uint64_t ticket;
    uint64_t signature;
    TensorList tensors;
  };
  struct Finished {
    TensorList tensors;
    std::exception_ptr error;
  };

  Tensor reduce_one(const Tensor& tensor, intptr_t operation);
  Tensor sum_short(const Tensor& tensor);
  Tensor gather_one(const Tensor& tensor, std::span<const int64_t> rows);
  void await_others();
  void check(int code) const;
  void serve();

  const Functions functions_;
  const Names names_;
  const intptr_t comm_;
  const int size_;
  std::unordered_set<uint64_t> agreed_;

  mutable std::mutex ledger_mutex_;
  std::vector<Entry> ledger_;  // a ring of the last entries
  uint64_t last_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Started> waiting_;
  std::map<uint64_t, Finished> finished_;
  uint64_t tickets_ = 0;
  std::atomic<int> waiters_{0};
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace ef::distribute
