// Memory of the operating system.
#pragma once

#include <cstddef>

namespace ef::platform {

// The machine's memory in bytes; the largest size if the system does not say.
size_t physical_memory();

// Reserves addresses, which may not be accessed yet; nullptr if the system refuses.
void* reserve(size_t bytes);

// Makes whole pages of reserved addresses accessible, as huge pages where that is possible; false
// if the system refuses.
bool commit(void* address, size_t bytes);

// Returns the memory of accessible pages to the system. They stay accessible; their content is
// lost.
void discard(void* address, size_t bytes);

// Memory at a multiple of a power of two, of which `bytes` is a multiple; nullptr if there is none.
void* allocate_aligned(size_t alignment, size_t bytes);
void free_aligned(void* address);

}  // namespace ef::platform
