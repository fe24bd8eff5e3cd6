//! Functions of scalars that a kernel is given: a loop program of one dimension, applied to tiles of arguments.

use cpu_vir::{Access, Inst, Kernel, Program, Role, Storage};

use crate::{KernelError, Shape};

/// Points that a body is applied to at a time.
pub(crate) const TILE: usize = 1024;

/// A function of scalars, ready to be applied to up to [`TILE`] points.
pub(crate) struct Body {
    kernel: Kernel,
    captures: Vec<Shape>,
}

impl Body {
    /// The function of a program with one dimension, whatever its size. Its inputs are the arguments, each read at
    /// the point (offset 0, stride 1), and then captured scalars (stride 0); its outputs are the results.
    ///
    /// # Errors
    /// When the program is not of that form, or its types are others.
    pub(crate) fn prepare(
        op: &'static str,
        program: &Program,
        arguments: &[Storage],
        results: &[Storage],
    ) -> Result<Body, KernelError> {
        let invalid = |problem: String| KernelError::invalid(op, format!("the body {problem}"));
        let storages =
            |role| -> Vec<Storage> { program.with_role(role).map(|id| program.operands[id.index()].storage).collect() };
        let (inputs, outputs) = (storages(Role::Input), storages(Role::Output));
        if !inputs.starts_with(arguments) || outputs != results {
            return Err(invalid(format!("maps {inputs:?} to {outputs:?}, not {arguments:?} to {results:?}")));
        }
        if program.dims.len() != 1 || program.reduced != 0 {
            return Err(invalid("is no loop of one dimension".into()));
        }
        let places: Vec<_> = program.with_role(Role::Input).collect();
        let is_plain = |access: &Access| {
            let captured = places.iter().skip(arguments.len()).any(|id| *id == access.operand);
            access.offset == 0 && access.strides == [i64::from(!captured)]
        };
        let loads_are_plain = program.body.iter().all(|inst| match inst {
            Inst::Load { access, guard, .. } => is_plain(access) && guard.is_none(),
            Inst::Gather { .. } | Inst::Index { .. } => false,
            _ => true,
        });
        if !loads_are_plain || !program.stores.iter().all(|store| is_plain(&store.access)) {
            return Err(invalid("reads or writes elsewhere than at its point".into()));
        }
        let tile = Program { dims: vec![TILE], ..program.clone() };
        let kernel = Kernel::prepare(&tile).map_err(|error| invalid(error.to_string()))?;
        let captures = inputs[arguments.len()..].iter().map(|storage| Shape::new(*storage, &[])).collect();
        Ok(Body { kernel, captures })
    }

    /// Shapes of the captured scalars, which follow the operands of the kernel that has this body.
    pub(crate) fn captures(&self) -> &[Shape] {
        &self.captures
    }

    /// Applies the function to the first `count` points, at most [`TILE`]. Arguments and results have room for a
    /// whole tile.
    pub(crate) fn apply(&self, count: usize, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        self.kernel.run(inputs, outputs, 0..count).expect("operands of a tile");
    }
}

/// Cuts memory into buffers for one tile of each storage.
pub(crate) fn tiles<'a>(mut memory: &'a mut [u8], storages: &[Storage]) -> Vec<&'a mut [u8]> {
    let mut cut = |storage: &Storage| {
        let (tile, rest) = std::mem::take(&mut memory).split_at_mut(storage.size() * TILE);
        memory = rest;
        tile
    };
    storages.iter().map(&mut cut).collect()
}

/// Bytes of a tile of each storage.
pub(crate) fn tile_bytes(storages: &[Storage]) -> usize {
    storages.iter().map(|storage| storage.size() * TILE).sum()
}

macro_rules! by_size {
    ($size:expr, $W:ident => $body:expr) => {
        match $size {
            1 => {
                type $W = u8;
                $body
            }
            2 => {
                type $W = u16;
                $body
            }
            4 => {
                type $W = u32;
                $body
            }
            8 => {
                type $W = u64;
                $body
            }
            _ => {
                type $W = u128;
                $body
            }
        }
    };
}
pub(crate) use by_size;
