public import Samples
public import VM

extension AnalyticsEngine {
    /// A virtual sensor as it can be declared: its fields are the outputs of its definition.
    ///
    /// It is for the owner to define; `VirtualMachine.declare` keeps it.
    ///
    /// - Throws: `invalidDefinition` for one that cannot be computed, names an unknown sensor or field,
    ///   itself or another virtual sensor, or has fields that no sensor may have.
    public func virtualSensor(
        _ id: SensorID, title: String, _ derivation: Derivation
    ) async throws(LAEError) -> Sensor {
        let pipeline = try Pipeline(derivation)
        guard !pipeline.sensors.contains(id) else {
            throw Pipeline.invalid("\(id) would be made of itself.")
        }
        _ = try await inputs(of: pipeline)
        for status in await machine.statuses() {
            guard status.sensor.id != id, let other = status.sensor.derivation,
                let known = try? Pipeline(other), known.sensors.contains(id)
            else { continue }
            throw Pipeline.invalid(
                "\(status.sensor.id) is made of \(id), so that cannot be virtual itself.")
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

    /// Where the samples of a sensor come from.
    ///
    /// The inputs of a virtual sensor are read as its owner may: who defined it and grants it decides
    /// what it tells.
    ///
    /// - Throws: `unavailable` when an input is gone since the sensor was defined.
    func source(of sensor: SensorID) async throws(LAEError) -> SampleOrigin {
        guard let status = await machine.status(of: sensor),
            let derivation = status.sensor.derivation
        else { return .stored(machine) }
        let pipeline: Pipeline
        let found: [AnalysisSource]
        do throws(LAEError) {
            pipeline = try Pipeline(derivation)
            found = try await inputs(of: pipeline)
        } catch {
            throw LAEError(
                .unavailable, "\(sensor) cannot be computed: \(error.message)", hint: error.hint,
                cause: error)
        }
        let inputs = found.map { input in
            WindowComputation.Input(
                reader: StatisticsReader(
                    machine, .stored(machine), input.terms, input.sensor, input.fields,
                    input.places, [], until: .distantFuture))
        }
        let computation = WindowComputation(pipeline: pipeline, inputs: inputs) { request in
            try await analyze(request, of: found)
        }
        return .computed(
            WindowReader(
                machine: machine, computation: computation, fields: status.sensor.fields,
                now: now(), budget: WindowBudget()))
    }

    // MARK: - Private

    /// The sensors of a pipeline and their fields that it uses, under terms that hold nothing back.
    private func inputs(of pipeline: Pipeline) async throws(LAEError) -> [AnalysisSource] {
        var found: [AnalysisSource] = []
        for sensor in pipeline.sensors {
            guard let status = await machine.status(of: sensor) else {
                throw Pipeline.invalid(
                    "There is no sensor named \(sensor).", hint: "List them with: nervous sensors")
            }
            guard status.sensor.derivation == nil else {
                throw Pipeline.invalid(
                    "\(sensor) is virtual itself, and no virtual sensor is made of another.")
            }
            let all = status.sensor.fields
            var places: [Int] = []
            for input in pipeline.inputs where input.sensor == sensor {
                guard let place = all.firstIndex(where: { $0.name == input.field }) else {
                    throw Pipeline.invalid(
                        "\(sensor) has no field named \(input.field.prefix(80).debugDescription).",
                        hint: "It has: \(all.map(\.name).joined(separator: ", "))")
                }
                guard all[place].kind.isNumeric else {
                    throw Pipeline.invalid("\(input) is not a number.")
                }
                places.append(place)
            }
            found.append(
                AnalysisSource(
                    sensor: sensor, origin: .stored(machine), fields: all, places: places,
                    range: .all, terms: .owner(now: now()), matchers: []))
        }
        return found
    }

    private func analyze(
        _ request: AnalysisRequest, of inputs: [AnalysisSource]
    ) async throws -> AnalysisResult? {
        let sources = request.sensors.compactMap { sensor in
            inputs.first { $0.sensor == sensor }?.narrowed(to: request)
        }
        let (table, _) = try await table(request, sources)
        let computation = AnalysisComputation(request: request, table: table, minimum: 0)
        return try await withTaskExecutorPreference(Self.executor) { try computation.result() }
    }
}

extension AnalysisSource {
    /// The same sensor over the range and with the fields of a request.
    fileprivate func narrowed(to request: AnalysisRequest) -> AnalysisSource {
        let names = request.inputs.filter { $0.sensor == sensor }.map(\.field)
        return AnalysisSource(
            sensor: sensor, origin: origin, fields: fields,
            places: names.compactMap { name in fields.firstIndex { $0.name == name } },
            range: request.range, terms: terms, matchers: matchers)
    }
}
