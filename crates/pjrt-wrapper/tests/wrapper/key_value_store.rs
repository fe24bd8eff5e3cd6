//! The key-value store of a job: used when the options name several processes, and never otherwise.

use crate::support::{Script, plugin};
use pjrt_testkit::sys::PJRT_Client_Create_Args;
use pjrt_testkit::{Caller, ClientBuilder, Code, KeyValueStore, NamedValue, Value};
use std::sync::Arc;

fn options(script: i64, nodes: Option<i64>, node: i64) -> Vec<NamedValue> {
    let mut options =
        vec![NamedValue::new("script", Value::Int64(script)), NamedValue::new("node_id", Value::Int64(node))];
    options.extend(nodes.map(|nodes| NamedValue::new("num_nodes", Value::Int64(nodes))));
    options
}

#[test]
fn key_value_store_serves_several_processes() {
    let store = Arc::new(KeyValueStore::default());
    for node in 0..2 {
        let (script, number) = Script::register();
        let plugin = plugin();
        let builder = ClientBuilder::new(&plugin).options(&options(number, Some(2), node)).key_value_store(&store);
        let client = builder.create().unwrap();
        assert_eq!(script.seen().rendezvous, Some(format!("hello from {node}").into_bytes()));
        assert_eq!(client.process_index().unwrap(), node as i32);
    }
    assert_eq!(store.len(), 2);
}

#[test]
fn key_value_store_of_frameworks_without_try_get_waits_briefly_instead() {
    let store = Arc::new(KeyValueStore::default());
    let (script, number) = Script::register();
    let old = plugin().called_by(Caller::at_minor(57));
    // The backend asks for a key that nobody puts, and expects NOT_FOUND.
    ClientBuilder::new(&old).options(&options(number, Some(2), 1)).key_value_store(&store).create().unwrap();
    assert_eq!(script.seen().rendezvous, Some(b"hello from 1".to_vec()));
    assert_eq!(store.len(), 1);
}

#[test]
fn key_value_store_pointers_are_garbage_in_a_single_process() {
    // The callbacks of the testkit end the process when they are called.
    let plugin = plugin();
    for nodes in [None, Some(1)] {
        let (script, number) = Script::register();
        ClientBuilder::new(&plugin).options(&options(number, nodes, 0)).create().unwrap();
        assert!(script.seen().rendezvous.is_none());
    }
}

#[test]
fn key_value_store_options_are_checked() {
    let plugin = plugin();
    let create = |values: &[NamedValue]| ClientBuilder::new(&plugin).options(values).create().unwrap_err();
    for (nodes, node) in [(Some(0), 0), (Some(-1), 0), (Some(2), 2), (Some(2), -1), (None, 1)] {
        let error = create(&options(0, nodes, node));
        assert_eq!(error.code, Code::INVALID_ARGUMENT, "{nodes:?} {node}: {error}");
    }
    let error = create(&[NamedValue::new("num_nodes", Value::String("two".to_owned()))]);
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("num_nodes"), "{error}");
    let error = create(&[NamedValue::new("scirpt", Value::Int64(1))]);
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("scirpt"), "{error}");
    assert!(error.message.contains("cannot start"), "{error}");
    // Several processes, but no callbacks.
    let several = options(0, Some(2), 0);
    let values = NamedValue::to_raw_array(&several);
    let fill =
        |args: &mut PJRT_Client_Create_Args| (args.create_options, args.num_options) = (values.as_ptr(), values.len());
    // SAFETY: the options outlive the call; the callbacks are null.
    let error = unsafe { plugin.call(plugin.api().PJRT_Client_Create, "x", fill) }.unwrap_err();
    assert!(error.code == Code::INVALID_ARGUMENT && error.message.contains("key-value get"), "{error}");
}
