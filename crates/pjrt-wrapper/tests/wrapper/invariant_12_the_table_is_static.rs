//! Invariant 12: the table is a static built once, and the caller never owns it.

use crate::support::{TestPlugin, plugin};
use pjrt_wrapper::get_api;

mod other {
    use crate::support::TestClient;
    use pjrt_client_trait::{ClientOptions, Status};

    pjrt_wrapper::pjrt_backend! {
        pub struct Other;
        client: TestClient = TestClient::create,
        topology: |_: &str, _: ClientOptions| Err(Status::unimplemented("none")),
    }
}

#[test]
fn the_table_is_static_and_the_same_for_every_caller_and_thread() {
    let first = get_api::<TestPlugin>().addr();
    let threads: Vec<_> = (0..8).map(|_| std::thread::spawn(|| get_api::<TestPlugin>().addr())).collect();
    assert!(threads.into_iter().all(|thread| thread.join().unwrap() == first));
    assert_ne!(get_api::<other::Other>().addr(), first, "each backend has its own");
}

#[test]
fn the_table_is_static_and_so_is_what_hangs_on_it() {
    let read = || {
        let plugin = plugin();
        let slots: Vec<usize> = {
            // SAFETY: the table has as many bytes as it declares.
            let words = unsafe { std::slice::from_raw_parts(plugin.raw().cast::<usize>(), plugin.table_size() / 8) };
            words.to_vec()
        };
        (slots, plugin.extensions())
    };
    let before = read();
    let session = crate::support::session();
    session.compile("copy f32[1]").run(&[&session.put(&[1.0f32], &[1])]).unwrap();
    drop(session);
    assert_eq!(read(), before);
    // SAFETY: whole Args; the array lives as long as the process.
    let attributes = || unsafe { pjrt_testkit::call!(plugin(), PJRT_Plugin_Attributes {}) }.unwrap().attributes;
    assert_eq!(attributes(), attributes());
}
