public import Samples

extension SampleStore {
    /// The collection level that was kept for each sensor, as text the caller understands.
    public func keptLevels() async throws(SampleStoreError) -> [String: String] {
        do {
            return try await file.settings()
        } catch {
            throw SampleStoreError(wrapping: error, while: "reading the collection levels")
        }
    }

    /// Keeps a level for all of the sensors or for none.
    public func keep(level: String, of sensors: [SensorID]) async throws(SampleStoreError) {
        do {
            try await file.keep(setting: level, for: sensors.map(\.description))
        } catch {
            throw SampleStoreError(wrapping: error, while: "keeping a collection level")
        }
    }
}
