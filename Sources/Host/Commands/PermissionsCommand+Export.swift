import API
import ArgumentParser
import Foundation
import Provider

extension PermissionsCommand {
    /// Writes every decision as one JSON document, to keep or to compare.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print everything that was decided as one JSON document.",
            discussion: """
                Example: nervous permissions export > decisions.json
                It holds no token and no sample.
                """)

        private struct Document: Encodable {
            let format = "nervous-permissions"
            let version = 1
            /// Milliseconds since 1970.
            let exported: Double
            let decisions: [GrantDescription]
        }

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await HostSession.with(options) { session in
                let decisions = try await session.client.get(
                    ItemList<GrantDescription>.self, "/api/v1/grants"
                ).items
                let now = (Date.now.timeIntervalSince1970 * 1000).rounded()
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
                let document = Document(exported: now, decisions: decisions)
                options.console.print(json: try encoder.encode(document))
            }
        }
    }
}
