//! The first steps of every test: the plugin, a client with a script, arrays and programs.

use super::TestPlugin;
use super::script::Script;
use pjrt_testkit::sys::{PJRT_Error, PJRT_Extension_Base};
use pjrt_testkit::{
    Buffer, Client, CompileOptions, Device, FromHost, HostArray, HostElement, LoadedExecutable, Memory, NamedValue,
    Plugin, Value,
};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// The test plugin, called by a current framework.
pub fn plugin() -> Plugin {
    // SAFETY: the table of a backend is static.
    unsafe { Plugin::from_api(pjrt_wrapper::get_api::<TestPlugin>()) }
}

/// A client and what belongs to it.
pub struct Session {
    pub plugin: Plugin,
    pub client: Client,
    pub script: Arc<Script>,
}

/// A client of its own for one test.
pub fn session() -> Session {
    Session::new(&plugin())
}

impl Session {
    pub fn new(plugin: &Plugin) -> Self {
        Session::flawed(plugin, "").expect("a client")
    }

    /// A client that breaks a rule.
    pub fn flawed(plugin: &Plugin, flaw: &'static str) -> pjrt_testkit::Result<Self> {
        let (script, number) = Script::register();
        *script.flaw.lock().expect("no panic under this lock") = flaw;
        let client = Client::create(plugin, &[NamedValue::new("script", Value::Int64(number))])?;
        Ok(Session { plugin: plugin.clone(), client, script })
    }

    pub fn device(&self, index: usize) -> Device {
        self.client.addressable_devices().expect("devices").remove(index)
    }

    pub fn memory(&self, index: usize) -> Memory {
        self.client.addressable_memories().expect("memories").remove(index)
    }

    /// An array on device 0.
    pub fn put<T: HostElement>(&self, elements: &[T], dims: &[i64]) -> Buffer {
        self.put_on(0, elements, dims)
    }

    pub fn put_on<T: HostElement>(&self, device: usize, elements: &[T], dims: &[i64]) -> Buffer {
        let array = HostArray::from_slice(elements, dims);
        self.client.buffer_from_host(&array, &self.device(device)).expect("a buffer")
    }

    /// A program on device 0.
    pub fn compile(&self, program: &str) -> LoadedExecutable {
        self.try_compile(program).expect("an executable")
    }

    pub fn try_compile(&self, program: &str) -> pjrt_testkit::Result<LoadedExecutable> {
        self.client.compile(program.as_bytes(), "mlir", &CompileOptions::on_device(0).to_bytes())
    }

    /// A program on both devices.
    pub fn compile_spmd(&self, program: &str) -> LoadedExecutable {
        let options = CompileOptions::spmd(&[0, 1]).to_bytes();
        self.client.compile(program.as_bytes(), "mlir", &options).expect("an executable")
    }
}

impl Session {
    /// An array on device 0 whose upload is not waited for.
    pub fn put_pending<T: HostElement>(&self, elements: &[T], dims: &[i64]) -> Buffer {
        let array = HostArray::from_slice(elements, dims);
        // SAFETY: with these semantics the array is read during the call only.
        let made = unsafe { self.client.buffer_from_host_with(&array, &FromHost::to_device(&self.device(0))) };
        made.expect("a buffer").0
    }
}

/// Arguments of the function of a custom extension, as its callers declare them.
#[repr(C)]
struct CallArgs {
    struct_size: usize,
    method: *const c_char,
    method_size: usize,
    input: *const c_char,
    input_size: usize,
    output: *const c_char,
    output_size: usize,
    holder: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// Calls a method of a custom extension.
pub fn call_extension(plugin: &Plugin, kind: u32, method: &str, input: &[u8]) -> pjrt_testkit::Result<Vec<u8>> {
    type Call = unsafe extern "C" fn(*mut PJRT_Extension_Base, *mut CallArgs) -> *mut PJRT_Error;
    let node = plugin.extensions().into_iter().find(|node| node.kind.0 == kind).expect("the extension");
    assert_eq!(node.struct_size, size_of::<PJRT_Extension_Base>() + size_of::<usize>());
    let mut args = CallArgs {
        struct_size: size_of::<CallArgs>(),
        method: method.as_ptr().cast(),
        method_size: method.len(),
        input: input.as_ptr().cast(),
        input_size: input.len(),
        output: std::ptr::null(),
        output_size: 0,
        holder: std::ptr::null_mut(),
        deleter: None,
    };
    // SAFETY: behind the base of such a node is its function, which takes the node and these arguments; the
    // output lives until the deleter is called, once.
    unsafe {
        let call = node.raw.add(1).cast::<Call>().read();
        pjrt_testkit::Error::take(plugin, call(node.raw, &raw mut args), "custom extension")?;
        let output = std::slice::from_raw_parts(args.output.cast::<u8>(), args.output_size).to_vec();
        args.deleter.expect("a deleter")(args.holder);
        Ok(output)
    }
}
