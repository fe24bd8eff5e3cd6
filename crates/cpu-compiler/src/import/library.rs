//! Sorts, transforms, random bits, decompositions: ops that are a kernel as they stand.

use super::Importer;
use super::kernels::{sizes, supported};
use super::patterns::sort_keys;
use crate::error::Result;
use crate::graph::{Op, Value};
use crate::kernel::Prepared;
use cpu_kernels::{
    Cholesky, Fft, FftKind, KeyOrder, RandomAlgorithm, RngBitGenerator, Sort, SortBody, SortKey, TopK, TriangularSolve,
    TriangularSystem,
};
use stablehlo::ElementType;
use stablehlo::ir::attrs::{FftType, RngAlgorithm, Transpose};
use stablehlo::ir::{Attr, OpCode, OpRef};
use std::sync::Arc;

impl<'m> Importer<'m> {
    /// The results of an op of the library; `None` when it is none of it.
    pub(super) fn library(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        match op.code() {
            OpCode::Sort => self.sort(op),
            OpCode::ChloTopK => self.top_k(op, op.int("k")?, true),
            OpCode::CustomCall if op.string("call_target_name")? == "mhlo.topk" => {
                let Some(Attr::Dict(entries)) = op.attr("mhlo.attributes") else { return Ok(None) };
                let Some(Attr::Integer { value, .. }) = self.module.dict_get(entries, "k") else { return Ok(None) };
                let largest = !matches!(self.module.dict_get(entries, "largest"), Some(Attr::Bool(false)));
                self.top_k(op, *value, largest)
            }
            OpCode::Fft => self.fft(op),
            OpCode::RngBitGenerator => self.random_bits(op),
            OpCode::Cholesky => {
                let inputs = self.operands(op)?;
                let shape = self.shape(inputs[0])?;
                let Some(kernel) = supported(Cholesky::prepare(&shape, op.bool_or("lower", false)?))? else {
                    return Ok(None);
                };
                let size = shape.dims.last().copied().unwrap_or(1);
                self.prepared(op, kernel, inputs, 200 + (shape.elements() * size) as u64 / 4)
            }
            OpCode::TriangularSolve => self.triangular_solve(op),
            _ => Ok(None),
        }
    }

    fn sort(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let mut inputs = self.operands(op)?;
        let shapes = self.shapes(&inputs)?;
        let rank = shapes[0].rank();
        let dimension = op.int_or("dimension", -1)?;
        let dimension = if dimension < 0 { dimension + rank as i64 } else { dimension } as usize;
        // The parts of a complex number have an order of their own in JAX's comparators.
        let keys = sort_keys(op).filter(|keys| keys.iter().all(|key| !shapes[key.operand].storage.is_complex()));
        if let Some(keys) = &keys
            && let Some(k) = self.wanted_prefix(op, dimension)
            && let Some(results) = self.first_of_sort(op, &inputs, keys, dimension, k)?
        {
            return Ok(Some(results));
        }
        let body = match keys {
            Some(keys) => SortBody::Keys(keys),
            None => {
                let Some((program, captured)) = self.region_program(op, 0)? else { return Ok(None) };
                inputs.extend(captured);
                SortBody::Program(program)
            }
        };
        let Some(kernel) = supported(Sort::prepare(&shapes, dimension, &body))? else { return Ok(None) };
        let nanoseconds = 200 + 20 * shapes[0].elements() as u64;
        self.prepared(op, kernel, inputs, nanoseconds)
    }

    /// How many elements at the beginning of each row anybody wants of a sort, if that is not all of them.
    fn wanted_prefix(&mut self, op: OpRef<'m>, dimension: usize) -> Option<usize> {
        let module = self.module;
        let mut wanted = None;
        for result in op.results() {
            for &user in self.users().get(result).map_or(&[][..], Vec::as_slice) {
                let user = module.op(user);
                let prefix = user.result_tensor(0)?.dims.get(dimension).and_then(|&size| usize::try_from(size).ok())?;
                let (from, to) = (user.operand_tensor(0)?, user.result_tensor(0)?);
                let plain = user.code() == OpCode::Slice
                    && user.i64s("start_indices").ok()?.iter().all(|&start| start == 0)
                    && user.i64s("strides").ok()?.iter().all(|&stride| stride == 1)
                    && (0..from.rank()).all(|d| d == dimension || from.dims[d] == to.dims[d]);
                if !plain || *wanted.get_or_insert(prefix) != prefix {
                    return None;
                }
            }
        }
        wanted
    }

    /// A sort of values with their places, of which only the greatest are wanted: a part of what JAX's `top_k` becomes
    /// in portable programs. The results are as short as what is cut from them.
    fn first_of_sort(
        &mut self,
        op: OpRef<'m>,
        inputs: &[Value],
        keys: &[SortKey],
        dimension: usize,
        k: usize,
    ) -> Result<Option<Vec<Value>>> {
        let (&[x, places], &[key]) = (inputs, keys) else { return Ok(None) };
        let shape = self.shape(x)?;
        let counted = matches!(self.graph.op(places), Op::Iota(dim) if *dim == dimension)
            && self.graph.ty(places).element == Some(ElementType::I32);
        if !counted || key.operand != 0 || !key.descending || dimension + 1 != shape.rank() {
            return Ok(None);
        }
        let Some(kernel) = supported(TopK::prepare(&shape, k, true, key.order))? else { return Ok(None) };
        let nanoseconds = 200 + 2 * shape.elements() as u64;
        let mut results = self.result_types(op)?;
        for ty in &mut results {
            let mut short = (**ty).clone();
            short.dims[dimension] = k;
            *ty = Arc::new(short);
        }
        let kernel = Prepared { name: "top_k", kernel, nanoseconds, flops: 0.0 };
        Ok(Some(self.kernel(Arc::new(kernel), vec![x], &results, false)))
    }

    fn top_k(&mut self, op: OpRef<'m>, k: i64, largest: bool) -> Result<Option<Vec<Value>>> {
        let inputs = self.operands(op)?;
        let shape = self.shape(inputs[0])?;
        let plain = !shape.storage.is_complex() && shape.rank() > 0;
        let Some(k) = usize::try_from(k).ok().filter(|_| plain) else { return Ok(None) };
        let Some(kernel) = supported(TopK::prepare(&shape, k, largest, KeyOrder::Total))? else { return Ok(None) };
        self.prepared(op, kernel, inputs, 200 + 2 * shape.elements() as u64)
    }

    fn fft(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let inputs = self.operands(op)?;
        let shape = self.shape(inputs[0])?;
        let kind = match op.fft_type()? {
            FftType::Fft => FftKind::Fft,
            FftType::Ifft => FftKind::Ifft,
            FftType::Rfft => FftKind::Rfft,
            FftType::Irfft => FftKind::Irfft,
        };
        let kernel = Fft::prepare(&shape, kind, &sizes(op.i64s("fft_length")?))?;
        self.prepared(op, kernel, inputs, 500 + 10 * shape.elements() as u64)
    }

    fn random_bits(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let inputs = self.operands(op)?;
        let results = self.result_types(op)?;
        let algorithm = match op.rng_algorithm()? {
            RngAlgorithm::ThreeFry => RandomAlgorithm::ThreeFry,
            RngAlgorithm::Philox | RngAlgorithm::Default => RandomAlgorithm::Philox,
        };
        let result = super::kernels::shape(&results[1])?;
        let kernel = RngBitGenerator::prepare(algorithm, &self.shape(inputs[0])?, &result)?;
        self.prepared(op, kernel, inputs, 200 + 2 * result.elements() as u64)
    }

    fn triangular_solve(&mut self, op: OpRef<'m>) -> Result<Option<Vec<Value>>> {
        let inputs = self.operands(op)?;
        let (a, b) = (self.shape(inputs[0])?, self.shape(inputs[1])?);
        let transpose = op.transpose_a()?;
        let system = TriangularSystem {
            left_side: op.bool("left_side")?,
            lower: op.bool("lower")?,
            unit_diagonal: op.bool("unit_diagonal")?,
            transposed: matches!(transpose, Transpose::Transpose | Transpose::Adjoint),
            conjugated: transpose == Transpose::Adjoint,
        };
        let Some(kernel) = supported(TriangularSolve::prepare(&a, &b, system))? else { return Ok(None) };
        let size = a.dims.last().copied().unwrap_or(1);
        self.prepared(op, kernel, inputs, 200 + (b.elements() * size) as u64 / 4)
    }
}
