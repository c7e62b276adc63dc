import SampleStore
public import Samples

extension VirtualMachine {
    /// Makes a published or virtual sensor known, or changes one; kept from now on.
    ///
    /// Samples with other fields stay, and are seen with the new ones as far as they have them.
    ///
    /// - Returns: whether it was not declared before.
    /// - Throws: `sensorTaken` when a driver gives it or it is declared and of the other kind, `invalidSensor` when there are too many,
    ///   `diskFull` or `storeFailed` when it could not be kept, and then nothing has changed.
    public func declare(_ sensor: Sensor) async throws(VirtualMachineError) -> Bool {
        try await inTurn { () throws(VirtualMachineError) in try await self.keep(sensor) }
    }

    /// Forgets a declared sensor; its samples stay, and are seen again when it is declared again.
    ///
    /// - Throws: `unknownSensor` when it is none, `sensorTaken` when a driver gives it.
    public func withdraw(_ id: SensorID) async throws(VirtualMachineError) {
        _ = try await inTurn { () throws(VirtualMachineError) in try await self.drop(id) }
    }

    // MARK: - Private

    private func keep(_ sensor: Sensor) async throws(VirtualMachineError) -> Bool {
        let id = sensor.id
        let isNew = declared.sensors[id] == nil
        if let known = declared.sensors[id],
            (known.derivation == nil) != (sensor.derivation == nil)
        {
            // What was granted of the one was not granted of the other.
            throw VirtualMachineError(
                .sensorTaken, "\(id) is declared already, and of another kind.",
                hint: "Remove it first with: nervous sensors remove \(id)")
        }
        if isNew {
            try checkUntaken(id)
            guard declared.sensors.count < DeclaredSensors.limit else {
                throw VirtualMachineError(
                    .invalidSensor, "More than \(DeclaredSensors.limit) sensors cannot be declared."
                )
            }
        }
        var changed = declared
        changed.sensors[id] = sensor
        do {
            try await store.register(id, fields: sensor.fields)
        } catch {
            throw Self.wrap(error)
        }
        // Hardware of this name may have come while the store was busy.
        if isNew { try checkUntaken(id) }
        try declarations.write(changed)
        declared = changed
        suspend(id)
        sensors[id, default: CollectedSensor(sensor: sensor, availability: .published)].sensor =
            sensor
        sensors[id]?.availability = .published
        await store.admit(level(of: id) != .off, id)
        return isNew
    }

    private func drop(_ id: SensorID) async throws(VirtualMachineError) -> Bool {
        guard declared.sensors[id] != nil else {
            try checkUntaken(id)
            throw VirtualMachineError(
                .unknownSensor, "There is no sensor named \(id).",
                hint: "List them with: nervous sensors")
        }
        var changed = declared
        changed.sensors[id] = nil
        try declarations.write(changed)
        declared = changed
        guard case .published? = sensors[id]?.availability else { return false }
        suspend(id)
        sensors[id] = nil
        await store.admit(false, id)
        return true
    }

    private func checkUntaken(_ id: SensorID) throws(VirtualMachineError) {
        guard sensors[id] == nil else {
            throw VirtualMachineError(
                .sensorTaken, "\(id) is a sensor of this machine.",
                hint: "Choose another name, such as my.\(id)")
        }
    }

    /// One change after the other, with those of levels.
    private func inTurn(
        _ change: @escaping @Sendable () async throws(VirtualMachineError) -> Bool
    ) async throws(VirtualMachineError) -> Bool {
        let before = lastChange
        let turn = Task { () -> Result<Bool, VirtualMachineError> in
            await before?.value
            do throws(VirtualMachineError) {
                return .success(try await change())
            } catch {
                return .failure(error)
            }
        }
        lastChange = Task { _ = await turn.value }
        return try await turn.value.get()
    }
}
