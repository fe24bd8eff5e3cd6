//! A region as the body of a reduction, scatter, sort or map.

use super::{Context, run};
use crate::eval::error::OpError;
use crate::eval::ops::binary::BinaryOp;
use crate::eval::ops::body::Body;
use crate::eval::ops::movement::{broadcast_scalar, concatenate, read_element};
use crate::eval::plan::{RegionFunction, Routine};
use crate::eval::tensor::Tensor;
use crate::eval::value::Value;

/// A region with the values it captures.
pub(crate) struct RegionBody<'a> {
    context: &'a Context<'a>,
    function: &'a RegionFunction,
    captured: Vec<Value>,
}

impl<'a> RegionBody<'a> {
    /// The region function of an instruction with these operands.
    pub fn new(context: &'a Context<'a>, function: &'a RegionFunction, operands: &[Value]) -> RegionBody<'a> {
        RegionBody { context, function, captured: operands[function.captures.clone()].to_vec() }
    }

    fn routine(&self) -> &Routine {
        &self.context.program.routines[self.function.routine]
    }

    /// Runs the region once on arguments of any type.
    pub fn call(&self, arguments: Vec<Value>) -> Result<Vec<Value>, OpError> {
        let all = arguments.into_iter().chain(self.captured.iter().cloned()).collect();
        Ok(run(&self.context.inside(None)?, self.function.routine, all)?)
    }

    fn run(&self, context: &Context<'_>, arguments: Vec<Value>) -> Result<Vec<Tensor>, OpError> {
        let results = run(context, self.function.routine, arguments)?;
        results.into_iter().map(Value::into_tensor).collect()
    }
}

impl Body for RegionBody<'_> {
    fn apply(&self, arguments: Vec<Tensor>) -> Result<Vec<Tensor>, OpError> {
        let n = arguments.first().map_or(0, Tensor::len);
        if self.routine().liftable {
            let context = self.context.inside(Some(n))?;
            let repeat = |v: &Value| Ok(Value::from(broadcast_scalar(v.as_tensor()?, &[n])));
            let captured: Result<Vec<Value>, OpError> = self.captured.iter().map(repeat).collect();
            let all = arguments.into_iter().map(Value::from).chain(captured?);
            return self.run(&context, all.collect());
        }
        // One call for each element; a vector of none still has to tell its element types.
        if n == 0 {
            return Err(OpError::unsupported(
                "a body with control flow or tensors inside, applied to no elements at all",
            ));
        }
        let context = self.context.inside(None)?;
        let mut rows: Vec<Vec<Tensor>> = Vec::with_capacity(n);
        for i in 0..n {
            let elements = arguments.iter().map(|x| Value::from(read_element(x, i)));
            rows.push(self.run(&context, elements.chain(self.captured.iter().cloned()).collect())?);
        }
        (0..rows[0].len())
            .map(|column| {
                let parts: Vec<Tensor> = rows.iter().map(|row| row[column].clone().with_dims(&[1])).collect();
                concatenate(&parts.iter().collect::<Vec<_>>(), 0)
            })
            .collect()
    }

    fn as_binary(&self) -> Option<BinaryOp> {
        self.routine().binary.filter(|_| self.captured.is_empty())
    }

    fn is_second(&self) -> bool {
        self.routine().is_second && self.captured.is_empty()
    }
}
