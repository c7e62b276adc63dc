import API
import ArgumentParser
import Foundation
import Host

/// Shows the host's status.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the host's status.")

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await HostSession.with(options.host) { session in
            let reply = try await session.client.status()
            guard !options.json else { return options.console.print(json: reply.json) }
            let status = try reply.value
            let console = options.console
            if session.isOwn {
                console.print("No host runs on \(status.data). Start one with: nervous serve")
            } else {
                console.print("Process \(status.pid) since \(Format.time(status.started))")
                console.print(
                    status.port.map { "Serving at http://localhost:\($0)/" } ?? "Not serving pages")
                if let network = status.localNetwork {
                    console.print(
                        "Accepting pushed samples at \(network.urls.joined(separator: ", "))")
                }
            }
            console.print(
                "\(status.samples) samples in \(Format.bytes(Double(status.bytes))), \(status.data)"
            )
            if let bytes = status.accessLog.bytes, let budget = status.accessLog.budget {
                console.print(
                    "Access log: \(Format.bytes(Double(bytes))), budget \(Format.bytes(Double(budget)))"
                )
            }
            if status.dropped > 0 { console.print("\(status.dropped) samples were dropped") }
            if let failure = status.failure { console.print("The last write failed: \(failure)") }
            for range in status.damaged ?? [] {
                console.print("Samples of \(range.sensor ?? "a sensor") are damaged: \(range.span)")
            }
        }
    }
}
