//! `#stablehlo.channel_handle`: which logical channel a communication uses.

/// The channel of a collective, a send or a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelHandle {
    /// Channel id; 0 is none.
    pub handle: i64,
    /// 0 invalid, 1 device to device, 2 device to host, 3 host to device.
    pub channel_type: i64,
}
