//! Every program of the corpus of real programs obeys the specification.

use std::path::PathBuf;

/// The shared facts beside the workspace; absent in a plain clone, which then skips, unless CI demands them.
fn corpus() -> Option<PathBuf> {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/stablehlo/corpus");
    if dir.is_dir() {
        return Some(dir);
    }
    assert!(std::env::var_os("CI").is_none(), "the corpus is missing: {}", dir.display());
    println!("skipped: no corpus at {}", dir.display());
    None
}

#[test]
fn every_program_verifies() {
    let Some(dir) = corpus() else { return };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(&dir).expect("the corpus").map(|e| e.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "mlirbc"));
    paths.sort();
    assert!(paths.len() > 2000, "{} programs", paths.len());
    let mut failures = Vec::new();
    for path in &paths {
        let module = stablehlo::bytecode::read(&std::fs::read(path).expect("a program")).expect("a readable program");
        if let Err(errors) = stablehlo::verify::verify_with_limit(&module, 3) {
            failures.push(format!("{}: {errors}", path.file_name().unwrap_or_default().to_string_lossy()));
        }
    }
    println!("corpus: {} of {} programs verify", paths.len() - failures.len(), paths.len());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures[..failures.len().min(20)].join("\n"));
}
