// Extension: host memory allocator.
// Host memory that transfers like.

#ifndef PJRT_SYS_EXTENSIONS_HOST_MEMORY_ALLOCATOR_H_
#define PJRT_SYS_EXTENSIONS_HOST_MEMORY_ALLOCATOR_H_

#include "../core/base.h"

#define PJRT_API_HOST_MEMORY_ALLOCATOR_EXTENSION_VERSION 0

/// Arguments of PJRT_HostMemoryAllocator_Allocate.
typedef struct PJRT_HostMemoryAllocator_Allocate_Args {
  size_t struct_size;  ///< in, since 0.103
  PJRT_Extension_Base* extension_start;  ///< in, since 0.103
  PJRT_Client* client;  ///< in, since 0.103
  size_t size;  ///< in, since 0.103
  int numa_node;  ///< in, since 0.103
  uint8_t* ptr;  ///< out, since 0.103
  void (*deleter)(void*, void*);  ///< out, since 0.103
  void* deleter_arg;  ///< out, since 0.103
} PJRT_HostMemoryAllocator_Allocate_Args;
PJRT_LAYOUT(PJRT_HostMemoryAllocator_Allocate_Args, deleter_arg, 103:64)

/// Allocates host memory near a NUMA node; freed with the returned deleter and its argument.
/// Since 0.103.
typedef PJRT_Error* (*PJRT_HostMemoryAllocator_Allocate)(
    PJRT_HostMemoryAllocator_Allocate_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_HostMemoryAllocator_Extension {
  PJRT_Extension_Base base;  ///< since 0.103
  PJRT_HostMemoryAllocator_Allocate allocate;  ///< since 0.103
} PJRT_HostMemoryAllocator_Extension;
PJRT_LAYOUT(PJRT_HostMemoryAllocator_Extension, allocate, 103:32)

PJRT_EXTENSION(PJRT_HostMemoryAllocator_Extension, PJRT_Extension_Type_HostMemoryAllocator, PJRT_API_HOST_MEMORY_ALLOCATOR_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_HOST_MEMORY_ALLOCATOR_H_
