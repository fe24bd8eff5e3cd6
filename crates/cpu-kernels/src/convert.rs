//! Whole arrays from one element type to another, as a loop program: exact where it can be, rounded to nearest even
//! where it cannot.

use cpu_runtime::Pool;
use cpu_vir::{Builder, Kernel, Part, Program, Storage, Type};

use crate::parallel::run_program;

/// A conversion of so many elements.
pub(crate) struct Conversion {
    kernel: Kernel,
    picoseconds: u64,
}

impl Conversion {
    /// `None` when there is nothing to convert.
    pub(crate) fn between(from: Storage, to: Storage, elements: usize) -> Option<Conversion> {
        if from == to {
            return None;
        }
        let program = program(from, to, elements);
        let kernel = Kernel::prepare(&program).expect("a conversion is a well-formed program");
        Some(Conversion { kernel, picoseconds: cpu_vir::cost::picoseconds(&program) })
    }

    pub(crate) fn run(&self, pool: &Pool, from: &[u8], to: &mut [u8]) {
        run_program(pool, &self.kernel, self.picoseconds, &[from], &mut [to]).expect("lengths follow from the shape");
    }
}

fn program(from: Storage, to: Storage, elements: usize) -> Program {
    let mut builder = Builder::new(&[elements], 0);
    let (source, target) = (builder.input(from), builder.output(to));
    let (read, write) = (builder.dense(source), builder.dense(target));
    let part = |builder: &mut Builder, part: Part| {
        let value = builder.load_part(read.clone(), part, None);
        let (have, want) = (builder.ty(value), to.compute());
        if have == Type::F64 && to.is_small_float() {
            builder.narrow_to_odd(value)
        } else if have == want {
            value
        } else {
            builder.convert(want, value)
        }
    };
    match (from.is_complex(), to.is_complex()) {
        (false, false) => {
            let value = part(&mut builder, Part::Whole);
            builder.store(write, value);
        }
        (true, true) => {
            let (re, im) = (part(&mut builder, Part::Re), part(&mut builder, Part::Im));
            builder.store_complex(write, cpu_vir::Complex { re, im });
        }
        (false, true) => {
            let re = part(&mut builder, Part::Whole);
            let im = builder.constant(cpu_vir::Scalar::integer(to.compute(), 0));
            builder.store_complex(write, cpu_vir::Complex { re, im });
        }
        // The real part, as the specification has it.
        (true, false) => {
            let value = part(&mut builder, Part::Re);
            builder.store(write, value);
        }
    }
    builder.finish().expect("a conversion is a well-formed program")
}
