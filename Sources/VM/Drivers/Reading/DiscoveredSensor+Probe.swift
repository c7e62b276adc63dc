extension DiscoveredSensor {
    /// A sensor that is polled when a trial read succeeds, and unavailable with what it said if not.
    ///
    /// The reader handed on is fresh: a rate must not span the time when its sensor was off.
    static func probed(
        _ sensor: Sensor, _ reader: some SampleReader, remedy: String?
    ) -> DiscoveredSensor {
        var trial = reader
        do throws(SensorError) {
            _ = try trial.read()
            return DiscoveredSensor(sensor, .polled(reader))
        } catch {
            return DiscoveredSensor(
                sensor, .unavailable(reason: error.message, remedy: remedy))
        }
    }
}
