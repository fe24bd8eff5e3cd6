//! Any bytes: `bytecode::read` gives a module that can be walked, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match stablehlo::bytecode::read(bytes) {
        Ok(module) => {
            for op in module.walk(module.root()).map(|op| module.op(op)) {
                let _ = (module.value_types_text(op.results()), op.loc_text());
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
