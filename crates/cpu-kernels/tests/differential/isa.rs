//! The instruction sets that this processor has besides its best.

use std::process::Command;

use cpu_vir::exec::ISA_VARIABLE;

/// Products and convolutions have code of their own for each instruction set: their tests run once more with the lesser
/// ones.
#[test]
fn products_agree_with_lesser_instruction_sets() {
    if std::env::var_os(ISA_VARIABLE).is_some() {
        return;
    }
    for isa in ["avx2", "baseline"] {
        let tests = std::env::current_exe().unwrap();
        let run = Command::new(tests).args(["dot::", "convolution::", "linear::"]).env(ISA_VARIABLE, isa).output();
        let run = run.unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && !said.contains("running 0 tests"), "with {isa}:\n{said}");
    }
}
