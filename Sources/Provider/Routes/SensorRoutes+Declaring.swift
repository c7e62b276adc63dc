import API
import Auth
import HTTPTypes
import Hummingbird
import LAE
import Samples
import VM

/// Sensors that the owner declares: their samples are published by clients, or made of those of
/// other sensors.
extension SensorRoutes {
    @Sendable
    func declare(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("declare-sensor", request, context)
        let id = try request.sensor(context)
        let sensor = try await sensor(id, try await request.json(SensorRequest.self))
        let isNew = try await machine.declare(sensor)
        guard let status = await machine.status(of: id) else { throw Problem(unknown: id) }
        var response = try Response.json(
            SensorDescription(status, .granted, seesNewest: true), status: isNew ? .created : .ok)
        if isNew { response.headers[.location] = APIPath.sensor(id.description).description }
        return response
    }

    private func sensor(_ id: SensorID, _ body: SensorRequest) async throws -> Sensor {
        switch body {
        case .published(let body):
            return try Sensor(
                declared: id, title: body.title ?? id.description,
                fields: body.fields.map { Field($0.name, unit: $0.unit, kind: $0.kind ?? .number) })
        case .virtual(let body):
            guard body.name == nil || body.name == id.description else {
                throw Problem.invalidBody("The name is not that of the address.")
            }
            return try await engine.virtualSensor(
                id, title: body.title ?? id.description, body.derivation)
        }
    }

    @Sendable
    func withdraw(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("withdraw-sensor", request, context)
        try await machine.withdraw(request.sensor(context))
        return Response(status: .noContent)
    }
}
