//! Events.

use std::ffi::c_void;

use pjrt_sys::{PJRT_Error, PJRT_Error_Code, PJRT_Event};

use crate::client::Client;
use crate::error::{Code, Error, Result};
use crate::plugin::{Plugin, live_call, owned_handle};

/// An event, destroyed when dropped, completed or not.
#[derive(Debug)]
pub struct Event {
    pub(crate) client: Client,
    pub(crate) raw: *mut PJRT_Event,
}

owned_handle!(Event, PJRT_Event, PJRT_Event_Destroy, event);

/// What a callback needs: the plugin to read the error with, and the closure.
struct Registration {
    plugin: Plugin,
    callback: Box<dyn FnOnce(Result<()>) + Send>,
}

impl Event {
    /// Takes an event that a call returned.
    ///
    /// # Safety
    ///
    /// `raw` is an event of this client's plugin, and the caller owns it.
    #[must_use]
    pub unsafe fn from_raw(client: &Client, raw: *mut PJRT_Event) -> Self {
        Self { client: client.clone(), raw }
    }

    /// A pending event, to be completed with [`Self::set`].
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn create(client: &Client) -> Result<Self> {
        let args = live_call!(client.plugin(), PJRT_Event_Create {})?;
        Ok(Self { client: client.clone(), raw: args.event })
    }

    /// Completes an event made by [`Self::create`].
    ///
    /// # Errors
    ///
    /// The plugin's, for instance when it is complete already.
    pub fn set(&self, code: Code, message: &str) -> Result<()> {
        live_call!(
            self.plugin(),
            PJRT_Event_Set {
                event: self.raw,
                error_code: code.0,
                error_message: message.as_ptr().cast(),
                error_message_size: message.len(),
            }
        )
        .map(|_| ())
    }

    pub(crate) fn plugin(&self) -> &Plugin {
        self.client.plugin()
    }

    /// Whether it has completed, with or without an error.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn is_ready(&self) -> Result<bool> {
        Ok(live_call!(self.plugin(), PJRT_Event_IsReady { event: self.raw })?.is_ready)
    }

    /// Outcome of a completed event.
    ///
    /// # Errors
    ///
    /// The one it completed with; also when it has not completed.
    pub fn error(&self) -> Result<()> {
        live_call!(self.plugin(), PJRT_Event_Error { event: self.raw }).map(|_| ())
    }

    /// Blocks until it has completed.
    ///
    /// # Errors
    ///
    /// The one it completed with.
    pub fn wait(&self) -> Result<()> {
        live_call!(self.plugin(), PJRT_Event_Await { event: self.raw }).map(|_| ())
    }

    /// Registers a callback that receives the outcome, once.
    ///
    /// # Errors
    ///
    /// The plugin's; the callback then never runs.
    pub fn on_ready(&self, callback: impl FnOnce(Result<()>) + Send + 'static) -> Result<()> {
        let registration = Registration { plugin: self.plugin().clone(), callback: Box::new(callback) };
        let user_arg = Box::into_raw(Box::new(registration));
        let outcome = live_call!(
            self.plugin(),
            PJRT_Event_OnReady { event: self.raw, callback: Some(run), user_arg: user_arg.cast() }
        );
        if let Err(error) = outcome {
            // SAFETY: the plugin refused the callback, so that nobody else has the registration.
            drop(unsafe { Box::from_raw(user_arg) });
            return Err(error);
        }
        Ok(())
    }
}

/// The callback in C; `user_arg` is a [`Registration`], which it takes back.
unsafe extern "C" fn run(error: *mut PJRT_Error, user_arg: *mut c_void) {
    // SAFETY: the plugin calls this once per registration, with the pointer from `on_ready`.
    let registration = unsafe { Box::from_raw(user_arg.cast::<Registration>()) };
    // SAFETY: the callback owns the error.
    let outcome = unsafe { Error::take(&registration.plugin, error, "PJRT_Event_OnReady callback") };
    (registration.callback)(outcome);
}

impl Client {
    /// An event of this client out of a call that may leave it null.
    pub(crate) fn event(&self, raw: *mut PJRT_Event, function: &'static str) -> Result<Event> {
        if raw.is_null() {
            let message = "the event was not written".to_owned();
            return Err(Error::local(PJRT_Error_Code::INTERNAL, function, message));
        }
        // SAFETY: the plugin returned it to us.
        Ok(unsafe { Event::from_raw(self, raw) })
    }
}
