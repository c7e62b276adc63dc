import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Speaks the host's API over its control socket; every command is its client.
struct ControlClient: Sendable {
    /// What commands do with resources.
    enum Method: String {
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
    static func with<T: Sendable>(
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
    func data(
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
    func get<T: Decodable>(
        _ type: T.Type, _ path: String, query: [(String, String?)] = []
    ) async throws -> T {
        try JSONDecoder().decode(type, from: try await data(.get, path, query: query))
    }

    /// Sends JSON and decodes what comes back.
    func send<T: Decodable>(
        _ method: Method, _ path: String, _ body: some Encodable, as type: T.Type
    ) async throws -> T {
        let answer = try await data(method, path, body: try JSONEncoder().encode(body))
        return try JSONDecoder().decode(type, from: answer)
    }

    /// The lines of an answer as they come; it has no end but the host's.
    func lines(
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
    static func segment(_ text: String) -> String {
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
