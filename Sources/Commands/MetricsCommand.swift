import API
import ArgumentParser
import Host

/// Prints the newest values as Prometheus reads them.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Print the newest values as Prometheus reads them.",
        discussion: """
            Examples:
              nervous metrics | grep temperature
              nervous metrics > /var/lib/prometheus/node-exporter/nervous.prom

            Prometheus itself reads http://localhost:PORT/metrics with a token.
            Only the owner's token shows all sensors.
            """)

    private static let longestLine = 2000

    @OptionGroup var options: GlobalOptions

    @Flag(help: "In the form of OpenMetrics, with units.")
    var openMetrics = false

    func run() async throws {
        try await HostSession.with(options.host) { session in
            let text = try await session.client.metrics(isOpenMetrics: openMetrics)
            guard !options.json else {
                return try options.console.print(encoding: ["metrics": text])
            }
            // Titles are texts of others.
            options.console.show(
                text.hasSuffix("\n") ? String(text.dropLast()) : text, limit: Self.longestLine)
        }
    }
}
