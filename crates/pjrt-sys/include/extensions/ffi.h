// Extension: FFI.
// Types, user data and handlers of XLA's typed FFI.

#ifndef PJRT_SYS_EXTENSIONS_FFI_H_
#define PJRT_SYS_EXTENSIONS_FFI_H_

#include "../core/base.h"

#define PJRT_API_FFI_EXTENSION_VERSION 3

/// Bits of the traits of a handler.
typedef enum PJRT_FFI_Handler_TraitsBits {
  PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1,  ///< since 0.73
} PJRT_FFI_Handler_TraitsBits;

/// How to destroy and handle user data of a type.
typedef struct PJRT_FFI_Type_Info {
  void (*deleter)(void*);  ///< since 0.80
  void (*serialize)(void);  ///< since 0.80
  void (*deserialize)(void);  ///< since 0.80
} PJRT_FFI_Type_Info;
PJRT_NO_LAYOUT(PJRT_FFI_Type_Info)

/// Arguments of PJRT_FFI_Type_Register.
typedef struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;  ///< in, since 0.80
  PJRT_Extension_Base* extension_start;  ///< in, since 0.80
  const char* type_name;  ///< in, since 0.80
  size_t type_name_size;  ///< in, since 0.80
  int64_t type_id;  ///< in and out, since 0.80
  PJRT_FFI_Type_Info* type_info;  ///< in, since 0.80
} PJRT_FFI_Type_Register_Args;
PJRT_LAYOUT(PJRT_FFI_Type_Register_Args, type_info, 80:48)

/// Registers a user data type; id 0 asks for a new id, any other is checked. Since 0.80.
typedef PJRT_Error* PJRT_FFI_Type_Register(PJRT_FFI_Type_Register_Args* args);

/// Id of a registered type and the data.
typedef struct PJRT_FFI_UserData {
  int64_t type_id;  ///< since 0.53
  void* data;  ///< since 0.53
} PJRT_FFI_UserData;
PJRT_NO_LAYOUT(PJRT_FFI_UserData)

/// Arguments of PJRT_FFI_UserData_Add.
typedef struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;  ///< in, since 0.53
  PJRT_Extension_Base* extension_start;  ///< in, since 0.53
  PJRT_ExecuteContext* context;  ///< in, since 0.53
  PJRT_FFI_UserData user_data;  ///< in, since 0.81
} PJRT_FFI_UserData_Add_Args;
PJRT_LAYOUT(PJRT_FFI_UserData_Add_Args, user_data, 53:24, 81:40)

/// Attaches user data to an execute context. Since 0.53.
typedef PJRT_Error* PJRT_FFI_UserData_Add(PJRT_FFI_UserData_Add_Args* args);

/// Arguments of PJRT_FFI_Register_Handler.
typedef struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;  ///< in, since 0.73
  const char* target_name;  ///< in, since 0.73
  size_t target_name_size;  ///< in, since 0.73
  void* handler;  ///< in, since 0.73
  const char* platform_name;  ///< in, since 0.73
  size_t platform_name_size;  ///< in, since 0.73
  PJRT_FFI_Handler_TraitsBits traits;  ///< in, since 0.73
} PJRT_FFI_Register_Handler_Args;
PJRT_LAYOUT(PJRT_FFI_Register_Handler_Args, traits, 73:52)

/// Registers a handler of XLA's typed FFI for a custom call target. Since 0.73.
typedef PJRT_Error* PJRT_FFI_Register_Handler(PJRT_FFI_Register_Handler_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;  ///< since 0.68
  PJRT_FFI_Type_Register* type_register;  ///< since 0.68
  PJRT_FFI_UserData_Add* user_data_add;  ///< since 0.68
  PJRT_FFI_Register_Handler* register_handler;  ///< since 0.73
} PJRT_FFI_Extension;
PJRT_LAYOUT(PJRT_FFI_Extension, register_handler, 68:40, 73:48)

/// Another name for the same struct.
typedef PJRT_FFI_Extension PJRT_FFI;

PJRT_EXTENSION(PJRT_FFI_Extension, PJRT_Extension_Type_FFI, PJRT_API_FFI_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_FFI_H_
