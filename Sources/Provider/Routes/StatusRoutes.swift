import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Resources
import Samples
import VM

/// The status of the host, the description of the API, and the calling client.
struct StatusRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let host: HostInformation

    func add(to routes: inout RouteTable) {
        routes.on(.health, [.get: health])
        routes.on(.openAPI, [.get: description])
        routes.on(.status, [.get: status])
        routes.on(.me, [.get: me])
    }

    @Sendable
    private func health(_ request: Request, _ context: ProviderContext) async throws -> Response {
        .json(ByteBuffer(string: #"{"status":"ok"}"#))
    }

    @Sendable
    private func description(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        .json(ByteBuffer(bytes: ProviderFiles.openapiJSON.bytes))
    }

    @Sendable
    private func status(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("status", request, context)
        let status = await machine.status()
        let log = authorizer.authority.log
        var failure = status.failure
        if failure == nil { failure = await log.failure }
        let stored = try await machine.retention.report().sensors.reduce(0) { $0 + $1.samples }
        return try .json(
            HostStatus(
                version: host.version, pid: getpid(), data: host.dataDirectory,
                port: host.port(), started: status.started.milliseconds,
                collecting: status.collecting, samples: stored + Int64(status.unwritten),
                buffered: status.buffered, dropped: status.dropped, bytes: status.bytes,
                failure: failure,
                damaged: DamagedRange.list(status.damage),
                accessLog: AccessLogHead(
                    try await log.head(), bytes: try await log.size(), budget: await log.budget),
                localNetwork: host.localNetwork()?.description))
    }

    @Sendable
    private func me(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("me", request, context)
        let records = try await authorizer.authority.records(for: client)
        let policy = await authorizer.authority.permissions.policy
        return try .json(
            ClientDescription(
                name: client.name, kind: client.kind.rawValue,
                privileges: records.map { DecisionDescription($0, policy, isForOwner: false) }))
    }
}
