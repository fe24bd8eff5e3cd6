//! The list of all functions, and the `PJRT_Api` made of it.

use crate::api::*;
use crate::backend::Backend;
use crate::{call, ext};
use pjrt_sys as sys;

macro_rules! function_table {
    ($($c_name:ident => $implementation:expr;)*) => {
        /// Builds the table of a backend: every slot set, none null. It lives as long as the process.
        pub(crate) fn build<B: Backend>() -> &'static sys::PJRT_Api {
            $(
                #[allow(non_snake_case, reason = "the name of the C function")]
                #[allow(clippy::extra_unused_type_parameters, reason = "a few functions are the same for all backends")]
                unsafe extern "C" fn $c_name<B: Backend>(
                    args: *mut paste::paste!(sys::[<$c_name _Args>]),
                ) -> *mut sys::PJRT_Error {
                    // SAFETY: that the pointer is null or points to Args of the stated size, ours for the call,
                    // is the C contract.
                    unsafe { call::call(stringify!($c_name), args, $implementation) }
                }
            )*
            Box::leak(Box::new(sys::PJRT_Api {
                struct_size: <sys::PJRT_Api as sys::Struct>::STRUCT_SIZE,
                extension_start: ext::chain::<B>(),
                pjrt_api_version: sys::PJRT_Api_Version {
                    struct_size: <sys::PJRT_Api_Version as sys::Struct>::STRUCT_SIZE,
                    extension_start: std::ptr::null_mut(),
                    major_version: sys::PJRT_API_MAJOR as i32,
                    minor_version: sys::PJRT_API_MINOR as i32,
                },
                PJRT_Error_Destroy: Some(error::destroy),
                PJRT_Error_Message: Some(error::message),
                $($c_name: Some($c_name::<B>),)*
            }))
        }
    };
}

function_table! {
    PJRT_Error_GetCode => error::get_code;
    PJRT_Plugin_Initialize => plugin::initialize::<B>;
    PJRT_Plugin_Attributes => plugin::attributes::<B>;
    PJRT_Event_Destroy => event::destroy;
    PJRT_Event_IsReady => event::is_ready;
    PJRT_Event_Error => event::error;
    PJRT_Event_Await => event::wait;
    PJRT_Event_OnReady => event::on_ready;
    PJRT_Client_Create => client_create::create::<B>;
    PJRT_Client_Destroy => client::destroy::<B>;
    PJRT_Client_PlatformName => client::platform_name::<B>;
    PJRT_Client_ProcessIndex => client::process_index::<B>;
    PJRT_Client_PlatformVersion => client::platform_version::<B>;
    PJRT_Client_Devices => client::devices::<B>;
    PJRT_Client_AddressableDevices => client::addressable_devices::<B>;
    PJRT_Client_LookupDevice => client::lookup_device::<B>;
    PJRT_Client_LookupAddressableDevice => client::lookup_addressable_device::<B>;
    PJRT_Client_AddressableMemories => client::addressable_memories::<B>;
    PJRT_Client_Compile => compile::compile_and_load::<B>;
    PJRT_Client_DefaultDeviceAssignment => client::default_device_assignment::<B>;
    PJRT_Client_BufferFromHostBuffer => buffer_host::from_host::<B>;
    PJRT_DeviceDescription_Id => device::description_id;
    PJRT_DeviceDescription_ProcessIndex => device::description_process_index;
    PJRT_DeviceDescription_Attributes => device::description_attributes;
    PJRT_DeviceDescription_Kind => device::description_kind;
    PJRT_DeviceDescription_DebugString => device::description_debug_string;
    PJRT_DeviceDescription_ToString => device::description_to_string;
    PJRT_Device_GetDescription => device::get_description::<B>;
    PJRT_Device_IsAddressable => device::is_addressable::<B>;
    PJRT_Device_LocalHardwareId => device::local_hardware_id::<B>;
    PJRT_Device_AddressableMemories => device::addressable_memories::<B>;
    PJRT_Device_DefaultMemory => device::default_memory::<B>;
    PJRT_Device_MemoryStats => device::memory_stats::<B>;
    PJRT_Memory_Id => memory::id;
    PJRT_Memory_Kind => memory::kind;
    PJRT_Memory_DebugString => memory::debug_string;
    PJRT_Memory_ToString => memory::to_string;
    PJRT_Memory_AddressableByDevices => memory::addressable_by_devices;
    PJRT_Executable_Destroy => executable::destroy::<B>;
    PJRT_Executable_Name => executable::name::<B>;
    PJRT_Executable_NumReplicas => executable::num_replicas::<B>;
    PJRT_Executable_NumPartitions => executable::num_partitions::<B>;
    PJRT_Executable_NumOutputs => executable::num_outputs::<B>;
    PJRT_Executable_SizeOfGeneratedCodeInBytes => executable::size_of_generated_code::<B>;
    PJRT_Executable_GetCostAnalysis => executable::cost_analysis::<B>;
    PJRT_Executable_OutputMemoryKinds => executable::output_memory_kinds::<B>;
    PJRT_Executable_OptimizedProgram => executable::optimized_program::<B>;
    PJRT_Executable_Serialize => executable::serialize::<B>;
    PJRT_LoadedExecutable_Destroy => loaded_executable::destroy::<B>;
    PJRT_LoadedExecutable_GetExecutable => loaded_executable::get_executable::<B>;
    PJRT_LoadedExecutable_AddressableDevices => loaded_executable::addressable_devices::<B>;
    PJRT_LoadedExecutable_Delete => loaded_executable::delete::<B>;
    PJRT_LoadedExecutable_IsDeleted => loaded_executable::is_deleted::<B>;
    PJRT_LoadedExecutable_Execute => execute::execute::<B>;
    PJRT_Executable_DeserializeAndLoad => compile::deserialize_and_load::<B>;
    PJRT_LoadedExecutable_Fingerprint => loaded_executable::fingerprint::<B>;
    PJRT_Buffer_Destroy => buffer_life::destroy::<B>;
    PJRT_Buffer_ElementType => buffer_metadata::element_type::<B>;
    PJRT_Buffer_Dimensions => buffer_metadata::dimensions::<B>;
    PJRT_Buffer_UnpaddedDimensions => buffer_metadata::unpadded_dimensions::<B>;
    PJRT_Buffer_DynamicDimensionIndices => buffer_metadata::dynamic_dimension_indices::<B>;
    PJRT_Buffer_GetMemoryLayout => buffer_metadata::memory_layout::<B>;
    PJRT_Buffer_OnDeviceSizeInBytes => buffer_metadata::on_device_size::<B>;
    PJRT_Buffer_Device => buffer_metadata::device::<B>;
    PJRT_Buffer_Memory => buffer_metadata::memory::<B>;
    PJRT_Buffer_Delete => buffer_life::delete::<B>;
    PJRT_Buffer_IsDeleted => buffer_life::is_deleted::<B>;
    PJRT_Buffer_CopyToDevice => buffer_copy::copy_to_device::<B>;
    PJRT_Buffer_ToHostBuffer => buffer_host::to_host::<B>;
    PJRT_Buffer_IsOnCpu => buffer_metadata::is_on_cpu::<B>;
    PJRT_Buffer_ReadyEvent => buffer_life::ready_event::<B>;
    PJRT_Buffer_UnsafePointer => buffer_life::unsafe_pointer::<B>;
    PJRT_Buffer_IncreaseExternalReferenceCount => buffer_life::increase_external_reference_count::<B>;
    PJRT_Buffer_DecreaseExternalReferenceCount => buffer_life::decrease_external_reference_count::<B>;
    PJRT_Buffer_OpaqueDeviceMemoryDataPointer => buffer_life::opaque_pointer::<B>;
    PJRT_CopyToDeviceStream_Destroy => stream::destroy;
    PJRT_CopyToDeviceStream_AddChunk => stream::add_chunk;
    PJRT_CopyToDeviceStream_TotalBytes => stream::total_bytes;
    PJRT_CopyToDeviceStream_GranuleSize => stream::granule_size;
    PJRT_CopyToDeviceStream_CurrentBytes => stream::current_bytes;
    PJRT_TopologyDescription_Create => topology::create::<B>;
    PJRT_TopologyDescription_Destroy => topology::destroy::<B>;
    PJRT_TopologyDescription_PlatformName => topology::platform_name::<B>;
    PJRT_TopologyDescription_PlatformVersion => topology::platform_version::<B>;
    PJRT_TopologyDescription_GetDeviceDescriptions => topology::device_descriptions::<B>;
    PJRT_TopologyDescription_Serialize => topology::serialize::<B>;
    PJRT_TopologyDescription_Attributes => topology::attributes::<B>;
    PJRT_Compile => compile::compile::<B>;
    PJRT_Executable_OutputElementTypes => executable::output_element_types::<B>;
    PJRT_Executable_OutputDimensions => executable::output_dimensions::<B>;
    PJRT_Buffer_CopyToMemory => buffer_copy::copy_to_memory::<B>;
    PJRT_Client_CreateViewOfDeviceBuffer => buffer_create::view::<B>;
    PJRT_Executable_Fingerprint => executable::fingerprint::<B>;
    PJRT_Client_TopologyDescription => client::topology::<B>;
    PJRT_Executable_GetCompiledMemoryStats => executable::compiled_memory_stats::<B>;
    PJRT_Memory_Kind_Id => memory::kind_id;
    PJRT_ExecuteContext_Create => execute_context::create::<B>;
    PJRT_ExecuteContext_Destroy => execute_context::destroy;
    PJRT_Buffer_CopyRawToHost => buffer_host::copy_raw::<B>;
    PJRT_AsyncHostToDeviceTransferManager_Destroy => transfer_manager::destroy::<B>;
    PJRT_AsyncHostToDeviceTransferManager_TransferData => transfer_manager::transfer_data::<B>;
    PJRT_Client_CreateBuffersForAsyncHostToDevice => transfer_manager::create::<B>;
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer => transfer_manager::retrieve_buffer::<B>;
    PJRT_AsyncHostToDeviceTransferManager_Device => transfer_manager::device::<B>;
    PJRT_AsyncHostToDeviceTransferManager_BufferCount => transfer_manager::buffer_count::<B>;
    PJRT_AsyncHostToDeviceTransferManager_BufferSize => transfer_manager::buffer_size::<B>;
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError => transfer_manager::set_buffer_error::<B>;
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata => transfer_manager::add_metadata::<B>;
    PJRT_Client_DmaMap => client::dma_map::<B>;
    PJRT_Client_DmaUnmap => client::dma_unmap::<B>;
    PJRT_Client_CreateUninitializedBuffer => buffer_create::uninitialized::<B>;
    PJRT_Client_UpdateGlobalProcessInfo => client::update_global_process_info::<B>;
    PJRT_TopologyDescription_Deserialize => topology::deserialize::<B>;
    PJRT_Client_CreateAliasBuffer => alias::create::<B>;
    PJRT_Client_FulfillAliasBuffer => alias::fulfil::<B>;
    PJRT_LoadedExecutable_GetDeviceAssignment => loaded_executable::device_assignment::<B>;
    PJRT_Client_CreateErrorBuffer => buffer_create::error::<B>;
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral => transfer_manager::transfer_literal::<B>;
    PJRT_Buffer_CopyRawToHostFuture => buffer_host::copy_raw_future::<B>;
    PJRT_Device_PoisonExecution => device::poison_execution::<B>;
    PJRT_Device_CreateAsyncTrackingEvent => device::create_async_tracking_event::<B>;
    PJRT_AsyncTrackingEvent_Destroy => device::destroy_async_tracking_event;
    PJRT_Executable_GetCompileOptions => executable::compile_options::<B>;
    PJRT_Buffer_DonateWithControlDependency => buffer_copy::donate_with_control_dependency::<B>;
    PJRT_Event_Create => event::create;
    PJRT_Event_Set => event::set;
    PJRT_Device_GetAttributes => device::get_attributes::<B>;
    PJRT_Client_Load => compile::client_load::<B>;
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds => loaded_executable::addressable_device_logical_ids::<B>;
    PJRT_Buffer_Bitcast => buffer_copy::bitcast::<B>;
    PJRT_Error_ForEachPayload => error::for_each_payload;
    PJRT_TopologyDescription_Fingerprint => topology::fingerprint::<B>;
    PJRT_Executable_ParameterMemoryKinds => executable::parameter_memory_kinds::<B>;
    PJRT_Device_ClearMemoryStats => device::clear_memory_stats::<B>;
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace => topology::canonical_shape::<B>;
    PJRT_TopologyDescription_GetMemorySpaceKindIds => topology::memory_space_kind_ids::<B>;
}
