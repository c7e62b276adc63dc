import API
import Auth
import Foundation
import Hummingbird
import NIOCore
import Resources
import Samples
import VM

/// Whether the host is well, what it can do, and who the caller is.
struct StatusRoutes {
    let door: Door
    let machine: VirtualMachine
    let facts: HostFacts

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
        try await door.owner("status", request, context)
        let status = await machine.status()
        return try .json(
            HostStatus(
                version: facts.version, pid: getpid(), data: facts.dataDirectory,
                port: facts.port(), started: status.started.milliseconds,
                collecting: status.collecting, samples: status.samples, buffered: status.buffered,
                dropped: status.dropped, bytes: status.bytes, failure: status.failure,
                damaged: DamagedRange.list(status.damage),
                accessLog: AccessLogHead(try await door.authority.log.head())))
    }

    @Sendable
    private func me(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await door.client("me", request, context)
        let records = await door.authority.records(of: client.name).filter {
            $0.run == nil || $0.run == client.run
        }
        let (policy, isOwner) = (await door.authority.policy, client.kind == .owner)
        return try .json(
            ClientDescription(
                name: client.name, kind: client.kind.rawValue,
                privileges: records.map {
                    GrantDescription($0, policy, isForOwner: isOwner)
                }))
    }
}
