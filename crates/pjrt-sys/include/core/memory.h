// Memories.
// Memory spaces of a client.

#ifndef PJRT_SYS_CORE_MEMORY_H_
#define PJRT_SYS_CORE_MEMORY_H_

#include "base.h"

typedef struct PJRT_Memory PJRT_Memory;

/// User data attached to a memory: a map from opaque keys to opaque data. Setting replaces and
/// destroys the old data; null data removes; what is left is destroyed with the memory.
typedef struct PJRT_Memory_FunctionTable {
  size_t struct_size;  ///< since 0.105
  PJRT_Extension_Base* extension_start;  ///< since 0.105
  size_t instance_struct_size;  ///< since 0.105
  void*(*get_user_data)(PJRT_Memory*, const void*);  ///< since 0.105
  void (*set_user_data)(PJRT_Memory*, const void*, void*, void (*)(void*));  ///< since 0.105
} PJRT_Memory_FunctionTable;
PJRT_LAYOUT(PJRT_Memory_FunctionTable, set_user_data, 105:40)

/// A memory begins with a pointer to its function table; the rest is private to the plugin.
struct PJRT_Memory {
  const PJRT_Memory_FunctionTable* vtable;  ///< since 0.105
};
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_Memory, vtable, 105:8)

/// Arguments of PJRT_Memory_Id.
typedef struct PJRT_Memory_Id_Args {
  size_t struct_size;  ///< in, since 0.16
  PJRT_Extension_Base* extension_start;  ///< in, since 0.16
  PJRT_Memory* memory;  ///< in, since 0.16
  int id;  ///< out, since 0.16
} PJRT_Memory_Id_Args;
PJRT_LAYOUT(PJRT_Memory_Id_Args, id, 16:28)

/// Id of a memory. Since 0.16.
typedef PJRT_Error* PJRT_Memory_Id(PJRT_Memory_Id_Args* args);

/// Arguments of PJRT_Memory_Kind.
typedef struct PJRT_Memory_Kind_Args {
  size_t struct_size;  ///< in, since 0.14
  PJRT_Extension_Base* extension_start;  ///< in, since 0.14
  PJRT_Memory* memory;  ///< in, since 0.14
  const char* kind;  ///< out, since 0.14
  size_t kind_size;  ///< out, since 0.14
} PJRT_Memory_Kind_Args;
PJRT_LAYOUT(PJRT_Memory_Kind_Args, kind_size, 14:40)

/// Name of the kind, such as device or pinned_host; callers treat failure as fatal. Since 0.14.
typedef PJRT_Error* PJRT_Memory_Kind(PJRT_Memory_Kind_Args* args);

/// Arguments of PJRT_Memory_Kind_Id.
typedef struct PJRT_Memory_Kind_Id_Args {
  size_t struct_size;  ///< in, since 0.48
  PJRT_Extension_Base* extension_start;  ///< in, since 0.48
  PJRT_Memory* memory;  ///< in, since 0.48
  int kind_id;  ///< out, since 0.48
} PJRT_Memory_Kind_Id_Args;
PJRT_LAYOUT(PJRT_Memory_Kind_Id_Args, kind_id, 48:28)

/// Small number that identifies the kind across the devices of the client. Since 0.48.
typedef PJRT_Error* PJRT_Memory_Kind_Id(PJRT_Memory_Kind_Id_Args* args);

/// Arguments of PJRT_Memory_DebugString.
typedef struct PJRT_Memory_DebugString_Args {
  size_t struct_size;  ///< in, since 0.15
  PJRT_Extension_Base* extension_start;  ///< in, since 0.15
  PJRT_Memory* memory;  ///< in, since 0.15
  const char* debug_string;  ///< out, since 0.15
  size_t debug_string_size;  ///< out, since 0.15
} PJRT_Memory_DebugString_Args;
PJRT_LAYOUT(PJRT_Memory_DebugString_Args, debug_string_size, 15:40)

/// Verbose text for logs. Since 0.15.
typedef PJRT_Error* PJRT_Memory_DebugString(PJRT_Memory_DebugString_Args* args);

/// Arguments of PJRT_Memory_ToString.
typedef struct PJRT_Memory_ToString_Args {
  size_t struct_size;  ///< in, since 0.15
  PJRT_Extension_Base* extension_start;  ///< in, since 0.15
  PJRT_Memory* memory;  ///< in, since 0.15
  const char* to_string;  ///< out, since 0.15
  size_t to_string_size;  ///< out, since 0.15
} PJRT_Memory_ToString_Args;
PJRT_LAYOUT(PJRT_Memory_ToString_Args, to_string_size, 15:40)

/// Short text that users see. Since 0.15.
typedef PJRT_Error* PJRT_Memory_ToString(PJRT_Memory_ToString_Args* args);

/// Arguments of PJRT_Memory_AddressableByDevices.
typedef struct PJRT_Memory_AddressableByDevices_Args {
  size_t struct_size;  ///< in, since 0.20
  PJRT_Extension_Base* extension_start;  ///< in, since 0.20
  PJRT_Memory* memory;  ///< in, since 0.20
  PJRT_Device *const* devices;  ///< out, since 0.20
  size_t num_devices;  ///< out, since 0.20
} PJRT_Memory_AddressableByDevices_Args;
PJRT_LAYOUT(PJRT_Memory_AddressableByDevices_Args, num_devices, 20:40)

/// Devices that can use the memory; callers treat failure as fatal. Since 0.20.
typedef PJRT_Error* PJRT_Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args* args);

#endif  // PJRT_SYS_CORE_MEMORY_H_
