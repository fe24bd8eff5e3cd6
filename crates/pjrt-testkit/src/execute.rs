//! Execution: options, contexts, arguments and outputs of several devices.

use std::ffi::CString;

use pjrt_sys::{PJRT_Buffer, PJRT_Event, PJRT_ExecuteContext, PJRT_ExecuteOptions, PJRT_LoadedExecutable_Execute_Args};

use crate::buffer::Buffer;
use crate::client::Client;
use crate::device::Device;
use crate::error::Result;
use crate::event::Event;
use crate::executable::LoadedExecutable;
use crate::plugin::{Plugin, live_call, owned_handle};

/// An execute context, destroyed when dropped.
#[derive(Debug)]
pub struct ExecuteContext {
    client: Client,
    raw: *mut PJRT_ExecuteContext,
}

owned_handle!(ExecuteContext, PJRT_ExecuteContext, PJRT_ExecuteContext_Destroy, context);

impl ExecuteContext {
    /// An empty context.
    ///
    /// # Errors
    ///
    /// The plugin's.
    pub fn create(client: &Client) -> Result<Self> {
        let args = live_call!(client.plugin(), PJRT_ExecuteContext_Create {})?;
        Ok(Self { client: client.clone(), raw: args.context })
    }

    pub(crate) fn plugin(&self) -> &Plugin {
        self.client.plugin()
    }
}

/// Options of one execution.
#[derive(Debug, Clone, Default)]
pub struct ExecuteOptions<'a> {
    /// Launch id.
    pub launch_id: i32,
    /// Parameters that must not be donated.
    pub non_donatable_input_indices: Vec<i64>,
    /// Context.
    pub context: Option<&'a ExecuteContext>,
    /// Source location.
    pub call_location: Option<CString>,
    /// Do not ask for completion events.
    pub without_events: bool,
    /// Run on this device only.
    pub execute_device: Option<&'a Device>,
}

/// What an execution returns.
#[derive(Debug)]
pub struct Execution {
    /// Outputs by device and position.
    pub outputs: Vec<Vec<Buffer>>,
    /// Completion by device; empty when not asked for.
    pub complete: Vec<Event>,
}

impl Execution {
    /// Waits for every device.
    ///
    /// # Errors
    ///
    /// The first error of a device.
    pub fn wait(&self) -> Result<()> {
        self.complete.iter().try_for_each(Event::wait)
    }

    /// The outputs of an execution on one device, once complete.
    ///
    /// # Errors
    ///
    /// That of the device.
    ///
    /// # Panics
    ///
    /// When there are several devices.
    pub fn single(mut self) -> Result<Vec<Buffer>> {
        self.wait()?;
        assert_eq!(self.outputs.len(), 1, "devices");
        Ok(self.outputs.remove(0))
    }
}

impl LoadedExecutable {
    /// Runs on one device with default options and waits.
    ///
    /// # Errors
    ///
    /// The plugin's, or that of the execution.
    pub fn run(&self, arguments: &[&Buffer]) -> Result<Vec<Buffer>> {
        self.execute(&[arguments.to_vec()], &ExecuteOptions::default())?.single()
    }

    /// Starts an execution: arguments by device and position.
    ///
    /// # Errors
    ///
    /// The plugin's.
    ///
    /// # Panics
    ///
    /// When the devices have different numbers of arguments, or the plugin writes an output although it
    /// fails, or fails to write one although it succeeds.
    pub fn execute(&self, arguments: &[Vec<&Buffer>], options: &ExecuteOptions<'_>) -> Result<Execution> {
        const NAME: &str = "PJRT_LoadedExecutable_Execute";
        let num_outputs = self.executable()?.num_outputs()?;
        let num_args = arguments.first().map_or(0, Vec::len);
        assert!(arguments.iter().all(|list| list.len() == num_args), "as many arguments on every device");
        let argument_lists: Vec<Vec<*mut PJRT_Buffer>> =
            arguments.iter().map(|list| list.iter().map(|buffer| buffer.raw).collect()).collect();
        let argument_pointers: Vec<*const *mut PJRT_Buffer> = argument_lists.iter().map(|list| list.as_ptr()).collect();
        // One slot behind the outputs shows whether the plugin writes too many.
        let untouched = std::ptr::dangling_mut::<u64>().cast::<PJRT_Buffer>();
        let mut output_lists = vec![vec![untouched; num_outputs + 1]; arguments.len()];
        let output_pointers: Vec<*mut *mut PJRT_Buffer> =
            output_lists.iter_mut().map(|list| list.as_mut_ptr()).collect();
        let mut events: Vec<*mut PJRT_Event> = vec![std::ptr::null_mut(); arguments.len()];
        let mut raw_options = self.plugin().arguments(NAME, |raw: &mut PJRT_ExecuteOptions| {
            raw.launch_id = options.launch_id;
            raw.non_donatable_input_indices = options.non_donatable_input_indices.as_ptr();
            raw.num_non_donatable_input_indices = options.non_donatable_input_indices.len();
            raw.context = options.context.map_or(std::ptr::null_mut(), ExecuteContext::raw);
            raw.call_location = options.call_location.as_ref().map_or(std::ptr::null(), |text| text.as_ptr());
            raw.use_major_to_minor_data_layout_for_callbacks = true;
        })?;
        let fill = |args: &mut PJRT_LoadedExecutable_Execute_Args| {
            args.executable = self.raw;
            args.options = raw_options.as_mut_ptr();
            args.argument_lists = argument_pointers.as_ptr();
            args.num_devices = arguments.len();
            args.num_args = num_args;
            args.output_lists = output_pointers.as_ptr();
            args.device_complete_events =
                if options.without_events { std::ptr::null_mut() } else { events.as_mut_ptr() };
            args.execute_device = options.execute_device.map_or(std::ptr::null_mut(), |device| device.raw);
        };
        // SAFETY: all lists have the lengths that are stored beside them and outlive the call.
        let outcome = unsafe { self.plugin().call(self.plugin().api().PJRT_LoadedExecutable_Execute, NAME, fill) };
        raw_options.check(NAME);
        let written = |list: &Vec<*mut PJRT_Buffer>| list.iter().take_while(|raw| **raw != untouched).count();
        if let Err(error) = outcome {
            assert!(output_lists.iter().all(|list| written(list) == 0), "{NAME} failed and wrote outputs");
            return Err(error);
        }
        let outputs = output_lists
            .into_iter()
            .map(|mut list| {
                assert_eq!(written(&list), num_outputs, "outputs written by {NAME}");
                list.truncate(num_outputs);
                // SAFETY: the plugin returned the buffers to us.
                list.into_iter().map(|raw| unsafe { Buffer::from_raw(&self.client, raw) }).collect()
            })
            .collect();
        let complete = if options.without_events {
            Vec::new()
        } else {
            events.into_iter().map(|raw| self.client.event(raw, NAME)).collect::<Result<_>>()?
        };
        Ok(Execution { outputs, complete })
    }
}
