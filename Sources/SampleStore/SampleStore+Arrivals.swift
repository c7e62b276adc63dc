public import Samples

extension SampleStore {
    /// Yields after samples of the sensor were accepted; several arrivals may be told as one.
    public func arrivalSignals(of sensor: SensorID) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        guard let number = series[sensor]?.nextListener else {
            continuation.finish()
            return stream
        }
        series[sensor]?.nextListener += 1
        series[sensor]?.listeners[number] = continuation
        continuation.onTermination = { _ in
            Task { await self.forget(listener: number, of: sensor) }
        }
        return stream
    }

    // MARK: - Private

    private func forget(listener: Int, of sensor: SensorID) {
        series[sensor]?.listeners[listener] = nil
    }
}
