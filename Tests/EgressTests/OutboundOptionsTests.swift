import Addresses
import NIOCore
import TestSupport
import Testing

@testable import Egress

/// Calls of the host itself: downloads, uploads and polling.
struct OutboundOptionsTests {
    private struct Rejected: Error {
        let status: Int
    }

    private static func send(
        _ options: OutboundOptions, refusing status: Int? = nil,
        _ reply: @escaping @Sendable (LocalServer.Received) -> LocalServer.Reply
    ) async throws -> OutboundResponse {
        try await LocalServer.with(reply) { server in
            let address = try #require(WebAddress("http://127.0.0.1:\(server.port)/a?key=secret"))
            return try await OutboundClient(userAgent: "Tests").send(
                OutboundRequest(trusted: "GET", address), options,
                accept: { head, _ in
                    if head.status == status { throw Rejected(status: head.status) }
                }
            ) { try await $0.perform(pin: nil) }
        }
    }

    @Test func `a redirect is the response if redirects are not followed`() async throws {
        var options = TestClient.patient
        options.redirects = 0
        let response = try await Self.send(options) { _ in .redirect(to: "/b") }
        #expect(response.status == 302)
        #expect(!response.isRedirected)
    }

    @Test func `a call that needs no body ends with the head`() async throws {
        var options = TestClient.patient
        options.readsBody = false
        let head = Array("HTTP/1.1 201 Created\r\nContent-Encoding: gzip\r\n\r\n".utf8)
        let response = try await Self.send(options) { _ in
            .endless(after: head, [UInt8](repeating: 65, count: 4096))
        }
        #expect(response.status == 201)
        #expect(response.body.readableBytes == 0)
    }

    @Test func `a response can be rejected by its head, but a followed redirect cannot`()
        async throws
    {
        let head = Array("HTTP/1.1 404 Not Found\r\n\r\n".utf8)
        let error = await #expect(throws: Rejected.self) {
            _ = try await Self.send(TestClient.patient, refusing: 404) { _ in
                .endless(after: head, [UInt8](repeating: 65, count: 4096))
            }
        }
        #expect(error?.status == 404)
        let response = try await Self.send(TestClient.patient, refusing: 302) { request in
            request.target == "/b" ? .answer("here") : .redirect(to: "/b")
        }
        #expect(response.isRedirected)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"])
    func `a server that stops sending times out`(start: String) async throws {
        var options = TestClient.patient
        options.idle = .milliseconds(200)
        options.messagesContainPath = true
        let error = await #expect(throws: EgressError.self) {
            _ = try await Self.send(options) { _ in .silence(after: Array(start.utf8)) }
        }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("/a?… ") == true)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func `an upload is sent once with its key and token, and no redirect is followed`()
        async throws
    {
        try await LocalServer.with { _ in
            .redirect(to: "/elsewhere", status: "307 Temporary Redirect")
        } _: { server in
            let upload = try Upload(
                to: try #require(WebAddress("http://127.0.0.1:\(server.port)/trips")),
                title: "Trip", mediaType: "application/geo+json", body: Array("{}".utf8))
            let status = try await HTTPUploader(userAgent: "Tests").upload(
                upload, id: "0123", token: "secret")
            #expect(status == 307)
            let request = try #require(server.received.first)
            #expect(server.received.count == 1)
            #expect(request.method == "POST")
            #expect(request.body == upload.body)
            #expect(request["idempotency-key"] == "\"0123\"")
            #expect(request["authorization"] == "Bearer secret")
            #expect(request["content-type"] == "application/geo+json")
            #expect(request["user-agent"] == "Tests")
        }
    }
}
