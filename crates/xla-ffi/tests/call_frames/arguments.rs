//! Buffers: types, shapes, data, and what the safe call checks about them.

use crate::guest::*;
use pjrt_client_trait::{Code, ElementType};
use xla_ffi::{Attrs, BufferSpec, CallSite, Registry, RunContext, sys};

handler!(add, 5, |frame| {
    let (a, b, sum) = (argument(frame, 0), argument(frame, 1), result(frame, 0));
    ensure!(frame, frame.struct_size == sys::XLA_FFI_CallFrame::STRUCT_SIZE);
    ensure!(frame, frame.stage == sys::XLA_FFI_ExecutionStage::EXECUTE);
    ensure!(frame, a.struct_size == sys::XLA_FFI_Buffer::STRUCT_SIZE);
    ensure!(frame, dims(a) == [2, 3] && dims(b) == [2, 3] && dims(sum) == [2, 3]);
    for (sum, (a, b)) in floats(sum).iter_mut().zip(floats(a).iter().zip(floats(b).iter())) {
        *sum = a + b;
    }
    success()
});

#[test]
fn handlers_read_arguments_and_write_results() {
    let site = site(bundle(add), &[&[2, 3], &[2, 3]], &[&[2, 3]], Attrs::new([]).unwrap()).unwrap();
    for factor in [1.0, 10.0] {
        let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|x: f32| factor * x);
        let mut sum = [0.0f32; 6];
        let arguments = [bytes(&a), bytes(&a)];
        site.execute(&arguments, &mut [bytes_mut(&mut sum)], &RunContext::default()).unwrap();
        assert_eq!(sum, a.map(|x| 2.0 * x));
    }
}

#[test]
fn one_call_runs_on_many_threads_at_once() {
    let site = site(bundle(add), &[&[2, 3], &[2, 3]], &[&[2, 3]], Attrs::new([]).unwrap()).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let site = &site;
            scope.spawn(move || {
                for round in 0..100 {
                    let a = [(100 * thread + round) as f32; 6];
                    let mut sum = [0.0f32; 6];
                    let arguments = [bytes(&a), bytes(&a)];
                    site.execute(&arguments, &mut [bytes_mut(&mut sum)], &RunContext::default()).unwrap();
                    assert_eq!(sum, [2.0 * a[0]; 6]);
                }
            });
        }
    });
}

#[test]
fn slices_that_do_not_fit_are_refused() {
    let site = site(bundle(add), &[&[2, 3], &[2, 3]], &[&[2, 3]], Attrs::new([]).unwrap()).unwrap();
    let (a, mut sum, context) = ([1.0f32; 7], [0.0f32; 6], RunContext::default());
    let mut refused = |arguments: &[&[u8]], what: &str| {
        let error = site.execute(arguments, &mut [bytes_mut(&mut sum)], &context).unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument);
        assert!(error.message.contains(what) && error.message.contains("test.target"), "{error}");
    };
    let good = bytes(&a[..6]);
    refused(&[good], "2 arguments and 1 results, not 1 and 1");
    refused(&[good, bytes(&a)], "argument 1 (f32[2, 3])");
    refused(&[&bytes(&a)[1..25], good], "not aligned to 4");
    let error = site.execute(&[good, good], &mut [], &context).unwrap_err();
    assert!(error.message.contains("not 2 and 0"), "{error}");
}

handler!(every_type, 5, |frame| {
    let index = frame.args.size - 2;
    ensure!(frame, argument(frame, index as usize).rank == 0);
    ensure!(frame, argument(frame, index as usize + 1).dtype == sys::XLA_FFI_DataType::TOKEN);
    let dtype = argument(frame, 0).dtype.0;
    // SAFETY: the result is one `u32`.
    unsafe { result(frame, 0).data.cast::<u32>().write(dtype) };
    success()
});

#[test]
fn every_element_type_arrives_with_its_number() {
    // SAFETY: a handler of this test.
    let handler = unsafe { Registry::new().register("test.types", "cpu", bundle(every_type), 0) }.unwrap();
    let mut served = 0;
    for &element_type in ElementType::ALL {
        let arguments = vec![
            BufferSpec::new(element_type, [3, 0, 5]),
            BufferSpec::new(ElementType::F32, []),
            BufferSpec::new(ElementType::Token, []),
        ];
        let results = vec![BufferSpec::new(ElementType::U32, [])];
        let attrs = Attrs::new([]).unwrap();
        let site = CallSite::instantiate(handler.clone(), arguments, results, attrs, &RunContext::default());
        let site = match site {
            Ok(site) => site,
            Err(error) => {
                assert!(error.code == Code::Unimplemented && element_type.text().starts_with("f6"), "{error}");
                continue;
            }
        };
        let mut number = [0.0f32];
        let one = [1.0f32];
        site.execute(&[&[], bytes(&one), &[]], &mut [bytes_mut(&mut number)], &RunContext::default()).unwrap();
        assert_eq!(u64::from(number[0].to_bits()), element_type.primitive_type());
        served += 1;
    }
    assert_eq!(served, sys::XLA_FFI_DataType::NAMED.len() - 1);
}

#[test]
fn shapes_that_are_none_are_refused() {
    let refused = |dims: &[i64]| site(bundle(add), &[dims], &[], Attrs::new([]).unwrap()).unwrap_err();
    assert!(refused(&[2, -1]).message.contains("negative"));
    assert!(refused(&[i64::MAX, i64::MAX]).message.contains("more bytes"));
}
