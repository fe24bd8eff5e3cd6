// Function table.
// The table and the symbol that a plugin exports.

#ifndef PJRT_SYS_CORE_API_H_
#define PJRT_SYS_CORE_API_H_

#include "base.h"
#include "buffer.h"
#include "client.h"
#include "device.h"
#include "error.h"
#include "event.h"
#include "executable.h"
#include "memory.h"
#include "plugin.h"
#include "topology.h"
#include "transfer.h"

/// The table that GetPjrtApi returns. It is static: nobody owns it, and it never changes. No
/// slot is null.
typedef struct PJRT_Api {
  size_t struct_size;  ///< since 0.0
  PJRT_Extension_Base* extension_start;  ///< since 0.0
  PJRT_Api_Version pjrt_api_version;  ///< since 0.0
  PJRT_SLOT(PJRT_Error_Destroy, 0);
  PJRT_SLOT(PJRT_Error_Message, 0);
  PJRT_SLOT(PJRT_Error_GetCode, 0);
  PJRT_SLOT(PJRT_Plugin_Initialize, 13);
  PJRT_SLOT(PJRT_Plugin_Attributes, 9);
  PJRT_SLOT(PJRT_Event_Destroy, 0);
  PJRT_SLOT(PJRT_Event_IsReady, 0);
  PJRT_SLOT(PJRT_Event_Error, 0);
  PJRT_SLOT(PJRT_Event_Await, 0);
  PJRT_SLOT(PJRT_Event_OnReady, 0);
  PJRT_SLOT(PJRT_Client_Create, 0);
  PJRT_SLOT(PJRT_Client_Destroy, 0);
  PJRT_SLOT(PJRT_Client_PlatformName, 0);
  PJRT_SLOT(PJRT_Client_ProcessIndex, 0);
  PJRT_SLOT(PJRT_Client_PlatformVersion, 0);
  PJRT_SLOT(PJRT_Client_Devices, 0);
  PJRT_SLOT(PJRT_Client_AddressableDevices, 0);
  PJRT_SLOT(PJRT_Client_LookupDevice, 0);
  PJRT_SLOT(PJRT_Client_LookupAddressableDevice, 0);
  PJRT_SLOT(PJRT_Client_AddressableMemories, 20);
  PJRT_SLOT(PJRT_Client_Compile, 0);
  PJRT_SLOT(PJRT_Client_DefaultDeviceAssignment, 0);
  PJRT_SLOT(PJRT_Client_BufferFromHostBuffer, 0);
  PJRT_SLOT(PJRT_DeviceDescription_Id, 0);
  PJRT_SLOT(PJRT_DeviceDescription_ProcessIndex, 0);
  PJRT_SLOT(PJRT_DeviceDescription_Attributes, 0);
  PJRT_SLOT(PJRT_DeviceDescription_Kind, 0);
  PJRT_SLOT(PJRT_DeviceDescription_DebugString, 0);
  PJRT_SLOT(PJRT_DeviceDescription_ToString, 0);
  PJRT_SLOT(PJRT_Device_GetDescription, 0);
  PJRT_SLOT(PJRT_Device_IsAddressable, 0);
  PJRT_SLOT(PJRT_Device_LocalHardwareId, 0);
  PJRT_SLOT(PJRT_Device_AddressableMemories, 13);
  PJRT_SLOT(PJRT_Device_DefaultMemory, 17);
  PJRT_SLOT(PJRT_Device_MemoryStats, 0);
  PJRT_SLOT(PJRT_Memory_Id, 16);
  PJRT_SLOT(PJRT_Memory_Kind, 14);
  PJRT_SLOT(PJRT_Memory_DebugString, 15);
  PJRT_SLOT(PJRT_Memory_ToString, 15);
  PJRT_SLOT(PJRT_Memory_AddressableByDevices, 20);
  PJRT_SLOT(PJRT_Executable_Destroy, 0);
  PJRT_SLOT(PJRT_Executable_Name, 0);
  PJRT_SLOT(PJRT_Executable_NumReplicas, 0);
  PJRT_SLOT(PJRT_Executable_NumPartitions, 0);
  PJRT_SLOT(PJRT_Executable_NumOutputs, 0);
  PJRT_SLOT(PJRT_Executable_SizeOfGeneratedCodeInBytes, 0);
  PJRT_SLOT(PJRT_Executable_GetCostAnalysis, 2);
  PJRT_SLOT(PJRT_Executable_OutputMemoryKinds, 18);
  PJRT_SLOT(PJRT_Executable_OptimizedProgram, 0);
  PJRT_SLOT(PJRT_Executable_Serialize, 0);
  PJRT_SLOT(PJRT_LoadedExecutable_Destroy, 0);
  PJRT_SLOT(PJRT_LoadedExecutable_GetExecutable, 0);
  PJRT_SLOT(PJRT_LoadedExecutable_AddressableDevices, 0);
  PJRT_SLOT(PJRT_LoadedExecutable_Delete, 0);
  PJRT_SLOT(PJRT_LoadedExecutable_IsDeleted, 0);
  PJRT_SLOT(PJRT_LoadedExecutable_Execute, 0);
  PJRT_SLOT(PJRT_Executable_DeserializeAndLoad, 0);
  PJRT_SLOT(PJRT_LoadedExecutable_Fingerprint, 28);
  PJRT_SLOT(PJRT_Buffer_Destroy, 0);
  PJRT_SLOT(PJRT_Buffer_ElementType, 5);
  PJRT_SLOT(PJRT_Buffer_Dimensions, 6);
  PJRT_SLOT(PJRT_Buffer_UnpaddedDimensions, 7);
  PJRT_SLOT(PJRT_Buffer_DynamicDimensionIndices, 11);
  PJRT_SLOT(PJRT_Buffer_GetMemoryLayout, 10);
  PJRT_SLOT(PJRT_Buffer_OnDeviceSizeInBytes, 0);
  PJRT_SLOT(PJRT_Buffer_Device, 0);
  PJRT_SLOT(PJRT_Buffer_Memory, 24);
  PJRT_SLOT(PJRT_Buffer_Delete, 0);
  PJRT_SLOT(PJRT_Buffer_IsDeleted, 0);
  PJRT_SLOT(PJRT_Buffer_CopyToDevice, 0);
  PJRT_SLOT(PJRT_Buffer_ToHostBuffer, 0);
  PJRT_SLOT(PJRT_Buffer_IsOnCpu, 0);
  PJRT_SLOT(PJRT_Buffer_ReadyEvent, 0);
  PJRT_SLOT(PJRT_Buffer_UnsafePointer, 0);
  PJRT_SLOT(PJRT_Buffer_IncreaseExternalReferenceCount, 19);
  PJRT_SLOT(PJRT_Buffer_DecreaseExternalReferenceCount, 19);
  PJRT_SLOT(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, 19);
  PJRT_SLOT(PJRT_CopyToDeviceStream_Destroy, 11);
  PJRT_SLOT(PJRT_CopyToDeviceStream_AddChunk, 0);
  PJRT_SLOT(PJRT_CopyToDeviceStream_TotalBytes, 0);
  PJRT_SLOT(PJRT_CopyToDeviceStream_GranuleSize, 0);
  PJRT_SLOT(PJRT_CopyToDeviceStream_CurrentBytes, 0);
  PJRT_SLOT(PJRT_TopologyDescription_Create, 0);
  PJRT_SLOT(PJRT_TopologyDescription_Destroy, 0);
  PJRT_SLOT(PJRT_TopologyDescription_PlatformName, 0);
  PJRT_SLOT(PJRT_TopologyDescription_PlatformVersion, 0);
  PJRT_SLOT(PJRT_TopologyDescription_GetDeviceDescriptions, 0);
  PJRT_SLOT(PJRT_TopologyDescription_Serialize, 22);
  PJRT_SLOT(PJRT_TopologyDescription_Attributes, 27);
  PJRT_SLOT(PJRT_Compile, 0);
  PJRT_SLOT(PJRT_Executable_OutputElementTypes, 29);
  PJRT_SLOT(PJRT_Executable_OutputDimensions, 29);
  PJRT_SLOT(PJRT_Buffer_CopyToMemory, 32);
  PJRT_SLOT(PJRT_Client_CreateViewOfDeviceBuffer, 33);
  PJRT_SLOT(PJRT_Executable_Fingerprint, 35);
  PJRT_SLOT(PJRT_Client_TopologyDescription, 36);
  PJRT_SLOT(PJRT_Executable_GetCompiledMemoryStats, 40);
  PJRT_SLOT(PJRT_Memory_Kind_Id, 48);
  PJRT_SLOT(PJRT_ExecuteContext_Create, 52);
  PJRT_SLOT(PJRT_ExecuteContext_Destroy, 52);
  PJRT_SLOT(PJRT_Buffer_CopyRawToHost, 56);
  PJRT_SLOT(PJRT_AsyncHostToDeviceTransferManager_Destroy, 60);
  PJRT_SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferData, 60);
  PJRT_SLOT(PJRT_Client_CreateBuffersForAsyncHostToDevice, 60);
  PJRT_SLOT(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, 62);
  PJRT_SLOT(PJRT_AsyncHostToDeviceTransferManager_Device, 62);
  PJRT_SLOT(PJRT_AsyncHostToDeviceTransferManager_BufferCount, 62);
  PJRT_SLOT(PJRT_AsyncHostToDeviceTransferManager_BufferSize, 62);
  PJRT_SLOT(PJRT_AsyncHostToDeviceTransferManager_SetBufferError, 62);
  PJRT_SLOT(PJRT_AsyncHostToDeviceTransferManager_AddMetadata, 62);
  PJRT_SLOT(PJRT_Client_DmaMap, 67);
  PJRT_SLOT(PJRT_Client_DmaUnmap, 67);
  PJRT_SLOT(PJRT_Client_CreateUninitializedBuffer, 69);
  PJRT_SLOT(PJRT_Client_UpdateGlobalProcessInfo, 73);
  PJRT_SLOT(PJRT_TopologyDescription_Deserialize, 75);
  PJRT_SLOT(PJRT_Client_CreateAliasBuffer, 77);
  PJRT_SLOT(PJRT_Client_FulfillAliasBuffer, 77);
  PJRT_SLOT(PJRT_LoadedExecutable_GetDeviceAssignment, 79);
  PJRT_SLOT(PJRT_Client_CreateErrorBuffer, 82);
  PJRT_SLOT(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, 83);
  PJRT_SLOT(PJRT_Buffer_CopyRawToHostFuture, 84);
  PJRT_SLOT(PJRT_Device_PoisonExecution, 85);
  PJRT_SLOT(PJRT_Device_CreateAsyncTrackingEvent, 86);
  PJRT_SLOT(PJRT_AsyncTrackingEvent_Destroy, 86);
  PJRT_SLOT(PJRT_Executable_GetCompileOptions, 87);
  PJRT_SLOT(PJRT_Buffer_DonateWithControlDependency, 88);
  PJRT_SLOT(PJRT_Event_Create, 89);
  PJRT_SLOT(PJRT_Event_Set, 89);
  PJRT_SLOT(PJRT_Device_GetAttributes, 92);
  PJRT_SLOT(PJRT_Client_Load, 95);
  PJRT_SLOT(PJRT_LoadedExecutable_AddressableDeviceLogicalIds, 96);
  PJRT_SLOT(PJRT_Buffer_Bitcast, 98);
  PJRT_SLOT(PJRT_Error_ForEachPayload, 99);
  PJRT_SLOT(PJRT_TopologyDescription_Fingerprint, 101);
  PJRT_SLOT(PJRT_Executable_ParameterMemoryKinds, 102);
  PJRT_SLOT(PJRT_Device_ClearMemoryStats, 106);
  PJRT_SLOT(PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, 109);
  PJRT_SLOT(PJRT_TopologyDescription_GetMemorySpaceKindIds, 110);
} PJRT_Api;
PJRT_LAYOUT(PJRT_Api, PJRT_TopologyDescription_GetMemorySpaceKindIds,
  1:592, 5:600, 6:608, 7:616, 9:624, 10:632, 11:648, 13:664, 14:672, 15:688, 16:696, 17:704,
  18:712, 19:736, 22:744, 24:752, 25:744, 27:752, 28:760, 29:776, 32:784, 33:792, 35:800,
  36:808, 40:816, 48:824, 52:840, 56:848, 60:872, 62:920, 67:936, 69:944, 73:952, 75:960,
  77:976, 79:984, 82:992, 83:1000, 84:1008, 85:1016, 86:1032, 87:1040, 88:1048, 89:1064,
  92:1072, 95:1080, 96:1088, 98:1096, 99:1104, 101:1112, 102:1120, 106:1128, 109:1136, 110:1144)

/// The one symbol that a plugin exports; returns the same table every time.
const PJRT_Api* GetPjrtApi(void);

#endif  // PJRT_SYS_CORE_API_H_
