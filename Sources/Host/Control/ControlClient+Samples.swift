import AsyncHTTPClient
import Foundation
import Ingest
import NIOCore
import NIOHTTP1

extension ControlClient {
    /// Samples in some form, and where to go on.
    struct Page {
        let body: Data
        /// The cursor of the next page; `nil` on the last.
        let next: String?
    }

    /// A page of samples as bytes.
    func page(
        _ path: String, as form: SampleFormat, query: [(String, String?)]
    ) async throws -> Page {
        let (data, headers) = try await exchange(
            .get, path, query: query, headers: [("Accept", form.rawValue)])
        let link = headers.first(name: "Link")
        let next = link?.firstMatch(of: /[?&]cursor=([0-9_\-]+)/).map { String($0.1) }
        return Page(body: data, next: next)
    }

    /// Sends samples under a key; waits and tries again for a minute while the host has too much to do.
    func publish(
        _ path: String, _ body: Data, as form: SampleFormat, key: String
    ) async throws -> Data {
        for _ in 0..<60 {
            do {
                return try await attempt(path, body, form, key)
            } catch let failure as CommandFailure {
                guard failure.type == "busy" else { throw failure }
            }
            try await Task.sleep(for: .seconds(1))
        }
        return try await attempt(path, body, form, key)
    }

    private func attempt(
        _ path: String, _ body: Data, _ form: SampleFormat, _ key: String
    ) async throws -> Data {
        let headers = [("Content-Type", form.rawValue), ("Idempotency-Key", key)]
        return try await exchange(.post, path, headers: headers, body: body).0
    }
}
