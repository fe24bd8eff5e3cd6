//! `census`: how often each op occurs.

use std::collections::BTreeMap;

use super::input::Programs;
use super::{Error, show};

/// Arguments of `census`.
#[derive(clap::Args)]
pub struct Census {
    #[command(flatten)]
    programs: Programs,
}

impl Census {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Error> {
        // Uses, and in how many programs.
        let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        let programs = self.programs.read()?;
        let (mut total, number) = (0, programs.len());
        for (_, module) in programs {
            let module = module?;
            let mut here: BTreeMap<&str, u64> = BTreeMap::new();
            for op in module.walk(module.root()) {
                *here.entry(module.op(op).name()).or_default() += 1;
                total += 1;
            }
            for (name, uses) in here {
                let count = counts.entry(name.to_owned()).or_default();
                *count = (count.0 + uses, count.1 + 1);
            }
        }
        let mut rows: Vec<_> = counts.into_iter().collect();
        rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut text = String::new();
        for (name, (uses, programs)) in rows {
            text.push_str(&format!("{uses:>10} {programs:>8}  {name}\n"));
        }
        text.push_str(&format!("{total:>10} {number:>8}  all\n"));
        show(&text)
    }
}
