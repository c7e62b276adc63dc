import Auth
import HTTPTypes
import Hummingbird
import Samples
import VM

/// Sensors that the owner declares, whose samples clients publish.
extension SensorRoutes {
    private struct Declaration: Decodable {
        struct Item: Decodable {
            let name: String
            let unit: String?
            let kind: Field.Kind?
        }

        let title: String?
        let fields: [Item]
    }

    @Sendable
    func declare(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("declare-sensor", request, context)
        let id = try request.sensor(context)
        let body = try await request.json(Declaration.self)
        let sensor = try Sensor(
            declared: id, title: body.title ?? id.description,
            fields: body.fields.map { Field($0.name, unit: $0.unit, kind: $0.kind ?? .number) })
        let isNew = try await machine.declare(sensor)
        guard let status = await machine.status(of: id) else { throw Problem(unknown: id) }
        var response = try Response.json(
            SensorDescription(status, .granted), status: isNew ? .created : .ok)
        if isNew { response.headers[.location] = "/api/v1/sensors/\(id)" }
        return response
    }

    @Sendable
    func withdraw(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("withdraw-sensor", request, context)
        try await machine.withdraw(request.sensor(context))
        return Response(status: .noContent)
    }
}
