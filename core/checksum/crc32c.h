// CRC-32C (Castagnoli), the checksum of record files and checkpoints.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ef {

// Continues the checksum `crc` with more bytes; `crc` is 0 at the beginning.
uint32_t crc32c(uint32_t crc, const void* data, size_t size);

// The checksum of two concatenated pieces, from the checksum of each; the second has `size` bytes.
uint32_t crc32c_combine(uint32_t first, uint32_t second, size_t size);

namespace detail {
// The same on processors without the instruction.
uint32_t crc32c_portable(uint32_t crc, const void* data, size_t size);
}  // namespace detail

}  // namespace ef
