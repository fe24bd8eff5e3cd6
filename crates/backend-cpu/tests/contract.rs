//! The backend through the C table, as a framework sees it.

use backend_cpu::GetPjrtApi;
use pjrt_testkit::conformance::{self, CheckResult, Outcome};
use pjrt_testkit::{Client, Code, CompileOptions, HostArray, NamedValue, Plugin, Value};

fn plugin() -> Plugin {
    // SAFETY: the table of a plugin in this binary lives as long as the process.
    unsafe { Plugin::from_api(GetPjrtApi()) }
}

fn client(options: &[(&str, i64)]) -> pjrt_testkit::Result<Client> {
    let options: Vec<_> = options.iter().map(|&(name, value)| NamedValue::new(name, Value::Int64(value))).collect();
    Client::create(&plugin(), &options)
}

#[test]
fn the_contract_is_kept() {
    let options = conformance::Options {
        client_options: vec![NamedValue::new("num_devices", Value::Int64(2))],
        ..conformance::Options::default()
    };
    let report = conformance::run_with(&plugin(), &options);
    assert!(report.is_conforming(), "{report}");
    assert!(report.counts().0 > 80, "{report}");
    let unsupported = |result: &&CheckResult| matches!(result.outcome, Outcome::Unsupported(_));
    let missing: Vec<_> = report.results.iter().filter(unsupported).map(|result| result.name).collect();
    // Programs over several devices are refused by name.
    assert_eq!(missing, ["one_execution_runs_on_several_devices"]);
}

#[test]
fn options_are_checked_by_name_type_and_range() {
    assert_eq!(client(&[("num_devices", 3), ("num_threads", 1)]).unwrap().devices().unwrap().len(), 3);
    for (options, says) in [
        (("devices", 3), "this backend knows: num_devices, num_threads, memory_limit"),
        (("num_devices", 0), "from 1 to 1024"),
        (("num_threads", 0), "from 1 to"),
        (("memory_limit", -1), "option memory_limit is -1"),
    ] {
        let error = client(&[options]).expect_err("refused");
        assert_eq!(error.code, Code::INVALID_ARGUMENT);
        assert!(error.message.contains(says), "{}", error.message);
    }
}

#[test]
fn memory_that_does_not_fit_is_refused_with_the_counters() {
    let client = client(&[("memory_limit", 100)]).unwrap();
    let device = &client.addressable_devices().unwrap()[0];
    let held = client.buffer_from_host(&HostArray::from_slice(&[0u8; 60], &[60]), device).unwrap();
    let error = client.buffer_from_host(&HostArray::from_slice(&[0u8; 60], &[60]), device).expect_err("refused");
    assert_eq!(error.code, Code::RESOURCE_EXHAUSTED);
    assert!(error.message.contains("60 of 100 bytes are in use"), "{}", error.message);
    assert!(error.message.contains("RUST_CPU_MEMORY_LIMIT"), "{}", error.message);
    drop(held);
    client.buffer_from_host(&HostArray::from_slice(&[0u8; 60], &[60]), device).expect("there is room again");
}

#[test]
fn bad_programs_are_refused_and_the_next_call_works() {
    let client = client(&[]).unwrap();
    let options = CompileOptions::on_device(0).to_bytes();
    for code in [&b""[..], b"ML\xefR", b"ML\xefR\x0dStableHLO_v1.0.0\0garbage", &[0xff; 300]] {
        let error = client.compile(code, "mlir", &options).expect_err("refused");
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "{}", error.message);
    }
    assert!(client.compile(b"", "hlo", &options).is_err());
    assert_eq!(client.devices().unwrap().len(), 1);
}
