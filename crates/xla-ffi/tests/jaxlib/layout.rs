//! Sizes, offsets and numbers, against the C compiler's view of the headers.

use std::fmt::Write as _;
use std::process::Command;

use xla_ffi::sys::{self, layouts};

use crate::{headers, output};

/// Size and counted size of every struct of version 0.5, as the C compiler has them.
const SIZES: &[(&str, usize, usize)] = &[
    ("XLA_FFI_InternalExtension", 24, 24),
    ("XLA_FFI_ExtensionId", 16, 16),
    ("XLA_FFI_Extension", 32, 32),
    ("XLA_FFI_Api_Version", 24, 24),
    ("XLA_FFI_ByteSpan", 16, 16),
    ("XLA_FFI_Scalar", 16, 16),
    ("XLA_FFI_Array", 24, 24),
    ("XLA_FFI_Buffer", 48, 48),
    ("XLA_FFI_Error_Create_Args", 32, 28),
    ("XLA_FFI_Error_GetDetails_Args", 40, 36),
    ("XLA_FFI_Error_Destroy_Args", 24, 24),
    ("XLA_FFI_Metadata", 48, 36),
    ("XLA_FFI_Metadata_Extension", 32, 32),
    ("XLA_FFI_Args", 40, 40),
    ("XLA_FFI_Rets", 40, 40),
    ("XLA_FFI_Attrs", 48, 48),
    ("XLA_FFI_CallFrame", 176, 168),
    ("XLA_FFI_Future_Create_Args", 24, 16),
    ("XLA_FFI_Future_SetAvailable_Args", 24, 24),
    ("XLA_FFI_Future_SetError_Args", 32, 32),
    ("XLA_FFI_InvokeContext_FindExtension_Args", 40, 40),
    ("XLA_FFI_InvokeContext_Get_Args", 40, 40),
    ("XLA_FFI_CustomOptions_Get_Args", 32, 32),
    ("XLA_FFI_State_Set_Args", 48, 48),
    ("XLA_FFI_State_Get_Args", 48, 48),
    ("XLA_FFI_Stream_Get_Args", 32, 32),
    ("XLA_FFI_DeviceMemory_Allocate_Args", 48, 48),
    ("XLA_FFI_DeviceMemory_Free_Args", 40, 40),
    ("XLA_FFI_ThreadPool_Schedule_Args", 40, 40),
    ("XLA_FFI_ThreadPool_NumThreads_Args", 32, 32),
    ("XLA_FFI_RunId_Get_Args", 32, 32),
    ("XLA_FFI_DeviceOrdinal_Get_Args", 32, 28),
    ("XLA_FFI_TypeId", 8, 8),
    ("XLA_FFI_TypeInfo", 24, 24),
    ("XLA_FFI_Handler_Bundle", 40, 40),
    ("XLA_FFI_Handler_Register_Args", 96, 92),
    ("XLA_FFI_Type_Register_Args", 48, 40),
    ("XLA_FFI_Api", 208, 208),
];

/// Structs that say no size of their own.
const WITHOUT_STRUCT_SIZE: [&str; 5] =
    ["XLA_FFI_ByteSpan", "XLA_FFI_Scalar", "XLA_FFI_Array", "XLA_FFI_TypeId", "XLA_FFI_Handler_Bundle"];

fn numbers() -> Vec<(String, u32)> {
    let all = [
        ("Error_Code", sys::XLA_FFI_Error_Code::NAMED),
        ("DataType", sys::XLA_FFI_DataType::NAMED),
        ("ArgType", sys::XLA_FFI_ArgType::NAMED),
        ("RetType", sys::XLA_FFI_RetType::NAMED),
        ("AttrType", sys::XLA_FFI_AttrType::NAMED),
        ("ExecutionStage", sys::XLA_FFI_ExecutionStage::NAMED),
    ];
    let named = all
        .iter()
        .flat_map(|(set, named)| named.iter().map(move |(name, number)| (format!("XLA_FFI_{set}_{name}"), *number)));
    let metadata = sys::XLA_FFI_InternalExtension_Type::METADATA.0;
    named.chain([("XLA_FFI_Extension_Metadata".to_owned(), metadata)]).collect()
}

#[test]
fn structs_have_the_known_sizes() {
    let ours: Vec<_> = layouts().map(|layout| (layout.name, layout.size, layout.struct_size)).collect();
    assert_eq!(ours.len(), SIZES.len());
    for known in SIZES {
        assert!(ours.contains(known), "{known:?} is missing in {ours:?}");
    }
}

#[test]
fn layouts_and_numbers_are_those_of_the_header() {
    let Some(headers) = headers::find() else { return };
    if headers.minor < sys::XLA_FFI_API_MINOR {
        println!("skipped: the header is of version 0.{}", headers.minor);
        return;
    }
    let mut program = String::from("#include \"xla/ffi/api/c_api.h\"\n#include <stdio.h>\nint main(void) {\n");
    let mut line =
        |name: &str, value: &str| writeln!(program, "printf(\"{name} %zu\\n\", (size_t)({value}));").unwrap();
    let mut ours = Vec::new();
    for layout in layouts() {
        let name = layout.name;
        line(&format!("{name} size"), &format!("sizeof({name})"));
        ours.push((format!("{name} size"), layout.size));
        if !WITHOUT_STRUCT_SIZE.contains(&name) {
            line(&format!("{name} counted"), &format!("{name}_STRUCT_SIZE"));
            ours.push((format!("{name} counted"), layout.struct_size));
        }
        for (field, offset, size) in layout.fields {
            let field = field.trim_start_matches("r#");
            line(&format!("{name}.{field} offset"), &format!("offsetof({name}, {field})"));
            line(&format!("{name}.{field} size"), &format!("sizeof((({name}*)0)->{field})"));
            ours.push((format!("{name}.{field} offset"), *offset));
            ours.push((format!("{name}.{field} size"), *size));
        }
    }
    for (name, number) in numbers() {
        line(&name, &name);
        ours.push((name, number as usize));
    }
    program.push_str("return 0; }\n");
    let (source, binary) = (headers::scratch("layout.c"), headers::scratch("layout"));
    std::fs::write(&source, program).unwrap();
    output(Command::new("cc").arg("-I").arg(&headers.include).arg(&source).arg("-o").arg(&binary));
    let theirs = output(&mut Command::new(&binary));
    std::fs::remove_file(source).unwrap();
    std::fs::remove_file(binary).unwrap();
    let theirs: Vec<(String, usize)> = theirs
        .lines()
        .map(|line| line.rsplit_once(' ').map(|(name, number)| (name.to_owned(), number.parse().unwrap())).unwrap())
        .collect();
    assert_eq!(ours.len(), theirs.len());
    for ((name, ours), (same, theirs)) in ours.iter().zip(&theirs) {
        assert_eq!(name, same);
        // A newer minor version may add fields at the end.
        let grown = headers.minor > sys::XLA_FFI_API_MINOR && !name.contains('.') && theirs > ours;
        assert!(ours == theirs || grown, "{name}: {ours} here, {theirs} in the header of version 0.{}", headers.minor);
    }
    println!("{} facts agree with the header of version 0.{}", ours.len(), headers.minor);
}
