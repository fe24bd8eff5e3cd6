// Extension: multi-slice configuration.
// Reads the opaque configuration object of jobs with several slices.

#ifndef PJRT_SYS_EXTENSIONS_MULTI_SLICE_H_
#define PJRT_SYS_EXTENSIONS_MULTI_SLICE_H_

#include "../core/base.h"

#define PJRT_API_MULTI_SLICE_EXTENSION_VERSION 1

// Opaque handles.
typedef struct PJRT_MultiSlice_NumDevicesPerSlice PJRT_MultiSlice_NumDevicesPerSlice;
typedef struct PJRT_MultiSlice_SerializedConfig PJRT_MultiSlice_SerializedConfig;

/// Arguments of PJRT_MultiSlice_Config_Destroy.
typedef struct PJRT_MultiSlice_Config_Destroy_Args {
  size_t struct_size;  ///< in, since 0.96
  PJRT_MultiSlice_Config* config;  ///< in, since 0.96
} PJRT_MultiSlice_Config_Destroy_Args;
PJRT_LAYOUT(PJRT_MultiSlice_Config_Destroy_Args, config, 96:16)

/// Frees a multi-slice configuration. Since 0.96.
typedef PJRT_Error* PJRT_MultiSlice_Config_Destroy(PJRT_MultiSlice_Config_Destroy_Args* args);

/// Arguments of PJRT_MultiSlice_Config_NumSlices.
typedef struct PJRT_MultiSlice_Config_NumSlices_Args {
  size_t struct_size;  ///< in, since 0.96
  PJRT_MultiSlice_Config* config;  ///< in, since 0.96
  int32_t num_slices;  ///< out, since 0.96
} PJRT_MultiSlice_Config_NumSlices_Args;
PJRT_LAYOUT(PJRT_MultiSlice_Config_NumSlices_Args, num_slices, 96:20)

/// Number of slices. Since 0.96.
typedef PJRT_Error* PJRT_MultiSlice_Config_NumSlices(PJRT_MultiSlice_Config_NumSlices_Args* args);

/// Arguments of PJRT_MultiSlice_Config_SliceId.
typedef struct PJRT_MultiSlice_Config_SliceId_Args {
  size_t struct_size;  ///< in, since 0.96
  PJRT_MultiSlice_Config* config;  ///< in, since 0.96
  int32_t slice_id;  ///< out, since 0.96
} PJRT_MultiSlice_Config_SliceId_Args;
PJRT_LAYOUT(PJRT_MultiSlice_Config_SliceId_Args, slice_id, 96:20)

/// Slice of this process. Since 0.96.
typedef PJRT_Error* PJRT_MultiSlice_Config_SliceId(PJRT_MultiSlice_Config_SliceId_Args* args);

/// Arguments of PJRT_MultiSlice_Config_NumDevicesPerSlice.
typedef struct PJRT_MultiSlice_Config_NumDevicesPerSlice_Args {
  size_t struct_size;  ///< in, since 0.96
  PJRT_MultiSlice_Config* config;  ///< in, since 0.96
  size_t num_devices_per_slice_map;  ///< out, since 0.96
  const int32_t* slice_ids;  ///< out, since 0.96
  const int32_t* num_devices;  ///< out, since 0.96
  PJRT_MultiSlice_NumDevicesPerSlice* devices_per_slice_map;  ///< out, since 0.96
  void (*devices_per_slice_map_deleter)(PJRT_MultiSlice_NumDevicesPerSlice*);  ///< out, since 0.96
} PJRT_MultiSlice_Config_NumDevicesPerSlice_Args;
PJRT_LAYOUT(PJRT_MultiSlice_Config_NumDevicesPerSlice_Args, devices_per_slice_map_deleter, 96:56)

/// Number of devices of every slice. Since 0.96.
typedef PJRT_Error* PJRT_MultiSlice_Config_NumDevicesPerSlice(
    PJRT_MultiSlice_Config_NumDevicesPerSlice_Args* args);

/// Arguments of PJRT_MultiSlice_Config_Serialize.
typedef struct PJRT_MultiSlice_Config_Serialize_Args {
  size_t struct_size;  ///< in, since 0.96
  PJRT_MultiSlice_Config* config;  ///< in, since 0.96
  const char* serialized;  ///< out, since 0.96
  size_t size;  ///< out, since 0.96
  PJRT_MultiSlice_SerializedConfig* serialized_config;  ///< out, since 0.96
  void (*serialized_config_deleter)(PJRT_MultiSlice_SerializedConfig*);  ///< out, since 0.96
} PJRT_MultiSlice_Config_Serialize_Args;
PJRT_LAYOUT(PJRT_MultiSlice_Config_Serialize_Args, serialized_config_deleter, 96:48)

/// Serialized configuration, in a holder that the caller frees with the returned deleter. Since
/// 0.96.
typedef PJRT_Error* PJRT_MultiSlice_Config_Serialize(PJRT_MultiSlice_Config_Serialize_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_MultiSlice_Extension {
  PJRT_Extension_Base base;  ///< since 0.96
  PJRT_MultiSlice_Config_Destroy* config_destroy;  ///< since 0.96
  PJRT_MultiSlice_Config_NumSlices* config_num_slices;  ///< since 0.96
  PJRT_MultiSlice_Config_SliceId* config_slice_id;  ///< since 0.96
  PJRT_MultiSlice_Config_NumDevicesPerSlice* config_num_devices_per_slice;  ///< since 0.96
  PJRT_MultiSlice_Config_Serialize* config_serialize;  ///< since 0.96
} PJRT_MultiSlice_Extension;
PJRT_LAYOUT(PJRT_MultiSlice_Extension, config_serialize, 96:64)

PJRT_EXTENSION(PJRT_MultiSlice_Extension, PJRT_Extension_Type_MultiSlice, PJRT_API_MULTI_SLICE_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_MULTI_SLICE_H_
