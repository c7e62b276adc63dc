import API
import HTTPTypes
import Hummingbird
import LAE
import NIOCore

/// The calls of the first generation of published apps.
struct FirstGenerationRoutes {
    /// What each resource and its method read.
    private static let methods = ["gyr/getGyr": "Gyroscope", "acc/getAcc": "Accelerometer"]

    let door: Door
    let engine: AnalyticsEngine

    func add(to routes: inout RouteTable) {
        routes.on(.firstGenerationVersion, [.get: version])
        routes.on(.firstGeneration("{resource}", "{method}"), [.get: read])
    }

    @Sendable
    private func version(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await door.client("version", request, context)
        return .json(ByteBuffer(string: #"{"version":1.0}"#))
    }

    @Sendable
    private func read(_ request: Request, _ context: ProviderContext) async throws -> Response {
        _ = try await door.client("latest", request, context)
        let path = [context.decoded("resource"), context.decoded("method")].compactMap { $0 }
        let name = Self.methods[path.joined(separator: "/")]
        guard let form = name.flatMap(PublishedSensor.named) else {
            throw Problem.notFound("The resources are gyr/getGyr, acc/getAcc and version.")
        }
        return try await PublishedReader(door: door, engine: engine)
            .newest(form, request, context)
    }
}
