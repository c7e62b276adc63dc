import Logging
import Samples

/// Samples that devices take by themselves.
extension VirtualMachine {
    /// From here on asking for each sample costs too much.
    static let oftenInterval = Duration.milliseconds(20)

    /// Whether the person wants so many samples that a device should take them by itself.
    func wantsBlocks(of id: SensorID, every interval: Duration) -> Bool {
        level(of: id) == .high || interval < Self.oftenInterval
    }

    /// Takes blocks from a device until cancelled; asks for each sample where there are no blocks to be
    /// had, and notes why.
    nonisolated func capture(
        from reader: any BufferedReader, _ id: SensorID, every interval: Duration, generation: Int
    ) async {
        guard await isCurrent(id, generation) else { return }
        do throws(SensorError) {
            guard let capture = try reader.capture(every: interval, now: time.now) else {
                return await poll(reader, id, every: interval, generation: generation)
            }
            let end = await gather(capture, id, generation)
            guard let end else { return }
            guard end.code != .gone else { return await note(end, of: id, generation) }
            throw end
        } catch {
            await remark("is read one by one: \(error.message)", on: id, generation)
        }
        await poll(reader, id, every: interval, generation: generation)
    }

    /// - Returns: why it ended, if not because it was to end.
    private nonisolated func gather(
        _ capture: any SampleCapture, _ id: SensorID, _ generation: Int
    ) async -> SensorError? {
        defer { capture.end() }
        do throws(SensorError) {
            while !Task.isCancelled, await isCurrent(id, generation) {
                let samples = try capture.next()
                if !samples.isEmpty { await accept(samples, from: id, generation) }
            }
            return nil
        } catch {
            return error
        }
    }

    private func remark(_ text: String, on id: SensorID, _ generation: Int) {
        guard sensors[id]?.generation == generation else { return }
        logger.notice("\(id) \(text)")
        sensors[id]?.note = text
    }
}
