// Extension: memory descriptions.
// Memory kinds of described devices, without a client.

#ifndef PJRT_SYS_EXTENSIONS_MEMORY_DESCRIPTIONS_H_
#define PJRT_SYS_EXTENSIONS_MEMORY_DESCRIPTIONS_H_

#include "../core/base.h"

#define PJRT_API_MEMORY_DESCRIPTIONS_EXTENSION_VERSION 1

// Opaque handles.
typedef struct PJRT_MemoryDescription PJRT_MemoryDescription;

/// Arguments of PJRT_DeviceDescription_MemoryDescriptions.
typedef struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  size_t struct_size;  ///< in, since 0.59
  PJRT_Extension_Base* extension_start;  ///< in, since 0.59
  PJRT_DeviceDescription* device_description;  ///< in, since 0.59
  const PJRT_MemoryDescription *const* memory_descriptions;  ///< out, since 0.59
  size_t num_memory_descriptions;  ///< out, since 0.59
  size_t default_memory_index;  ///< out, since 0.61
} PJRT_DeviceDescription_MemoryDescriptions_Args;
PJRT_LAYOUT(PJRT_DeviceDescription_MemoryDescriptions_Args, default_memory_index, 59:40, 61:48)

/// Memory kinds that a described device has, and which is the default; an index of all ones
/// means none. Since 0.59.
typedef PJRT_Error* PJRT_DeviceDescription_MemoryDescriptions(
    PJRT_DeviceDescription_MemoryDescriptions_Args* args);

/// Arguments of PJRT_MemoryDescription_Kind.
typedef struct PJRT_MemoryDescription_Kind_Args {
  size_t struct_size;  ///< in, since 0.59
  PJRT_Extension_Base* extension_start;  ///< in, since 0.59
  const PJRT_MemoryDescription* memory_description;  ///< in, since 0.59
  const char* kind;  ///< out, since 0.59
  size_t kind_size;  ///< out, since 0.59
  int kind_id;  ///< out, since 0.59
} PJRT_MemoryDescription_Kind_Args;
PJRT_LAYOUT(PJRT_MemoryDescription_Kind_Args, kind_id, 59:44)

/// Name and non-zero id of a memory kind. Since 0.59.
typedef PJRT_Error* PJRT_MemoryDescription_Kind(PJRT_MemoryDescription_Kind_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;  ///< since 0.68
  /// since 0.68
  PJRT_DeviceDescription_MemoryDescriptions* PJRT_DeviceDescription_MemoryDescriptions;
  PJRT_MemoryDescription_Kind* PJRT_MemoryDescription_Kind;  ///< since 0.68
} PJRT_MemoryDescriptions_Extension;
PJRT_LAYOUT(PJRT_MemoryDescriptions_Extension, PJRT_MemoryDescription_Kind, 68:40)

PJRT_EXTENSION(PJRT_MemoryDescriptions_Extension, PJRT_Extension_Type_MemoryDescriptions, PJRT_API_MEMORY_DESCRIPTIONS_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_MEMORY_DESCRIPTIONS_H_
