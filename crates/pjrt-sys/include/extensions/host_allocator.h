// Extension: host allocator (retired).
// Deleted upstream while the core was at 0.113; the type number stays reserved. Older plugins
// publish it.

#ifndef PJRT_SYS_EXTENSIONS_HOST_ALLOCATOR_H_
#define PJRT_SYS_EXTENSIONS_HOST_ALLOCATOR_H_

#include "../core/base.h"

#define PJRT_API_HOST_ALLOCATOR_EXTENSION_VERSION 0

/// Arguments of PJRT_HostAllocator_GetPreferredAlignment.
typedef struct PJRT_HostAllocator_GetPreferredAlignment_Args {
  size_t struct_size;  ///< since 0.80
  PJRT_Extension_Base* extension_start;  ///< since 0.80
  PJRT_Client* client;  ///< since 0.80
  size_t preferred_alignment;  ///< since 0.80
} PJRT_HostAllocator_GetPreferredAlignment_Args;
PJRT_LAYOUT(PJRT_HostAllocator_GetPreferredAlignment_Args, preferred_alignment, 80:32)

/// Alignment that transfers like best, in bytes. Since 0.80.
typedef PJRT_Error* (*PJRT_HostAllocator_GetPreferredAlignment)(
    PJRT_HostAllocator_GetPreferredAlignment_Args* args);

/// Arguments of PJRT_HostAllocator_Allocate.
typedef struct PJRT_HostAllocator_Allocate_Args {
  size_t struct_size;  ///< since 0.80
  PJRT_Extension_Base* extension_start;  ///< since 0.80
  PJRT_Client* client;  ///< since 0.80
  size_t size;  ///< since 0.80
  size_t alignment;  ///< since 0.80
  void* ptr;  ///< since 0.80
} PJRT_HostAllocator_Allocate_Args;
PJRT_LAYOUT(PJRT_HostAllocator_Allocate_Args, ptr, 80:48)

/// Allocates host memory. Since 0.80.
typedef PJRT_Error* (*PJRT_HostAllocator_Allocate)(PJRT_HostAllocator_Allocate_Args* args);

/// Arguments of PJRT_HostAllocator_Free.
typedef struct PJRT_HostAllocator_Free_Args {
  size_t struct_size;  ///< since 0.80
  PJRT_Extension_Base* extension_start;  ///< since 0.80
  PJRT_Client* client;  ///< since 0.80
  void* ptr;  ///< since 0.80
} PJRT_HostAllocator_Free_Args;
PJRT_LAYOUT(PJRT_HostAllocator_Free_Args, ptr, 80:32)

/// Frees host memory of PJRT_HostAllocator_Allocate. Since 0.80.
typedef PJRT_Error* (*PJRT_HostAllocator_Free)(PJRT_HostAllocator_Free_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_HostAllocator_Extension {
  PJRT_Extension_Base base;  ///< since 0.80
  PJRT_HostAllocator_GetPreferredAlignment get_preferred_alignment;  ///< since 0.80
  PJRT_HostAllocator_Allocate allocate;  ///< since 0.80
  PJRT_HostAllocator_Free free;  ///< since 0.80
} PJRT_HostAllocator_Extension;
PJRT_LAYOUT(PJRT_HostAllocator_Extension, free, 80:48)

PJRT_EXTENSION(PJRT_HostAllocator_Extension, PJRT_Extension_Type_HostAllocator, PJRT_API_HOST_ALLOCATOR_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_HOST_ALLOCATOR_H_
