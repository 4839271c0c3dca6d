// Reading and writing in pieces that fit a cache, by several threads.
#include "files/checked_io.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <vector>

#include "checksum/crc32c.h"
#include "device/parallel.h"
#include "platform/files.h"

namespace ef {
namespace {

// A piece stays in the second-level cache between its copy and its checksum.
constexpr size_t kPiece = size_t{256} << 10;
// The bytes that one thread processes at a time: enough for read-ahead.
constexpr size_t kStretch = size_t{2} << 20;

// The checksum of each stretch of `bytes` bytes.
class Sums {
 public:
  explicit Sums(size_t bytes) : bytes_(bytes), sums_((bytes + kStretch - 1) / kStretch) {}

  int64_t stretches() const { return static_cast<int64_t>(sums_.size()); }

  // Calls piece(at, size, sum) for all pieces of a stretch that no thread has taken yet. Gives
  // false when there is none left.
  template <class Piece>
  bool take(const Piece& piece) {
    const size_t stretch = next_.fetch_add(1);
    if (stretch >= sums_.size()) return false;
    const size_t end = std::min(bytes_, (stretch + 1) * kStretch);
    uint32_t sum = 0;
    for (size_t at = stretch * kStretch; at < end; at += kPiece) {
      if (!piece(at, std::min(kPiece, end - at), sum)) return false;
    }
    sums_[stretch] = sum;
    return true;
  }

  // Stores the first error of a system call.
  void refuse(int error) {
    int none = 0;
    refused_.compare_exchange_strong(none, error);
  }
  bool refused() const { return refused_.load() != 0; }

  // The checksum of everything.
  uint32_t total() const {
    if (const int error = refused_.load()) throw std::system_error(error, std::generic_category());
    uint32_t sum = 0;
    for (size_t stretch = 0; stretch < sums_.size(); ++stretch) {
      sum = crc32c_combine(sum, sums_[stretch], std::min(bytes_ - stretch * kStretch, kStretch));
    }
    return sum;
  }

 private:
  const size_t bytes_;
  std::vector<uint32_t> sums_;
  std::atomic<size_t> next_{0};
  std::atomic<int> refused_{0};
};

// Repeats a system call that transfers fewer bytes than requested; returns 0 or an errno.
template <class Call>
int move_all(size_t size, const Call& call) {
  for (size_t done = 0; done < size;) {
    const int64_t moved = call(done, size - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return errno;
    if (moved == 0) return EIO;
    done += static_cast<size_t>(moved);
  }
  return 0;
}

}  // namespace

uint32_t write_checked(int file, int64_t offset, const void* data, size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  const auto write = [&](size_t at, size_t size) {
    return move_all(size, [&](size_t done, size_t left) {
      return platform::write_at(file, from + at + done, left,
                                offset + static_cast<int64_t>(at + done));
    });
  };
  Sums sums(bytes);
  // Detects a full disk before writing, and reserves all pages at once.
  if (bytes > kStretch) {
    if (const int error = platform::reserve_space(file, offset, bytes)) {
      throw std::system_error(error, std::generic_category());
    }
  }
  // The system lets one thread at a time write to a file: others compute checksums meanwhile.
  std::atomic<bool> writing{false};
  parallel_for(sums.stretches(), 1, [&](int64_t begin, int64_t end) {
    const bool alone = begin == 0 && end == sums.stretches();
    const bool writer = !alone && !writing.exchange(true);
    for (size_t at = 0; writer && at < bytes; at += kPiece) {
      if (const int error = write(at, std::min(kPiece, bytes - at))) {
        return sums.refuse(error);
      }
    }
    while (sums.take([&](size_t at, size_t size, uint32_t& sum) {
      sum = crc32c(sum, from + at, size);
      if (!alone) return !sums.refused();
      const int error = write(at, size);
      if (error) sums.refuse(error);
      return error == 0;
    })) {
    }
  });
  return sums.total();
}

uint32_t read_checked(int file, int64_t offset, void* data, size_t bytes) {
  auto* to = static_cast<std::byte*>(data);
  Sums sums(bytes);
  parallel_for(sums.stretches(), 1, [&](int64_t, int64_t) {
    while (!sums.refused() && sums.take([&](size_t at, size_t size, uint32_t& sum) {
      const int error = move_all(size, [&](size_t done, size_t left) {
        return platform::read_at(file, to + at + done, left,
                                 offset + static_cast<int64_t>(at + done));
      });
      if (error) sums.refuse(error);
      sum = crc32c(sum, to + at, size);
      return error == 0;
    })) {
    }
  });
  return sums.total();
}

}  // namespace ef
