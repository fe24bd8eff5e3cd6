// Extension: TPU topology.
// Published by TPU plugins only.

#ifndef PJRT_SYS_EXTENSIONS_TPU_TOPOLOGY_H_
#define PJRT_SYS_EXTENSIONS_TPU_TOPOLOGY_H_

#include "../core/base.h"

#define PJRT_API_TPU_TOPOLOGY_EXTENSION_VERSION 1

/// Arguments of PJRT_TpuTopology_Subslice.
typedef struct PJRT_TpuTopology_Subslice_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  const int32_t* chips_per_host_bounds;  ///< in, since 0.81
  size_t chips_per_host_bounds_num_dims;  ///< in, since 0.81
  const int32_t* host_bounds;  ///< in, since 0.81
  size_t host_bounds_num_dims;  ///< in, since 0.81
  PJRT_TopologyDescription* subslice_topology;  ///< out, since 0.81
} PJRT_TpuTopology_Subslice_Args;
PJRT_LAYOUT(PJRT_TpuTopology_Subslice_Args, subslice_topology, 81:56)

/// Topology of a part of a slice. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_Subslice(PJRT_TpuTopology_Subslice_Args* args);

/// Arguments of PJRT_TpuTopology_IsSubsliceTopology.
typedef struct PJRT_TpuTopology_IsSubsliceTopology_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  bool is_subslice_topology;  ///< out, since 0.81
} PJRT_TpuTopology_IsSubsliceTopology_Args;
PJRT_LAYOUT(PJRT_TpuTopology_IsSubsliceTopology_Args, is_subslice_topology, 81:17)

/// Whether a topology is a part of a larger slice. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_IsSubsliceTopology(
    PJRT_TpuTopology_IsSubsliceTopology_Args* args);

/// Arguments of PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId.
typedef struct PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* client_topology;  ///< in, since 0.81
  const PJRT_TopologyDescription* subslice_topology;  ///< in, since 0.81
  const int32_t* subslice_origin;  ///< in, since 0.81
  size_t subslice_origin_dim_num;  ///< in, since 0.81
  int32_t full_device_id;  ///< in, since 0.81
  int32_t subslice_device_id;  ///< out, since 0.81
} PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args;
PJRT_LAYOUT(PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args, subslice_device_id, 81:48)

/// Id within a part of a device of the whole slice. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId(
    PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId_Args* args);

/// Arguments of PJRT_TpuTopology_ReplaceHostBounds.
typedef struct PJRT_TpuTopology_ReplaceHostBounds_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  const int32_t* host_bounds;  ///< in, since 0.81
  size_t host_bounds_dim_num;  ///< in, since 0.81
  PJRT_TopologyDescription* new_topology;  ///< out, since 0.81
} PJRT_TpuTopology_ReplaceHostBounds_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ReplaceHostBounds_Args, new_topology, 81:40)

/// The same topology with other host bounds. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ReplaceHostBounds(
    PJRT_TpuTopology_ReplaceHostBounds_Args* args);

/// Arguments of PJRT_TpuTopology_IsEnhancedBarrierEnabled.
typedef struct PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  bool is_enhanced_barrier_enabled;  ///< out, since 0.81
} PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args;
PJRT_LAYOUT(PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args, is_enhanced_barrier_enabled, 81:17)

/// Whether enhanced barriers are on. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_IsEnhancedBarrierEnabled(
    PJRT_TpuTopology_IsEnhancedBarrierEnabled_Args* args);

/// Arguments of PJRT_TpuTopology_HasLimitedIciConnectivity.
typedef struct PJRT_TpuTopology_HasLimitedIciConnectivity_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  bool has_limited_ici_connectivity;  ///< out, since 0.81
} PJRT_TpuTopology_HasLimitedIciConnectivity_Args;
PJRT_LAYOUT(PJRT_TpuTopology_HasLimitedIciConnectivity_Args, has_limited_ici_connectivity, 81:17)

/// Whether some chips cannot reach each other over the chip interconnect. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_HasLimitedIciConnectivity(
    PJRT_TpuTopology_HasLimitedIciConnectivity_Args* args);

/// Arguments of PJRT_TpuTopology_IsReachableOverLimitedIci.
typedef struct PJRT_TpuTopology_IsReachableOverLimitedIci_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t source_chip_id;  ///< in, since 0.81
  int32_t dest_chip_id;  ///< in, since 0.81
  bool is_reachable_over_limited_ici;  ///< out, since 0.81
} PJRT_TpuTopology_IsReachableOverLimitedIci_Args;
PJRT_LAYOUT(PJRT_TpuTopology_IsReachableOverLimitedIci_Args, is_reachable_over_limited_ici, 81:25)

/// Whether one chip can reach another over a limited interconnect. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_IsReachableOverLimitedIci(
    PJRT_TpuTopology_IsReachableOverLimitedIci_Args* args);

/// Arguments of PJRT_TpuTopology_ProcessCount.
typedef struct PJRT_TpuTopology_ProcessCount_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t process_count;  ///< out, since 0.81
} PJRT_TpuTopology_ProcessCount_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ProcessCount_Args, process_count, 81:20)

/// Number of processes. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ProcessCount(PJRT_TpuTopology_ProcessCount_Args* args);

/// Arguments of PJRT_TpuTopology_ChipsPerProcess.
typedef struct PJRT_TpuTopology_ChipsPerProcess_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t chips_per_process;  ///< out, since 0.81
} PJRT_TpuTopology_ChipsPerProcess_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ChipsPerProcess_Args, chips_per_process, 81:20)

/// Chips of each process. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ChipsPerProcess(PJRT_TpuTopology_ChipsPerProcess_Args* args);

/// Arguments of PJRT_TpuTopology_CoreCountPerChip.
typedef struct PJRT_TpuTopology_CoreCountPerChip_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t core_count_of_default_type_per_chip;  ///< out, since 0.81
} PJRT_TpuTopology_CoreCountPerChip_Args;
PJRT_LAYOUT(PJRT_TpuTopology_CoreCountPerChip_Args, core_count_of_default_type_per_chip, 81:20)

/// Cores of each chip. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_CoreCountPerChip(PJRT_TpuTopology_CoreCountPerChip_Args* args);

/// Arguments of PJRT_TpuTopology_ChipCount.
typedef struct PJRT_TpuTopology_ChipCount_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t chip_count;  ///< out, since 0.81
} PJRT_TpuTopology_ChipCount_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ChipCount_Args, chip_count, 81:20)

/// Chips in all. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ChipCount(PJRT_TpuTopology_ChipCount_Args* args);

/// Arguments of PJRT_TpuTopology_CoreCount.
typedef struct PJRT_TpuTopology_CoreCount_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t core_count_of_default_type;  ///< out, since 0.81
} PJRT_TpuTopology_CoreCount_Args;
PJRT_LAYOUT(PJRT_TpuTopology_CoreCount_Args, core_count_of_default_type, 81:20)

/// Cores in all. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_CoreCount(PJRT_TpuTopology_CoreCount_Args* args);

/// Arguments of PJRT_TpuTopology_LogiDeviceCount.
typedef struct PJRT_TpuTopology_LogiDeviceCount_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t logical_device_count_of_default_type;  ///< out, since 0.81
} PJRT_TpuTopology_LogiDeviceCount_Args;
PJRT_LAYOUT(PJRT_TpuTopology_LogiDeviceCount_Args, logical_device_count_of_default_type, 81:20)

/// Logical devices in all. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceCount(PJRT_TpuTopology_LogiDeviceCount_Args* args);

/// Arguments of PJRT_TpuTopology_LogiDeviceCountPerProcess.
typedef struct PJRT_TpuTopology_LogiDeviceCountPerProcess_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t logical_device_count_of_default_type_per_process;  ///< out, since 0.81
} PJRT_TpuTopology_LogiDeviceCountPerProcess_Args;
PJRT_LAYOUT(PJRT_TpuTopology_LogiDeviceCountPerProcess_Args, logical_device_count_of_default_type_per_process,
  81:20)

/// Logical devices of each process. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceCountPerProcess(
    PJRT_TpuTopology_LogiDeviceCountPerProcess_Args* args);

/// Arguments of PJRT_TpuTopology_LogiDeviceCountPerChip.
typedef struct PJRT_TpuTopology_LogiDeviceCountPerChip_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t logical_device_count_of_default_type_per_chip;  ///< out, since 0.81
} PJRT_TpuTopology_LogiDeviceCountPerChip_Args;
PJRT_LAYOUT(PJRT_TpuTopology_LogiDeviceCountPerChip_Args, logical_device_count_of_default_type_per_chip,
  81:20)

/// Logical devices of each chip. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceCountPerChip(
    PJRT_TpuTopology_LogiDeviceCountPerChip_Args* args);

/// Arguments of PJRT_TpuTopology_CoreCountPerProcess.
typedef struct PJRT_TpuTopology_CoreCountPerProcess_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t core_count_of_default_type_per_process;  ///< out, since 0.81
} PJRT_TpuTopology_CoreCountPerProcess_Args;
PJRT_LAYOUT(PJRT_TpuTopology_CoreCountPerProcess_Args, core_count_of_default_type_per_process,
  81:20)

/// Cores of each process. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_CoreCountPerProcess(
    PJRT_TpuTopology_CoreCountPerProcess_Args* args);

/// Arguments of PJRT_TpuTopology_ProcessIds.
typedef struct PJRT_TpuTopology_ProcessIds_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t max_process_ids;  ///< in, since 0.81
  int32_t* process_ids;  ///< in, since 0.81
  size_t num_process_ids;  ///< out, since 0.81
} PJRT_TpuTopology_ProcessIds_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ProcessIds_Args, num_process_ids, 81:40)

/// Ids of the processes. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ProcessIds(PJRT_TpuTopology_ProcessIds_Args* args);

/// Arguments of PJRT_TpuTopology_LogiDeviceIdsOnProcess.
typedef struct PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t process_id;  ///< in, since 0.81
  int32_t max_logical_device_ids;  ///< in, since 0.81
  int32_t* logical_device_of_default_type_ids;  ///< in, since 0.81
  size_t num_logical_device_ids;  ///< out, since 0.81
} PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args;
PJRT_LAYOUT(PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args, num_logical_device_ids, 81:40)

/// Logical device ids of one process. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceIdsOnProcess(
    PJRT_TpuTopology_LogiDeviceIdsOnProcess_Args* args);

/// Arguments of PJRT_TpuTopology_ProcIdAndIdxOnProcForChip.
typedef struct PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t chip_id;  ///< in, since 0.81
  int32_t process_id;  ///< out, since 0.81
  int32_t index_on_process;  ///< out, since 0.81
} PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args, index_on_process, 81:28)

/// Process of a chip, and its index there. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ProcIdAndIdxOnProcForChip(
    PJRT_TpuTopology_ProcIdAndIdxOnProcForChip_Args* args);

/// Arguments of PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice.
typedef struct PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t device_id;  ///< in, since 0.81
  int32_t process_id;  ///< out, since 0.81
  int32_t index_on_process;  ///< out, since 0.81
} PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args, index_on_process, 81:28)

/// Process of a logical device, and its index there. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice(
    PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice_Args* args);

/// Arguments of PJRT_TpuTopology_ProcessCoordFromId.
typedef struct PJRT_TpuTopology_ProcessCoordFromId_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t process_id;  ///< in, since 0.81
  size_t coords_max_dims;  ///< in, since 0.81
  int32_t* coords;  ///< in, since 0.81
  size_t coords_num_dims;  ///< out, since 0.81
} PJRT_TpuTopology_ProcessCoordFromId_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ProcessCoordFromId_Args, coords_num_dims, 81:48)

/// Coordinates of a process. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ProcessCoordFromId(
    PJRT_TpuTopology_ProcessCoordFromId_Args* args);

/// Arguments of PJRT_TpuTopology_ChipIdFromCoord.
typedef struct PJRT_TpuTopology_ChipIdFromCoord_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  const int32_t* coords;  ///< in, since 0.81
  size_t coords_num_dims;  ///< in, since 0.81
  int32_t chip_id;  ///< out, since 0.81
} PJRT_TpuTopology_ChipIdFromCoord_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ChipIdFromCoord_Args, chip_id, 81:36)

/// Chip at given coordinates. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ChipIdFromCoord(PJRT_TpuTopology_ChipIdFromCoord_Args* args);

/// Arguments of PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx.
typedef struct PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  const int32_t* chip_coords;  ///< in, since 0.81
  size_t chip_coords_num_dims;  ///< in, since 0.81
  int32_t logical_device_index_on_chip;  ///< in, since 0.81
  int32_t logical_device_of_default_type_id;  ///< out, since 0.81
} PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args;
PJRT_LAYOUT(PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args, logical_device_of_default_type_id,
  81:40)

/// Logical device at given chip coordinates and index. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx(
    PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx_Args* args);

/// Arguments of PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice.
typedef struct PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  int32_t device_id;  ///< in, since 0.81
  size_t chip_coords_max_dims;  ///< in, since 0.81
  int32_t* chip_coords;  ///< in, since 0.81
  size_t chip_coords_num_dims;  ///< out, since 0.81
  int32_t device_index_on_chip;  ///< out, since 0.81
} PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args, device_index_on_chip, 81:52)

/// Chip coordinates and index of a logical device. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice(
    PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice_Args* args);

/// Arguments of PJRT_TpuTopology_ChipsPerProcessBounds.
typedef struct PJRT_TpuTopology_ChipsPerProcessBounds_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  size_t chip_per_process_bounds_max_dims;  ///< in, since 0.81
  int32_t* chip_per_process_bounds;  ///< in, since 0.81
  size_t chip_per_process_bounds_num_dims;  ///< out, since 0.81
} PJRT_TpuTopology_ChipsPerProcessBounds_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ChipsPerProcessBounds_Args, chip_per_process_bounds_num_dims, 81:40)

/// Extent of a process, in chips per axis. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ChipsPerProcessBounds(
    PJRT_TpuTopology_ChipsPerProcessBounds_Args* args);

/// Arguments of PJRT_TpuTopology_ChipBounds.
typedef struct PJRT_TpuTopology_ChipBounds_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  size_t chip_bounds_max_dims;  ///< in, since 0.81
  int32_t* chip_bounds;  ///< in, since 0.81
  size_t chip_bounds_num_dims;  ///< out, since 0.81
} PJRT_TpuTopology_ChipBounds_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ChipBounds_Args, chip_bounds_num_dims, 81:40)

/// Extent of the topology, in chips per axis. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ChipBounds(PJRT_TpuTopology_ChipBounds_Args* args);

/// Arguments of PJRT_TpuTopology_ProcessBounds.
typedef struct PJRT_TpuTopology_ProcessBounds_Args {
  size_t struct_size;  ///< in, since 0.81
  const PJRT_TopologyDescription* topology;  ///< in, since 0.81
  size_t process_bounds_max_dims;  ///< in, since 0.81
  int32_t* process_bounds;  ///< in, since 0.81
  size_t process_bounds_num_dims;  ///< out, since 0.81
} PJRT_TpuTopology_ProcessBounds_Args;
PJRT_LAYOUT(PJRT_TpuTopology_ProcessBounds_Args, process_bounds_num_dims, 81:40)

/// Extent of the topology, in processes per axis. Since 0.81.
typedef PJRT_Error* PJRT_TpuTopology_ProcessBounds(PJRT_TpuTopology_ProcessBounds_Args* args);

/// Arguments of PJRT_TpuTopology_GetRoutingStrategy.
typedef struct PJRT_TpuTopology_GetRoutingStrategy_Args {
  size_t struct_size;  ///< in, since 0.90
  const PJRT_TopologyDescription* topology;  ///< in, since 0.90
  char* routing_strategy;  ///< in and out, since 0.90
  size_t routing_strategy_len;  ///< in and out, since 0.90
} PJRT_TpuTopology_GetRoutingStrategy_Args;
PJRT_LAYOUT(PJRT_TpuTopology_GetRoutingStrategy_Args, routing_strategy_len, 90:32)

/// Name of the routing strategy. Since 0.90.
typedef PJRT_Error* PJRT_TpuTopology_GetRoutingStrategy(
    PJRT_TpuTopology_GetRoutingStrategy_Args* args);

/// Configuration of a slice shape.
typedef struct PJRT_TpuTopology_SliceConfig {
  size_t dim_size;  ///< since 0.90
  int32_t dimensions[4];  ///< since 0.90
  bool wrap[4];  ///< since 0.90
  bool twist;  ///< since 0.90
} PJRT_TpuTopology_SliceConfig;
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_TpuTopology_SliceConfig, twist, 90:29)

/// Arguments of PJRT_TpuTopology_GetSliceConfig.
typedef struct PJRT_TpuTopology_GetSliceConfig_Args {
  size_t struct_size;  ///< in, since 0.90
  const char* platform_type_name;  ///< in, since 0.90
  size_t platform_type_name_len;  ///< in, since 0.90
  const char* slice_name;  ///< in, since 0.90
  size_t slice_name_len;  ///< in, since 0.90
  PJRT_TpuTopology_SliceConfig* slice_config;  ///< in and out, since 0.90
} PJRT_TpuTopology_GetSliceConfig_Args;
PJRT_LAYOUT(PJRT_TpuTopology_GetSliceConfig_Args, slice_config, 90:48)

/// Configuration of a slice shape by name. Since 0.90.
typedef PJRT_Error* PJRT_TpuTopology_GetSliceConfig(PJRT_TpuTopology_GetSliceConfig_Args* args);

/// Arguments of PJRT_TpuTopology_GetSliceConfigs.
typedef struct PJRT_TpuTopology_GetSliceConfigs_Args {
  size_t struct_size;  ///< in, since 0.90
  const char* platform_type_name;  ///< in, since 0.90
  size_t platform_type_name_len;  ///< in, since 0.90
  PJRT_TpuTopology_SliceConfig* slice_configs;  ///< in, since 0.90
  size_t max_slice_configs;  ///< in, since 0.90
  size_t num_slice_configs;  ///< out, since 0.90
} PJRT_TpuTopology_GetSliceConfigs_Args;
PJRT_LAYOUT(PJRT_TpuTopology_GetSliceConfigs_Args, num_slice_configs, 90:48)

/// Every known configuration of slice shapes. Since 0.90.
typedef PJRT_Error* PJRT_TpuTopology_GetSliceConfigs(PJRT_TpuTopology_GetSliceConfigs_Args* args);

/// Arguments of PJRT_TpuTopology_GetDefaultPlatformConfig.
typedef struct PJRT_TpuTopology_GetDefaultPlatformConfig_Args {
  size_t struct_size;  ///< in, since 0.90
  const char* platform_type_name;  ///< in, since 0.90
  size_t platform_type_name_len;  ///< in, since 0.90
  int64_t num_chips_per_tray;  ///< out, since 0.90
  int64_t num_trays;  ///< out, since 0.90
} PJRT_TpuTopology_GetDefaultPlatformConfig_Args;
PJRT_LAYOUT(PJRT_TpuTopology_GetDefaultPlatformConfig_Args, num_trays, 90:40)

/// Default configuration of the platform. Since 0.90.
typedef PJRT_Error* PJRT_TpuTopology_GetDefaultPlatformConfig(
    PJRT_TpuTopology_GetDefaultPlatformConfig_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_TpuTopology_Extension {
  PJRT_Extension_Base base;  ///< since 0.81
  PJRT_TpuTopology_Subslice* subslice;  ///< since 0.81
  PJRT_TpuTopology_IsSubsliceTopology* is_subslice_topology;  ///< since 0.81
  /// since 0.81
  PJRT_TpuTopology_SubsliceDeviceIdFromFullDeviceId* subslice_device_id_from_full_device_id;
  PJRT_TpuTopology_ReplaceHostBounds* replace_host_bounds;  ///< since 0.81
  PJRT_TpuTopology_IsEnhancedBarrierEnabled* is_enhanced_barrier_enabled;  ///< since 0.81
  PJRT_TpuTopology_HasLimitedIciConnectivity* has_limited_ici_connectivity;  ///< since 0.81
  PJRT_TpuTopology_IsReachableOverLimitedIci* is_reachable_over_limited_ici;  ///< since 0.81
  PJRT_TpuTopology_ProcessCount* process_count;  ///< since 0.81
  PJRT_TpuTopology_ChipsPerProcess* chips_per_process;  ///< since 0.81
  PJRT_TpuTopology_CoreCountPerChip* core_count_per_chip;  ///< since 0.81
  PJRT_TpuTopology_ChipCount* chip_count;  ///< since 0.81
  PJRT_TpuTopology_CoreCount* core_count;  ///< since 0.81
  PJRT_TpuTopology_LogiDeviceCountPerProcess* logical_device_count_per_process;  ///< since 0.81
  PJRT_TpuTopology_LogiDeviceCount* logical_device_count;  ///< since 0.81
  PJRT_TpuTopology_LogiDeviceCountPerChip* logical_device_count_per_chip;  ///< since 0.81
  PJRT_TpuTopology_CoreCountPerProcess* core_count_per_process;  ///< since 0.81
  PJRT_TpuTopology_ProcessIds* process_ids;  ///< since 0.81
  PJRT_TpuTopology_LogiDeviceIdsOnProcess* logical_device_ids_on_process;  ///< since 0.81
  PJRT_TpuTopology_ProcIdAndIdxOnProcForChip* proc_id_and_idx_on_proc_for_chip;  ///< since 0.81
  /// since 0.81
  PJRT_TpuTopology_ProcIdAndIdxOnProcForLogiDevice* proc_id_and_idx_on_proc_for_logi_device;
  PJRT_TpuTopology_ProcessCoordFromId* process_coord_from_id;  ///< since 0.81
  PJRT_TpuTopology_ChipIdFromCoord* chip_id_from_coord;  ///< since 0.81
  /// since 0.81
  PJRT_TpuTopology_LogiDeviceIdFromChipCoordAndIdx* logical_device_id_from_chip_coord_and_idx;
  PJRT_TpuTopology_ChipCoordAndIdxForLogiDevice* chip_coord_and_idx_for_logi_device;  ///< since 0.81
  PJRT_TpuTopology_ChipsPerProcessBounds* chips_per_process_bounds;  ///< since 0.81
  PJRT_TpuTopology_ChipBounds* chip_bounds;  ///< since 0.81
  PJRT_TpuTopology_ProcessBounds* process_bounds;  ///< since 0.81
  PJRT_TpuTopology_GetRoutingStrategy* get_routing_strategy;  ///< since 0.90
  PJRT_TpuTopology_GetSliceConfig* get_slice_config;  ///< since 0.90
  PJRT_TpuTopology_GetSliceConfigs* get_slice_configs;  ///< since 0.90
  PJRT_TpuTopology_GetDefaultPlatformConfig* get_default_platform_config;  ///< since 0.90
} PJRT_TpuTopology_Extension;
PJRT_LAYOUT(PJRT_TpuTopology_Extension, get_default_platform_config, 81:240, 90:272)

PJRT_EXTENSION(PJRT_TpuTopology_Extension, PJRT_Extension_Type_TpuTopology, PJRT_API_TPU_TOPOLOGY_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_TPU_TOPOLOGY_H_
