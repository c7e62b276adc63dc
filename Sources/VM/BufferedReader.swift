public import Samples

/// A reader whose device can also take samples by itself and hand them over in blocks.
///
/// Where samples are wanted so often that asking for each costs too much or comes too late, the
/// virtual machine asks for the blocks.
public protocol BufferedReader: SampleReader {
    /// Begins to take samples.
    ///
    /// - Parameters:
    ///   - interval: how far apart the samples are wanted; more of them are passed over.
    ///   - now: what the host takes for now.
    /// - Returns: `nil` where the device takes none by itself.
    /// - Throws: `SensorError` where it could and may not; it is then as it was before, and its
    ///   samples can be asked for one by one.
    func capture(
        every interval: Duration, now: @escaping @Sendable () -> Timestamp
    ) throws(SensorError) -> (any SampleCapture)?
}

/// Samples that a device takes by itself, in the hands of the one task that collects them.
public protocol SampleCapture: AnyObject {
    /// The samples since the last call, the oldest first; waits for some for 100 ms at most.
    func next() throws(SensorError) -> [Sample]
    /// Lets go of the device as it was found; nothing comes after that.
    func end()
}
