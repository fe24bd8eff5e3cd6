//! `verify`: programs against the constraints of the specification.

use stablehlo::verify::verify;

use super::Error;
use super::input::Programs;

/// Arguments of `verify`.
#[derive(clap::Args)]
pub struct Verify {
    #[command(flatten)]
    programs: Programs,
}

impl Verify {
    /// Runs the command; fails if any program does.
    pub fn run(&self) -> Result<(), Error> {
        let programs = self.programs.read()?;
        let (count, mut failed) = (programs.len(), 0);
        for (name, module) in programs {
            let result = module.and_then(|module| verify(&module).map_err(|errors| format!("{name}: {errors}").into()));
            if let Err(error) = result {
                failed += 1;
                eprintln!("{error}");
            }
        }
        match failed {
            0 => Ok(()),
            _ => Err(format!("{failed} of {count} programs are not valid").into()),
        }
    }
}
