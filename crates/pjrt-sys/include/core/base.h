// Base types.
// Version numbers, sizes, extension chains and named values.

#ifndef PJRT_SYS_CORE_BASE_H_
#define PJRT_SYS_CORE_BASE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR 114

/// Length of a struct up to and including its last field, without tail padding. This, and not
/// sizeof, is what callers store in struct_size.
#define PJRT_LENGTH_TO(S, last) (offsetof(S, last) + sizeof(((S*)0)->last))

// Every struct is followed by one of the next four. PJRT_LAYOUT defines its STRUCT_SIZE and records
// the released sizes as MINOR:SIZE, each from that minor number on. A third number, MINOR:SIZE/LENGTH,
// means that the headers of that time declared SIZE although the struct had LENGTH bytes. For
// extensions, whose headers change without a new minor number, the minor is that of the core when
// the field appeared (68 where the present form of the header is the first one known).
#define PJRT_LAYOUT(S, last, ...) enum { S##_STRUCT_SIZE = PJRT_LENGTH_TO(S, last) };
// The same for a struct whose struct_size real callers leave uninitialised: never to be checked.
#define PJRT_LAYOUT_SIZE_UNSET(S, last, ...) PJRT_LAYOUT(S, last, __VA_ARGS__)
// The same for a struct that has no struct_size although it has a STRUCT_SIZE.
#define PJRT_LAYOUT_NO_SIZE_FIELD(S, last, ...) PJRT_LAYOUT(S, last, __VA_ARGS__)
// A plain record without STRUCT_SIZE.
#define PJRT_NO_LAYOUT(S)

/// Ties the node of an extension to its type and version.
#define PJRT_EXTENSION(S, type, version)

/// A slot of the function table, and the minor number that brought it.
#define PJRT_SLOT(function, since) function* function

// Opaque handles.
typedef struct PJRT_Event PJRT_Event;
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_Device PJRT_Device;
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;
typedef struct PJRT_Executable PJRT_Executable;
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_FulfillAliasBufferCallback PJRT_FulfillAliasBufferCallback;
typedef struct PJRT_AsyncHostToDeviceTransferManager PJRT_AsyncHostToDeviceTransferManager;
typedef struct PJRT_PhaseCompiler PJRT_PhaseCompiler;
typedef struct PJRT_Device_Attributes PJRT_Device_Attributes;
typedef struct PJRT_AsyncTrackingEvent PJRT_AsyncTrackingEvent;
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;
typedef struct PJRT_DeviceAssignmentSerialized PJRT_DeviceAssignmentSerialized;
typedef struct PJRT_CopyToDeviceStream PJRT_CopyToDeviceStream;
typedef struct PJRT_MultiSlice_Config PJRT_MultiSlice_Config;
typedef struct PJRT_SerializedExecutable PJRT_SerializedExecutable;
typedef struct PJRT_SerializedCompileOptions PJRT_SerializedCompileOptions;
typedef struct PJRT_SerializedTopology PJRT_SerializedTopology;

typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Memory PJRT_Memory;

/// Type of an extension node. Upstream never reuses a number.
typedef enum PJRT_Extension_Type {
  PJRT_Extension_Type_Gpu_Custom_Call = 0,  ///< since 0.41
  PJRT_Extension_Type_Profiler = 1,  ///< since 0.41
  PJRT_Extension_Type_Custom_Partitioner = 2,  ///< since 0.47
  PJRT_Extension_Type_Stream = 3,  ///< since 0.49
  PJRT_Extension_Type_Layouts = 4,  ///< since 0.51
  PJRT_Extension_Type_FFI = 5,  ///< since 0.53
  PJRT_Extension_Type_MemoryDescriptions = 6,  ///< since 0.59
  PJRT_Extension_Type_Triton = 7,  ///< since 0.65
  PJRT_Extension_Type_RawBuffer = 8,  ///< since 0.67
  PJRT_Extension_Type_PhaseCompile = 9,  ///< since 0.70
  PJRT_Extension_Type_Example = 10,  ///< since 0.72
  PJRT_Extension_Type_Unknown = 11,  ///< since 0.72
  PJRT_Extension_Type_CrossHostTransfers = 12,  ///< since 0.74
  PJRT_Extension_Type_ExecutableMetadata = 13,  ///< since 0.75
  PJRT_Extension_Type_Callback = 14,  ///< since 0.77
  PJRT_Extension_Type_HostAllocator = 15,  ///< since 0.80
  PJRT_Extension_Type_TpuTopology = 16,  ///< since 0.81
  PJRT_Extension_Type_TpuExecutable = 17,  ///< since 0.90
  PJRT_Extension_Type_Megascale = 18,  ///< since 0.90
  PJRT_Extension_Type_Shardings = 19,  ///< since 0.91
  PJRT_Extension_Type_AbiVersion = 20,  ///< since 0.91
  PJRT_Extension_Type_Collectives = 21,  ///< since 0.94
  PJRT_Extension_Type_MultiSlice = 22,  ///< since 0.96
  PJRT_Extension_Type_HostMemoryAllocator = 23,  ///< since 0.103
  PJRT_Extension_Type_XlaTransform = 24,  ///< since 0.110
} PJRT_Extension_Type;

/// Which member of the value union counts.
typedef enum PJRT_NamedValue_Type {
  PJRT_NamedValue_kString = 0,  ///< since 0.0
  PJRT_NamedValue_kInt64 = 1,  ///< since 0.0
  PJRT_NamedValue_kInt64List = 2,  ///< since 0.0
  PJRT_NamedValue_kFloat = 3,  ///< since 0.0
  PJRT_NamedValue_kBool = 4,  ///< since 0.30
} PJRT_NamedValue_Type;

typedef struct PJRT_Extension_Base PJRT_Extension_Base;

/// Head of every node of an extension chain. Search is linear, the first node of a type wins,
/// unknown types are skipped, null ends the chain.
struct PJRT_Extension_Base {
  size_t struct_size;  ///< since 0.45
  PJRT_Extension_Type type;  ///< since 0.45
  PJRT_Extension_Base* next;  ///< since 0.45
};
PJRT_LAYOUT(PJRT_Extension_Base, next, 31:16, 45:24)

/// Version of the header that a plugin was compiled against. A minor number promises every
/// function up to it.
typedef struct PJRT_Api_Version {
  size_t struct_size;  ///< since 0.0
  PJRT_Extension_Base* extension_start;  ///< since 0.0
  int major_version;  ///< out, since 0.0
  int minor_version;  ///< out, since 0.0
} PJRT_Api_Version;
PJRT_LAYOUT(PJRT_Api_Version, minor_version, 1:24)

/// A named value of one of five types. value_size counts bytes of a string, elements of a list,
/// and is 1 for scalars.
typedef struct PJRT_NamedValue {
  size_t struct_size;  ///< since 0.0
  PJRT_Extension_Base* extension_start;  ///< since 0.0
  const char* name;  ///< since 0.0
  size_t name_size;  ///< since 0.0
  PJRT_NamedValue_Type type;  ///< since 0.0
  /// since 0.0
  union {
    const char* string_value;
    int64_t int64_value;
    const int64_t* int64_array_value;
    float float_value;
    bool bool_value;
  };
  size_t value_size;  ///< since 0.0: bytes, elements or 1
} PJRT_NamedValue;
PJRT_LAYOUT(PJRT_NamedValue, value_size, 1:56)

#endif  // PJRT_SYS_CORE_BASE_H_
