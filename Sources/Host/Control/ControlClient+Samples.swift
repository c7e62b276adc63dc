import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import SampleForms

extension ControlClient {
    /// Samples in some form, and where to go on.
    struct Page {
        let body: Data
        /// The cursor of the next page; `nil` on the last.
        let next: String?
    }

    /// A page of samples as bytes.
    func page(
        _ path: String, as form: SampleForm, query: [(String, String?)]
    ) async throws -> Page {
        let (data, headers) = try await exchange(
            .get, path, query: query, headers: [("Accept", form.rawValue)])
        let link = headers.first(name: "Link")
        let next = link?.firstMatch(of: /[?&]cursor=([0-9_\-]+)/).map { String($0.1) }
        return Page(body: data, next: next)
    }

    /// Sends samples under a key; waits and tries again while the host has too much to do.
    func publish(
        _ path: String, _ body: Data, as form: SampleForm, key: String
    ) async throws -> Data {
        var tries = 0
        while true {
            do {
                return try await exchange(
                    .post, path,
                    headers: [("Content-Type", form.rawValue), ("Idempotency-Key", key)],
                    body: body
                ).0
            } catch let failure as CommandFailure where failure.type == "busy" && tries < 60 {
                tries += 1
            }
            try await Task.sleep(for: .seconds(1))
        }
    }
}
