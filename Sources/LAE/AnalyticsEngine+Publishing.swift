public import Auth
public import Samples
import VM

extension AnalyticsEngine {
    /// The fields that samples published under a grant must have.
    ///
    /// - Throws: `notGranted` for a grant to read, `unknownSensor`, `unavailable`, `sensorComputed`,
    ///   `sensorCollected`, `sensorOff`.
    public func publishedFields(for grant: Grant) async throws(LAEError) -> [Field] {
        guard grant.terms.access.includes(.write) else {
            throw LAEError(.notGranted, "Publishing to \(grant.sensor) is not granted.")
        }
        do {
            try await machine.checkPublishing(to: grant.sensor)
        } catch {
            throw Self.wrap(error)
        }
        guard let status = await machine.status(of: grant.sensor) else {
            throw LAEError(
                .unknownSensor, "There is no sensor named \(grant.sensor).",
                hint: "List them with: nervous sensors")
        }
        return status.sensor.fields
    }

    /// Stores samples that a client publishes; when this returns they survive a power cut, and the
    /// access log tells of them.
    ///
    /// - Parameter key: what the client calls the batch, so that it counts once; `nil` for nothing.
    /// - Throws: `notGranted` for a grant to read, `unknownSensor`, `unavailable`, `sensorComputed`,
    ///   `sensorCollected`, `sensorOff`, `bufferFull`, `batchTooLarge`, `diskFull`, `keyReused`, `failed`.
    public func publish(
        _ batch: SampleBatch, key: BatchKey? = nil, for grant: Grant
    ) async throws(LAEError) -> BatchReceipt {
        guard grant.terms.access.includes(.write) else {
            throw LAEError(.notGranted, "Publishing to \(grant.sensor) is not granted.")
        }
        let receipt: BatchReceipt
        do {
            if let key {
                receipt = try await machine.publish(batch, to: grant.sensor, key: key)
            } else {
                let last = try await machine.publish(batch, to: grant.sensor)
                receipt = BatchReceipt(accepted: batch.count, last: last)
            }
        } catch {
            throw Self.wrap(error)
        }
        var range: TimeRange?
        if let first = batch.times.min(), let last = batch.times.max() {
            range = TimeRange(from: first, to: last.advanced(byMicroseconds: 1))
        }
        await log.record("publish", .write, for: grant, range: range, count: receipt.accepted)
        return receipt
    }
}

extension LAEError {
    /// What the machine refused; `nil` for any other error.
    init?(publishing error: any Error) {
        guard let error = error as? VirtualMachineError else { return nil }
        let code: Code
        switch error.code {
        case .unknownSensor: code = .unknownSensor
        case .unavailable: code = .unavailable
        case .sensorOff: code = .sensorOff
        case .bufferFull: code = .bufferFull
        case .batchTooLarge: code = .batchTooLarge
        case .diskFull: code = .diskFull
        case .keyReused: code = .keyReused
        case .sensorComputed: code = .sensorComputed
        case .sensorCollected: code = .sensorCollected
        default: return nil
        }
        self.init(code, error.message, hint: error.hint, cause: error)
    }
}
