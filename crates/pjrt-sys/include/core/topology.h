// Topologies.
// Descriptions of devices without a client, and compilation for them.

#ifndef PJRT_SYS_CORE_TOPOLOGY_H_
#define PJRT_SYS_CORE_TOPOLOGY_H_

#include "base.h"
#include "buffer.h"

typedef struct PJRT_Buffer_MemoryLayout PJRT_Buffer_MemoryLayout;
typedef struct PJRT_Program PJRT_Program;

/// Arguments of PJRT_TopologyDescription_Create.
typedef struct PJRT_TopologyDescription_Create_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  const char* topology_name;  ///< in, since 0.1
  size_t topology_name_size;  ///< in, since 0.1
  const PJRT_NamedValue* create_options;  ///< in, since 0.1
  size_t num_options;  ///< in, since 0.1
  PJRT_TopologyDescription* topology;  ///< out, since 0.1
} PJRT_TopologyDescription_Create_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_Create_Args, topology, 1:56)

/// Makes a topology from a name and options, without a client. Since 0.0.
typedef PJRT_Error* PJRT_TopologyDescription_Create(PJRT_TopologyDescription_Create_Args* args);

/// Arguments of PJRT_TopologyDescription_Destroy.
typedef struct PJRT_TopologyDescription_Destroy_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_TopologyDescription* topology;  ///< in, since 0.0
} PJRT_TopologyDescription_Destroy_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_Destroy_Args, topology, 1:24)

/// Frees a topology that was made or deserialized. Since 0.0.
typedef PJRT_Error* PJRT_TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args* args);

/// Arguments of PJRT_TopologyDescription_PlatformVersion.
typedef struct PJRT_TopologyDescription_PlatformVersion_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  PJRT_TopologyDescription* topology;  ///< in, since 0.0
  const char* platform_version;  ///< out, since 0.0
  size_t platform_version_size;  ///< out, since 0.0
} PJRT_TopologyDescription_PlatformVersion_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_PlatformVersion_Args, platform_version_size, 1:40)

/// Free-form version text; topology lifetime. Since 0.0.
typedef PJRT_Error* PJRT_TopologyDescription_PlatformVersion(
    PJRT_TopologyDescription_PlatformVersion_Args* args);

/// Arguments of PJRT_TopologyDescription_PlatformName.
typedef struct PJRT_TopologyDescription_PlatformName_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  const PJRT_TopologyDescription* topology;  ///< in, since 0.0
  const char* platform_name;  ///< out, since 0.0
  size_t platform_name_size;  ///< out, since 0.0
} PJRT_TopologyDescription_PlatformName_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_PlatformName_Args, platform_name_size, 1:40)

/// Name of the platform; topology lifetime. Since 0.0.
typedef PJRT_Error* PJRT_TopologyDescription_PlatformName(
    PJRT_TopologyDescription_PlatformName_Args* args);

/// Arguments of PJRT_TopologyDescription_GetDeviceDescriptions.
typedef struct PJRT_TopologyDescription_GetDeviceDescriptions_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  const PJRT_TopologyDescription* topology;  ///< in, since 0.0
  PJRT_DeviceDescription *const* descriptions;  ///< out, since 0.0
  size_t num_descriptions;  ///< out, since 0.0
} PJRT_TopologyDescription_GetDeviceDescriptions_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_GetDeviceDescriptions_Args, num_descriptions, 1:40)

/// Descriptions of the devices; topology lifetime. Since 0.0.
typedef PJRT_Error* PJRT_TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args* args);

/// Arguments of PJRT_TopologyDescription_Serialize.
typedef struct PJRT_TopologyDescription_Serialize_Args {
  size_t struct_size;  ///< in, since 0.22
  PJRT_Extension_Base* extension_start;  ///< in, since 0.22
  PJRT_TopologyDescription* topology;  ///< in, since 0.22
  const char* serialized_bytes;  ///< out, since 0.22
  size_t serialized_bytes_size;  ///< out, since 0.22
  PJRT_SerializedTopology* serialized_topology;  ///< out, since 0.22
  void (*serialized_topology_deleter)(PJRT_SerializedTopology*);  ///< out, since 0.22
} PJRT_TopologyDescription_Serialize_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_Serialize_Args, serialized_topology_deleter, 22:56)

/// Serialized topology in a holder that the caller frees with the returned deleter. Since 0.22.
typedef PJRT_Error* PJRT_TopologyDescription_Serialize(
    PJRT_TopologyDescription_Serialize_Args* args);

/// Arguments of PJRT_TopologyDescription_Deserialize.
typedef struct PJRT_TopologyDescription_Deserialize_Args {
  size_t struct_size;  ///< in, since 0.75
  PJRT_Extension_Base* extension_start;  ///< in, since 0.75
  const char* serialized_topology;  ///< in, since 0.75
  size_t serialized_topology_size;  ///< in, since 0.75
  PJRT_TopologyDescription* topology;  ///< out, since 0.75
} PJRT_TopologyDescription_Deserialize_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_Deserialize_Args, topology, 75:40)

/// Makes a topology from the bytes of PJRT_TopologyDescription_Serialize. Since 0.75.
typedef PJRT_Error* PJRT_TopologyDescription_Deserialize(
    PJRT_TopologyDescription_Deserialize_Args* args);

/// Arguments of PJRT_TopologyDescription_Attributes.
typedef struct PJRT_TopologyDescription_Attributes_Args {
  size_t struct_size;  ///< in, since 0.27
  PJRT_Extension_Base* extension_start;  ///< in, since 0.27
  PJRT_TopologyDescription* topology;  ///< in, since 0.27
  const PJRT_NamedValue* attributes;  ///< out, since 0.27
  size_t num_attributes;  ///< out, since 0.27
} PJRT_TopologyDescription_Attributes_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_Attributes_Args, num_attributes, 27:40)

/// Named values that describe the topology; topology lifetime. Since 0.27.
typedef PJRT_Error* PJRT_TopologyDescription_Attributes(
    PJRT_TopologyDescription_Attributes_Args* args);

/// Arguments of PJRT_TopologyDescription_Fingerprint.
typedef struct PJRT_TopologyDescription_Fingerprint_Args {
  size_t struct_size;  ///< in, since 0.101
  PJRT_Extension_Base* extension_start;  ///< in, since 0.101
  const PJRT_TopologyDescription* topology;  ///< in, since 0.101
  uint64_t fingerprint;  ///< out, since 0.101
} PJRT_TopologyDescription_Fingerprint_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_Fingerprint_Args, fingerprint, 101:32)

/// Number that identifies the topology; part of callers' compilation cache keys. Since 0.101.
typedef PJRT_Error* PJRT_TopologyDescription_Fingerprint(
    PJRT_TopologyDescription_Fingerprint_Args* args);

/// Arguments of PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace.
typedef struct PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args {
  size_t struct_size;  ///< in, since 0.109
  PJRT_Extension_Base* extension_start;  ///< in, since 0.109
  const PJRT_TopologyDescription* topology;  ///< in, since 0.109
  int memory_space_kind_id;  ///< in, since 0.109
  const int64_t* dims;  ///< in, since 0.109
  size_t num_dims;  ///< in, since 0.109
  PJRT_Buffer_Type element_type;  ///< in, since 0.109
  const PJRT_Buffer_MemoryLayout* layout;  ///< in, since 0.109
  const char* serialized_shape;  ///< out, since 0.109
  size_t serialized_shape_size;  ///< out, since 0.109
  void (*serialized_shape_deleter)(const char*);  ///< out, since 0.109
} PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args, serialized_shape_deleter,
  109:88)

/// Serialized ShapeProto of an array as a memory kind stores it; the caller frees the bytes
/// with the returned deleter. Since 0.109.
typedef PJRT_Error* PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args* args);

/// Arguments of PJRT_TopologyDescription_GetMemorySpaceKindIds.
typedef struct PJRT_TopologyDescription_GetMemorySpaceKindIds_Args {
  size_t struct_size;  ///< in, since 0.110
  PJRT_Extension_Base* extension_start;  ///< in, since 0.110
  const PJRT_TopologyDescription* topology;  ///< in, since 0.110
  const int* memory_space_kind_ids;  ///< out, since 0.110
  size_t num_memory_space_kind_ids;  ///< out, since 0.110
} PJRT_TopologyDescription_GetMemorySpaceKindIds_Args;
PJRT_LAYOUT(PJRT_TopologyDescription_GetMemorySpaceKindIds_Args, num_memory_space_kind_ids, 110:40)

/// Memory kind ids, the default one first; topology lifetime. Since 0.110.
typedef PJRT_Error* PJRT_TopologyDescription_GetMemorySpaceKindIds(
    PJRT_TopologyDescription_GetMemorySpaceKindIds_Args* args);

/// Arguments of PJRT_Compile.
typedef struct PJRT_Compile_Args {
  size_t struct_size;  ///< in, since 0.0
  PJRT_Extension_Base* extension_start;  ///< in, since 0.0
  const PJRT_TopologyDescription* topology;  ///< in, since 0.0
  const PJRT_Program* program;  ///< in, since 0.0
  const char* compile_options;  ///< in, since 0.0
  size_t compile_options_size;  ///< in, since 0.0
  PJRT_Client* client;  ///< in, since 0.0
  PJRT_Executable* executable;  ///< out, since 0.0
} PJRT_Compile_Args;
PJRT_LAYOUT(PJRT_Compile_Args, executable, 1:64)

/// Compiles ahead of time for a topology; the client is an optional hint. Since 0.0.
typedef PJRT_Error* PJRT_Compile(PJRT_Compile_Args* args);

#endif  // PJRT_SYS_CORE_TOPOLOGY_H_
