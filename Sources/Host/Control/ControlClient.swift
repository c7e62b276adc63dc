import AsyncHTTPClient
package import Foundation
package import Ingest
import NIOCore
import NIOHTTP1

/// Speaks the host's API over its control socket; every command is its client.
package struct ControlClient: Sendable {
    /// What commands do with resources.
    package enum Method: String {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    private static let timeout = TimeAmount.seconds(60)

    private let socket: String
    private let client: HTTPClient

    /// A client for as long as `body` runs.
    package static func with<T: Sendable>(
        socket: String, _ body: @Sendable (ControlClient) async throws -> T
    ) async throws -> T {
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        do {
            let result = try await body(ControlClient(socket: socket, client: client))
            try await client.shutdown()
            return result
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    private init(socket: String, client: HTTPClient) {
        self.socket = socket
        self.client = client
    }

    /// The JSON of a resource of the owner's, as it came.
    ///
    /// - Parameter isPatient: whether the host may take as long as it needs.
    package func data(
        _ method: Method = .get, _ path: String, query: [(String, String?)] = [],
        body: Data? = nil, type: String = "application/json", isPatient: Bool = false
    ) async throws -> Data {
        let headers = body == nil ? [] : [("Content-Type", type)]
        return try await exchange(
            method, path, query: query, headers: headers, body: body, isPatient: isPatient
        ).0
    }

    /// The bytes and the header of an answer that is no problem.
    func exchange(
        _ method: Method, _ path: String, query: [(String, String?)] = [],
        headers: [(String, String)] = [], body: Data? = nil, isPatient: Bool = false
    ) async throws -> (Data, HTTPHeaders) {
        var request = self.request(method.rawValue, path + Self.text(query), host: "localhost")
        if let body { request.body = .bytes(body) }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        let response = try await client.execute(
            request, deadline: isPatient ? .distantFuture : .now() + Self.timeout)
        let bytes = try await response.body.collect(upTo: 1 << 30)
        let data = Data(bytes.readableBytesView)
        guard (200..<300).contains(response.status.code) else {
            throw CommandFailure(problem: data, status: response.status.code)
        }
        return (data, response.headers)
    }

    /// The same, decoded.
    package func get<T: Decodable>(
        _ type: T.Type, _ path: String, query: [(String, String?)] = []
    ) async throws -> T {
        try JSONDecoder().decode(type, from: try await data(.get, path, query: query))
    }

    /// Sends JSON and decodes what comes back.
    package func send<T: Decodable>(
        _ method: Method, _ path: String, _ body: some Encodable, as type: T.Type
    ) async throws -> T {
        let answer = try await data(method, path, body: try JSONEncoder().encode(body))
        return try JSONDecoder().decode(type, from: answer)
    }

    /// The lines of an answer as they come; it has no end but the host's.
    package func lines(
        _ method: Method, _ path: String, body: Data? = nil
    ) async throws -> LineSequence {
        var request = self.request(method.rawValue, path, host: "localhost")
        if let body {
            request.body = .bytes(body)
            request.headers.add(name: "Content-Type", value: "application/json")
        }
        let response = try await client.execute(request, deadline: .distantFuture)
        guard response.status == .ok else {
            let data = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
            throw CommandFailure(problem: data, status: response.status.code)
        }
        return LineSequence(body: response.body)
    }

    /// One part of a path, percent-encoded.
    package static func segment(_ text: String) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    private static func text(_ query: [(String, String?)]) -> String {
        let pairs = query.compactMap { name, value in value.map { "\(name)=\(segment($0))" } }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    private func request(_ method: String, _ path: String, host: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "http+unix://\(Self.segment(socket))\(path)")
        request.method = HTTPMethod(rawValue: method)
        request.headers.add(name: "Host", value: host)
        return request
    }
}

extension ControlClient {
    /// Samples in some form, and where to go on.
    package struct Page: Sendable {
        package let body: Data
        /// The cursor of the next page; `nil` on the last.
        package let next: String?
    }

    /// A page of samples as bytes.
    package func page(
        _ path: String, as form: SampleForm, query: [(String, String?)]
    ) async throws -> Page {
        let (data, headers) = try await exchange(
            .get, path, query: query, headers: [("Accept", form.rawValue)])
        let link = headers.first(name: "Link")
        let next = link?.firstMatch(of: /[?&]cursor=([0-9_\-]+)/).map { String($0.1) }
        return Page(body: data, next: next)
    }

    /// Sends samples under a key; waits and tries again for a minute while the host has too much to do.
    package func publish(
        _ path: String, _ body: Data, as form: SampleForm, key: String
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
        _ path: String, _ body: Data, _ form: SampleForm, _ key: String
    ) async throws -> Data {
        let headers = [("Content-Type", form.rawValue), ("Idempotency-Key", key)]
        return try await exchange(.post, path, headers: headers, body: body).0
    }
}

/// The lines of an answer, each without its end, as they arrive.
package struct LineSequence: AsyncSequence {
    /// No line of the host's is longer: a page's document with every character escaped.
    private static let longest = 8 << 20

    let body: HTTPClientResponse.Body

    package func makeAsyncIterator() -> Iterator { Iterator(pieces: body.makeAsyncIterator()) }

    package struct Iterator: AsyncIteratorProtocol {
        private var pieces: HTTPClientResponse.Body.AsyncIterator
        private var buffer = ByteBuffer()

        init(pieces: HTTPClientResponse.Body.AsyncIterator) {
            self.pieces = pieces
        }

        package mutating func next() async throws -> Data? {
            while true {
                let view = buffer.readableBytesView
                if let end = view.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Data(view[..<end])
                    buffer.moveReaderIndex(forwardBy: line.count + 1)
                    return line
                }
                guard view.count <= longest else {
                    throw CommandFailure(.remote, "The host sent a line without an end.")
                }
                guard var piece = try await pieces.next() else { return nil }
                buffer.discardReadBytes()
                buffer.writeBuffer(&piece)
            }
        }
    }
}
