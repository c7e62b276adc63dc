import API
import Auth
import Connectors
import HTTPTypes
import Hummingbird
import JSApps
import NIOCore
import Samples
import VM

/// Sensor packs, for the owner.
struct PackRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let packs: SensorPackStore
    let archives: SensorPackArchive
    let downloads: PackageDownloads
    let largestArchive: Int

    func add(to routes: inout RouteTable) {
        routes.on(.sensorPacks, [.get: list, .post: check])
        routes.on(.sensorPack("{sensor}"), [.get: text, .put: install, .delete: remove])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("sensor-packs", request, context)
        return try .json(
            ItemList(packs.packs.map { PackDescription($0, isInstalled: true) }))
    }

    /// Describes a pack from its archive or its text, without installing it.
    @Sendable
    private func check(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("check-sensor-pack", request, context)
        try request.rejectParameters(except: ["as", "download"], repeating: ["set"])
        var bytes = try await bytes(request)
        if bytes.starts(with: Array("PK".utf8)) {
            bytes = try await archives.description(in: bytes)
        }
        var text = try PackText(bytes)
        if let name = request.uri.queryParameters["as"] {
            guard let id = SensorID(String(name)) else {
                throw Problem.invalidParameter("as", "must be the name of a sensor")
            }
            try text.rename(id)
        }
        for setting in request.uri.queryParameters[values: "set"] {
            try text.set(String(setting))
        }
        let pack = try SensorPack(text.bytes)
        return try .json(
            PackCheck(
                pack: PackDescription(pack, isInstalled: packs.holds(pack.id)),
                text: String(decoding: text.bytes, as: UTF8.self)))
    }

    /// The bytes of a downloaded package, or of the body.
    private func bytes(_ request: Request) async throws -> [UInt8] {
        guard let id = request.uri.queryParameters["download"].map(String.init) else {
            return try await request.bytes(upTo: largestArchive)
        }
        let archive = try await downloads.archive(of: id)
        try await downloads.listing(of: id)?.check(isA: .sensorPack)
        return archive
    }

    @Sendable
    private func text(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("sensor-pack", request, context)
        let id = try request.sensor(context)
        guard let text = packs.text(of: id) else { throw Self.missing(id) }
        return .json(ByteBuffer(bytes: text))
    }

    @Sendable
    private func install(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("install-sensor-pack", request, context)
        let id = try request.sensor(context)
        let text = try await request.bytes(upTo: SensorPack.limit)
        let pack = try SensorPack(text)
        guard pack.id == id else {
            throw PackError("The pack declares the sensor \(pack.id), not \(id).")
        }
        if !packs.holds(id), await machine.sensor(id) != nil {
            throw Problem(
                .nameTaken, "The sensor \(id) already exists.",
                fix: "Choose another name with --as, such as \(id.kind).outside")
        }
        let (_, isNew) = try packs.install(text)
        try await machine.lookForSensors()
        var response = try Response.json(
            PackDescription(pack, isInstalled: true), status: isNew ? .created : .ok)
        if isNew { response.headers[.location] = APIPath.sensorPack(id.description).description }
        return response
    }

    @Sendable
    private func remove(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("remove-sensor-pack", request, context)
        let id = try request.sensor(context)
        guard try packs.remove(id) else { throw Self.missing(id) }
        try await machine.lookForSensors()
        await machine.dismiss(id)
        return Response(status: .noContent)
    }

    private static func missing(_ id: SensorID) -> Problem {
        Problem(
            .unknownPack, "No sensor pack \(id) is installed.",
            fix: "List them with: nervous sensors packs")
    }
}
