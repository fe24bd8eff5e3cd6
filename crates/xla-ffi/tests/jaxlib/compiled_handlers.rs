//! Handlers in C++, compiled with jaxlib's headers and loaded: what users of `jax.ffi` have.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use pjrt_client_trait::{Code, ElementType, ExecuteContext, Result, UserData, UserDataContext};
use xla_ffi::{Attr, Attrs, BufferSpec, CallSite, Registry, RunContext, Task, ThreadPool, sys};

use crate::headers::Headers;
use crate::{headers, output};

/// A loaded library; never unloaded, as handlers must not be.
struct Library(*mut c_void);

impl Library {
    /// Compiles `handlers.cc`; `None` without a C++ compiler.
    fn compile(headers: &Headers) -> Option<Library> {
        if Command::new("c++").arg("--version").output().is_err() {
            println!("skipped: there is no C++ compiler");
            return None;
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jaxlib/handlers.cc");
        let library = headers::scratch("handlers.so");
        let mut compile = Command::new("c++");
        compile.args(["-std=c++17", "-O1", "-fPIC", "-shared", "-I"]).arg(&headers.include);
        output(compile.arg(source).arg("-o").arg(&library));
        let path = CString::new(library.to_str().unwrap()).unwrap();
        // SAFETY: a terminated path of a library whose initialisers only fill its own variables.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        assert!(!handle.is_null(), "{} does not load", library.display());
        std::fs::remove_file(library).unwrap();
        Some(Library(handle))
    }

    fn symbol(&self, name: &str) -> *mut c_void {
        let terminated = CString::new(name).unwrap();
        // SAFETY: a loaded library and a terminated name.
        let symbol = unsafe { libc::dlsym(self.0, terminated.as_ptr()) };
        assert!(!symbol.is_null(), "{name} is missing");
        symbol
    }

    fn handler(&self, name: &str) -> sys::XLA_FFI_Handler {
        // SAFETY: the symbols that are asked for are handlers.
        unsafe { std::mem::transmute::<*mut c_void, sys::XLA_FFI_Handler>(self.symbol(name)) }
    }

    fn number(&self, name: &str) -> i64 {
        // SAFETY: the symbols that are asked for are such functions.
        unsafe { std::mem::transmute::<*mut c_void, extern "C" fn() -> i64>(self.symbol(name))() }
    }

    /// A call of a handler with arguments and results of `f32`.
    fn site(&self, name: &str, shapes: (&[&[i64]], &[&[i64]]), attrs: Vec<(String, Attr)>) -> Result<Arc<CallSite>> {
        let instantiate = (name == "Count").then(|| self.handler("CountInstantiate"));
        let bundle = sys::XLA_FFI_Handler_Bundle {
            instantiate,
            prepare: None,
            initialize: None,
            execute: Some(self.handler(name)),
            record: None,
        };
        // SAFETY: handlers of a library that stays loaded.
        let handler = unsafe { Registry::new().register(name, "cpu", bundle, 0) }?;
        let specs = |shapes: &[&[i64]]| shapes.iter().map(|&dims| BufferSpec::new(ElementType::F32, dims)).collect();
        CallSite::instantiate(handler, specs(shapes.0), specs(shapes.1), Attrs::new(attrs)?, &RunContext::default())
    }
}

struct Spawning;

impl ThreadPool for Spawning {
    fn schedule(&self, task: Task) {
        std::thread::spawn(move || task.run());
    }

    fn num_threads(&self) -> usize {
        2
    }
}

/// Runs a call on floats; one result.
fn run(site: &Arc<CallSite>, arguments: &[&[f32]], len: usize, context: &RunContext) -> Result<Vec<f32>> {
    let arguments: Vec<Vec<u8>> = arguments.iter().map(|floats| bytes(floats)).collect();
    let mut memory = vec![0.0f32; len];
    let arguments: Vec<*const u8> = arguments.iter().map(Vec::as_ptr).collect();
    // SAFETY: all of it outlives the wait; vectors of bytes are aligned for floats by the allocator.
    unsafe { site.start(&arguments, &[memory.as_mut_ptr().cast()], context) }.wait()?;
    Ok(memory)
}

fn bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_ne_bytes()).collect()
}

fn named(name: &str, attr: impl Into<Attr>) -> (String, Attr) {
    (name.to_owned(), attr.into())
}

#[test]
fn cpp_handlers_find_all_they_ask_for() -> Result<()> {
    let Some(headers) = headers::find() else { return Ok(()) };
    let Some(library) = Library::compile(&headers) else { return Ok(()) };
    let plain = RunContext::default();
    register_types(&library, headers.minor);
    attributes(&library, &plain)?;
    states(&library, &plain)?;
    futures(&library)?;
    user_data_and_scratch(&library)?;

    let error = run(&library.site("Stream", (&[], &[&[]]), vec![])?, &[], 1, &plain).unwrap_err();
    assert!(error.message.contains("no streams"), "{error}");
    if headers.minor >= 2 {
        let where_from = RunContext { run_id: Some(7), device_ordinal: Some(3), ..RunContext::default() };
        assert_eq!(run(&library.site("Where", (&[], &[&[]]), vec![])?, &[], 1, &where_from)?, [703.0]);
    }
    if headers.minor >= 5 {
        let site = library.site("Options", (&[], &[&[]]), vec![])?;
        let options = Some(Arc::new(Attrs::new([named("scale", 2.5f64)])?));
        assert_eq!(run(&site, &[], 1, &RunContext { custom_options: options, ..RunContext::default() })?, [2.5]);
        assert!(run(&site, &[], 1, &plain).unwrap_err().message.contains("scale"));
    }
    println!("handlers of version 0.{}", headers.minor);
    Ok(())
}

/// Types are registered with the table, since 0.2.
fn register_types(library: &Library, minor: i32) {
    type Register = unsafe extern "C" fn(*const sys::XLA_FFI_Api) -> *mut sys::XLA_FFI_Error;
    // SAFETY: the symbol is such a function, and the table is complete.
    let error =
        unsafe { std::mem::transmute::<*mut c_void, Register>(library.symbol("RegisterTypes"))(xla_ffi::api()) };
    assert!(error.is_null());
    let known = xla_ffi::type_id("cc.Shared");
    assert_eq!(known, (minor >= 2).then(|| library.number("SharedId")));
}

fn attributes(library: &Library, plain: &RunContext) -> Result<()> {
    let attrs = |name: &str, key: &str| {
        vec![
            named("factor", 2.0f32),
            named("name", name),
            named("list", &[10i64, 20][..]),
            named("dict", Attr::Dictionary(vec![named(key, 3i32), named("a", true)])),
        ]
    };
    let shapes: (&[&[i64]], &[&[i64]]) = (&[&[2, 2]], &[&[2, 2]]);
    let site = library.site("Scale", shapes, attrs("linear", "k"))?;
    assert_eq!(run(&site, &[&[1.0, 2.0, 3.0, 4.0]], 4, plain)?, [35.0, 37.0, 39.0, 41.0]);
    let error = run(&library.site("Scale", shapes, attrs("cubic", "k"))?, &[&[0.0; 4]], 4, plain).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::InvalidArgument, "no such function"));
    assert!(run(&library.site("Scale", shapes, attrs("linear", "z"))?, &[&[0.0; 4]], 4, plain).is_err());
    Ok(())
}

fn states(library: &Library, plain: &RunContext) -> Result<()> {
    let site = |start: i64| library.site("Count", (&[], &[&[]]), vec![named("start", start)]);
    let (one, other) = (site(5)?, site(100)?);
    for round in 0..3u8 {
        assert_eq!(run(&one, &[], 1, plain)?, [5.0 + f32::from(round)]);
        assert_eq!(run(&other, &[], 1, plain)?, [100.0 + f32::from(round)]);
    }
    drop(one);
    assert_eq!(library.number("Deleted"), 1);
    drop(other);
    assert_eq!(library.number("Deleted"), 2);
    Ok(())
}

fn futures(library: &Library) -> Result<()> {
    let pool = RunContext { thread_pool: Some(Arc::new(Spawning)), ..RunContext::default() };
    let site = library.site("SumLater", (&[&[], &[], &[]], &[&[]]), vec![])?;
    for round in 0..100u8 {
        assert_eq!(run(&site, &[&[f32::from(round)], &[2.0], &[3.0]], 1, &pool)?, [f32::from(round) + 5.0]);
    }
    let error = run(&site, &[&[-9.0], &[2.0], &[3.0]], 1, &pool).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::Internal, "the sum is negative"));
    Ok(())
}

fn user_data_and_scratch(library: &Library) -> Result<()> {
    let site = library.site("Reverse", (&[&[3]], &[&[3]]), vec![])?;
    let shared = 0.5f32;
    let user_data = UserDataContext::default();
    user_data.add_user_data(library.number("SharedId"), UserData((&raw const shared).expose_provenance()))?;
    let context = RunContext { user_data: Some(Arc::new(user_data)), ..RunContext::default() };
    assert_eq!(run(&site, &[&[1.0, 2.0, 3.0]], 3, &context)?, [3.5, 2.5, 1.5]);
    let error = run(&site, &[&[1.0, 2.0, 3.0]], 3, &RunContext::default()).unwrap_err();
    assert!(error.message.contains("no user data of type"), "{error}");
    Ok(())
}
