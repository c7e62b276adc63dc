import Auth
import Samples
import Scheduling
import VM

/// Finds sensors and where their samples come from; defines virtual sensors.
struct SensorCatalog: Sendable {
    private let machine: VirtualMachine
    private let time: any TimeSource

    init(_ machine: VirtualMachine, time: any TimeSource) {
        self.machine = machine
        self.time = time
    }

    /// Asks the virtual machine for a sensor, which may not exist.
    func lookUp(_ id: SensorID) async -> SensorLookup {
        SensorLookup(id: id, status: await machine.status(of: id))
    }

    /// A sensor that can be read now.
    ///
    /// - Throws: `unknownSensor`; `unavailable`, also when an input of a virtual sensor cannot be
    ///   read.
    func readable(_ lookup: SensorLookup) async throws(LAEError) -> ReadableSensor {
        let status = try await checkReadable(lookup)
        return ReadableSensor(
            id: lookup.id, fields: status.sensor.fields,
            origin: try await origin(of: status.sensor))
    }

    /// - Returns: the status of the sensor.
    @discardableResult
    func checkReadable(_ lookup: SensorLookup) async throws(LAEError) -> SensorStatus {
        let id = lookup.id
        guard let status = lookup.status else {
            throw LAEError(await missing(id))
        }
        if case .unavailable(let reason, let remedy) = status.state, !status.hasSamples {
            throw LAEError(
                VirtualMachineError.unavailable(id, id, reason: reason, remedy: remedy))
        }
        return status
    }

    /// The error for a name that no sensor has: it lists the sensors of that kind, or says why they
    /// are unavailable.
    private func missing(_ name: SensorID) async -> VirtualMachineError {
        let instances = await machine.instances(of: name)
        if await machine.readable(named: name).isEmpty, let first = instances.first,
            case .unavailable(let reason, let remedy)? = await machine.status(of: first)?.state
        {
            return .unavailable(name, first, reason: reason, remedy: remedy)
        }
        return .unknownSensor(name, instances: instances)
    }

    // MARK: - Virtual sensors

    /// The sensors whose samples make those of a sensor arrive.
    func origins(of id: SensorID) async -> [SensorID] {
        guard let derivation = await machine.sensor(id)?.derivation,
            let pipeline = try? Pipeline(derivation)
        else { return [id] }
        return pipeline.sensors
    }

    func virtualSensor(
        _ id: SensorID, title: String, _ derivation: Derivation
    ) async throws(LAEError) -> Sensor {
        let derivation = try await resolved(derivation)
        let pipeline = try Pipeline(derivation)
        guard !pipeline.sensors.contains(id) else {
            throw Pipeline.invalid("\(id) would be computed from itself.")
        }
        _ = try await inputs(of: pipeline)
        for status in await machine.statuses() {
            guard status.sensor.id != id, let other = status.sensor.derivation,
                let known = try? Pipeline(other), known.sensors.contains(id)
            else { continue }
            throw Pipeline.invalid(
                "\(status.sensor.id) is computed from \(id), so \(id) cannot be virtual.")
        }
        do {
            return try Sensor(
                declared: id, title: title,
                fields: derivation.outputs.map { Field($0.name, unit: $0.unit) },
                cadence: Cadence(derivation) ?? .standard, derivation: derivation)
        } catch {
            throw LAEError(.invalidDefinition, error.message, hint: error.hint, cause: error)
        }
    }

    /// A definition in which the names of kinds are replaced by the sensors that they resolve to.
    ///
    /// The names are resolved once, as for a stream, so that all samples are computed from the same
    /// sensors.
    private func resolved(_ derivation: Derivation) async throws(LAEError) -> Derivation {
        var names: [String: String] = [:]
        for input in try Pipeline(derivation).inputs {
            var readable: [SensorID] = []
            for sensor in await machine.readable(named: input.sensor) {
                // A virtual sensor, including this one, cannot be an input.
                if sensor != input.sensor, await isVirtual(sensor) { continue }
                readable.append(sensor)
            }
            guard readable.count <= 1 else {
                throw Pipeline.invalid(
                    "\(input.sensor) can refer to \(readable.count) sensors.",
                    hint: "Use one of: \(readable.map(\.description).joined(separator: ", "))")
            }
            guard let sensor = readable.first, sensor != input.sensor else { continue }
            names[input.description] =
                FieldReference(sensor: sensor, field: input.field).description
        }
        guard !names.isEmpty else { return derivation }
        return Derivation(
            inputs: derivation.inputs.map { names[$0] ?? $0 }, window: derivation.window,
            slide: derivation.slide,
            outputs: derivation.outputs.map { output in
                Derivation.Output(
                    name: output.name, unit: output.unit,
                    of: output.of.map { $0.map { names[$0] ?? $0 } }, by: output.by,
                    every: output.every)
            })
    }

    private func isVirtual(_ id: SensorID) async -> Bool {
        await machine.sensor(id)?.derivation != nil
    }

    /// Where the samples of a sensor come from.
    ///
    /// The inputs of a virtual sensor are read without restrictions: the owner, who defined and grants
    /// it, decides what it reveals.
    private func origin(of sensor: Sensor) async throws(LAEError) -> SampleOrigin {
        guard let derivation = sensor.derivation else { return .stored(machine.samples) }
        let pipeline: Pipeline
        let found: [AnalysisSource]
        do throws(LAEError) {
            pipeline = try Pipeline(derivation)
            found = try await inputs(of: pipeline)
        } catch {
            throw LAEError(
                .unavailable, "\(sensor.id) cannot be computed: \(error.message)",
                hint: error.hint, cause: error)
        }
        let inputs = found.map { input in
            WindowComputation.Input(
                reader: StatisticsReader(
                    of: input.sensor, columns: input.fieldIndices, samples: machine.samples,
                    terms: input.terms, until: .distantFuture))
        }
        let computation = WindowComputation(pipeline: pipeline, inputs: inputs) { request in
            let sources = request.sensors.compactMap { sensor in
                found.first { $0.sensor.id == sensor }?.narrowed(to: request)
            }
            let (table, _) = try await AnalysisTable.read(request, from: sources)
            return try await AnalysisComputation(request: request, table: table, minimum: 0).run()
        }
        return .computed(
            WindowReader(
                samples: machine.samples, computation: computation, fields: sensor.fields,
                now: time.now(), budget: WindowBudget()))
    }

    /// The sensors of a pipeline with the fields that it uses, under unrestricted terms.
    private func inputs(of pipeline: Pipeline) async throws(LAEError) -> [AnalysisSource] {
        var found: [AnalysisSource] = []
        for id in pipeline.sensors {
            guard let input = await machine.sensor(id) else {
                let missing = await missing(id)
                throw Pipeline.invalid(missing.message, hint: missing.hint)
            }
            guard input.derivation == nil else {
                throw Pipeline.invalid(
                    "\(id) is virtual itself, and cannot be an input of a virtual sensor.")
            }
            let sensor = ReadableSensor(
                id: id, fields: input.fields, origin: .stored(machine.samples))
            var fieldIndices: [Int] = []
            for input in pipeline.inputs where input.sensor == id {
                do throws(LAEError) {
                    fieldIndices += try sensor.numericColumns([input.field])
                } catch {
                    throw Pipeline.invalid(error.message, hint: error.hint)
                }
            }
            found.append(
                AnalysisSource(
                    sensor: sensor, fieldIndices: fieldIndices, range: .all,
                    terms: .owner(now: time.now()),
                    matchers: []))
        }
        return found
    }
}

/// What the virtual machine knows about a sensor, from one call: its cadence, fields and origin.
struct SensorLookup: Sendable {
    let id: SensorID
    /// `nil` when there is no such sensor.
    let status: SensorStatus?

    /// The terms of a grant for the sensor.
    func terms(of grant: Grant, now: Timestamp) -> GrantTerms {
        GrantTerms(grant, now: now, cadence: status?.sensor.cadence ?? .standard)
    }
}

/// A sensor that can be read.
struct ReadableSensor: Sendable {
    let id: SensorID
    let fields: [Field]
    let origin: SampleOrigin

    /// The indices of the named fields; `nil` selects all fields.
    ///
    /// - Throws: `unknownField`.
    func columns(_ names: [String]?) throws(LAEError) -> [Int] {
        guard let names else { return Array(fields.indices) }
        var columns: [Int] = []
        for name in names {
            guard let column = fields.firstIndex(where: { $0.name == name }) else {
                throw LAEError(
                    .unknownField,
                    "\(id) has no field named \(name.prefix(80).debugDescription).",
                    hint: "It has: \(fields.map(\.name).joined(separator: ", "))")
            }
            columns.append(column)
        }
        return columns
    }

    /// The indices of the named fields, which must be numeric; `nil` selects all numeric fields.
    ///
    /// - Throws: `unknownField`, `notNumeric`.
    func numericColumns(_ names: [String]?) throws(LAEError) -> [Int] {
        let chosen = try columns(names)
        if names != nil, let text = chosen.first(where: { !fields[$0].kind.isNumeric }) {
            throw LAEError(.notNumeric, "\(fields[text].name) of \(id) is not a number.")
        }
        return chosen.filter { fields[$0].kind.isNumeric }
    }

    /// - Throws: `unknownField`, `invalidCondition`.
    func matchers(_ conditions: [Condition]) throws(LAEError) -> [Condition.Matcher] {
        var matchers: [Condition.Matcher] = []
        for condition in conditions { matchers.append(try condition.matcher(for: fields)) }
        return matchers
    }
}
