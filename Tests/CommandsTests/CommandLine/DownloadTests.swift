import Addresses
import Egress
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Commands
@testable import Host

/// `nervous install URL`, with valid, broken and hostile servers.
@Suite(.blocking)
struct DownloadTests {
    private final class Requests: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ request: String) { list.withLock { $0.append(request) } }
    }

    /// Runs the command, which must fail and leave no app or temporary file.
    private func refused(
        _ sandbox: Sandbox, _ url: String, code: Int32, type: String, _ says: String? = nil
    ) throws {
        let plain = try sandbox.nervous("install", url)
        #expect(plain.code == code, "\(plain.errors)")
        #expect(plain.output.isEmpty)
        let errors = plain.errors.split(separator: "\n").filter { $0.hasPrefix("error: ") }
        #expect(errors.count == 1, "\(plain.errors)")
        if let says { #expect(plain.errors.contains(says), "\(plain.errors)") }
        let json = try sandbox.nervous("install", url, "--json")
        #expect(json.code == code)
        #expect(json.errors.contains(#""type":"\#(type)""#), "\(json.errors)")
        #expect(sandbox.installedFiles.isEmpty)
    }

    @Test func `a package is installed unchanged from a URL`() throws {
        let sandbox = try Sandbox()
        let package = try sandbox.package()
        let server = try ScriptedServer { $0.answer(package) }
        let install = try sandbox.nervous("install", server.url("/demo.nervous?v=1"))
        #expect(install.code == 0, "\(install.errors)")
        #expect(install.output.contains("Installed demo 1.0.0."))
        #expect(!install.errors.contains("warning"))
        #expect(sandbox.installedFiles.contains("demo/content/grün 名前.txt"))
        let log = try sandbox.nervous("log", "--kind", "download", "--json").output
        #expect(log.contains("complete: ") && log.contains("/demo.nervous?…"), "\(log)")
        #expect(!log.contains("v=1"))
    }

    @Test func `at most five redirects are followed`() throws {
        let sandbox = try Sandbox()
        let package = try sandbox.package()
        let server = try ScriptedServer { connection in
            let left = Int(connection.target.dropFirst()) ?? 0
            if left == 0 {
                connection.answer(package)
            } else {
                connection.redirect(to: "\(left - 1)")
            }
        }
        try refused(
            sandbox, server.url("/6"), code: 76, type: "download-redirect", "more than 5 times")
        #expect(try sandbox.nervous("install", server.url("/5")).code == 0)
    }

    @Test(arguments: [
        ("/loop", "more than 5 times"), ("file:///etc/passwd", "not an http"),
        ("ftp://127.0.0.1/a.zip", "not an http"),
        ("http://", "not an http"),
    ])
    func `an invalid redirect is refused`(location: String, says: String) throws {
        let sandbox = try Sandbox()
        let server = try ScriptedServer {
            $0.redirect(to: location, status: "308 Permanent Redirect")
        }
        try refused(sandbox, server.url("/loop"), code: 76, type: "download-redirect", says)
    }

    @Test func `an endless body is rejected at the limit`() throws {
        let sandbox = try Sandbox()
        let server = try ScriptedServer { connection in
            connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            let piece = [UInt8](repeating: 0x50, count: 1 << 20)
            while connection.send(piece) {}
        }
        try refused(sandbox, server.url("/a.zip"), code: 65, type: "too-large")
    }

    @Test func `a wrong content length is detected`() throws {
        let sandbox = try Sandbox()
        let package = try sandbox.package()
        let server = try ScriptedServer { connection in
            let length = String(connection.target.dropFirst())
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
            connection.send(package)
        }
        try refused(
            sandbox, server.url("/\(package.count + 1)"), code: 76, type: "download-interrupted")
        try refused(sandbox, server.url("/99999999999"), code: 65, type: "too-large")
        try refused(
            sandbox, server.url("/\(package.count - 1)"), code: 65, type: "malformed-archive")
        try refused(sandbox, server.url("/0"), code: 65, type: "not-an-archive")
    }

    @Test(arguments: [
        "404 Not Found", "500 Oops", "401 Unauthorized", "304 Not Modified", "302 Found",
    ])
    func `a response that is not a package is reported in one sentence`(status: String) throws {
        let sandbox = try Sandbox()
        let server = try ScriptedServer { $0.answer([], status: status) }
        try refused(
            sandbox, server.url("/a.zip"), code: 69, type: "download-refused",
            "answered with status \(status.prefix(3)).")
    }

    @Test func `a web page in place of a package causes the error of an invalid package`() throws {
        let sandbox = try Sandbox()
        let server = try ScriptedServer { $0.answer(Array("<!doctype html>Sign in".utf8)) }
        try refused(sandbox, server.url("/a.zip"), code: 65, type: "not-an-archive")
    }

    @Test func `an unreachable server, an unknown name and an invalid URL are reported`() throws {
        let sandbox = try Sandbox()
        let closed = try ScriptedServer { _ in }.url("/a.zip")
        try refused(sandbox, closed, code: 69, type: "download-unreachable")
        // Without a working resolver, this fails with a timeout.
        let unknown = try sandbox.nervous("install", "http://nobody.invalid/a.zip")
        #expect(unknown.code == 69)
        #expect(unknown.errors.contains("error: http://nobody.invalid/a.zip "))
        try refused(sandbox, "http://", code: 64, type: "bad-address")
        try refused(sandbox, "https://user:hush@ho st/", code: 64, type: "bad-address")
    }

    @Test func `a server that disconnects or does not speak HTTP is reported`() throws {
        let sandbox = try Sandbox()
        let mute = try ScriptedServer { _ in }
        try refused(sandbox, mute.url("/"), code: 76, type: "download-interrupted")
        let other = try ScriptedServer { $0.send("220 smtp.example.org ESMTP\r\n") }
        try refused(sandbox, other.url("/"), code: 76, type: "download-interrupted")
    }

    @Test func `name and password are sent to their origin only and never shown`() throws {
        let sandbox = try Sandbox()
        let package = try sandbox.package()
        let (near, far) = (Requests(), Requests())
        let other = try ScriptedServer { connection in
            far.add(connection.request)
            connection.answer(package)
        }
        let place = other.url("/app.zip")
        let server = try ScriptedServer { connection in
            near.add(connection.request)
            connection.redirect(to: connection.target.hasPrefix("/a") ? "/b" : place)
        }
        let url = "http://bob:hush%21@127.0.0.1:\(server.port)/a?key=secret"
        let install = try sandbox.nervous("install", url)
        #expect(install.code == 0, "\(install.errors)")
        #expect(near.all.count == 2)
        let header = "Authorization: Basic " + Data("bob:hush!".utf8).base64EncodedString()
        #expect(near.all.allSatisfy { $0.contains(header) })
        #expect(far.all.count == 1)
        #expect(!far.all.contains { $0.contains("Authorization") })
        let missing = try ScriptedServer { $0.answer([], status: "404 Not Found") }
        for command in ["install", "run"] {
            let failed = try sandbox.nervous(
                command, "http://bob:hush@127.0.0.1:\(missing.port)/a.zip?key=secret")
            #expect(failed.code != 0)
            for word in ["bob", "hush", "secret"] { #expect(!failed.errors.contains(word)) }
        }
    }

    @Test func `an unencrypted address causes a warning`() throws {
        let sandbox = try Sandbox()
        let package = try sandbox.package()
        let server = try ScriptedServer(address: "0.0.0.0") { $0.answer(package) }
        let open = try sandbox.nervous("install", server.url("/a.zip", host: "0.0.0.0"))
        #expect(open.code == 0, "\(open.errors)")
        #expect(open.errors.contains("could have been modified in transit"))
        for word in ["http://localhost/", "http://127.1.2.3/", "http://[::1]/", "https://a.org/"] {
            #expect(try #require(DownloadAddress(word)).address.origin.isProtected)
        }
        for word in ["http://a.org/", "http://127.0.0.1.a.org/", "http://localhost.a.org/"] {
            #expect(try !#require(DownloadAddress(word)).address.origin.isProtected)
        }
    }

    @Test(arguments: ["silence", "trickle", "no answer"])
    func `a slow server causes a timeout`(behaviour: String) async throws {
        let server = try ScriptedServer { connection in
            if behaviour != "no answer" {
                connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nPK")
            }
            while behaviour == "trickle", connection.send("x") { usleep(20_000) }
            connection.waitForEnd()
        }
        var downloader = Downloader(userAgent: "test")
        // Slowly arriving bytes satisfy the first limit but not the second.
        downloader.options.idle = .milliseconds(behaviour == "trickle" ? 60_000 : 300)
        downloader.options.total = .milliseconds(behaviour == "trickle" ? 300 : 60_000)
        let source = try #require(DownloadAddress(server.url("/a.zip")))
        let failure = await #expect(throws: EgressError.self) {
            try await downloader.download(source, limit: 1 << 20, accept: "*/*")
        }
        #expect(failure?.code == .timedOut)
    }

    @Test func `a long download shows a bar on a terminal, and Ctrl-C leaves nothing`() throws {
        let sandbox = try Sandbox()
        let server = try ScriptedServer { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            let piece = [UInt8](repeating: 0x50, count: 1000)
            while connection.send(piece) { usleep(50_000) }
        }
        let terminal = try sandbox.terminal("install", server.url("/a.zip"))
        try terminal.await("of 1 MB")
        #expect(terminal.text.contains("["))
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 130)
        #expect(sandbox.installedFiles.isEmpty)
    }

    @Test(
        arguments: [
            (0, 100, "[........................] 0 %  0 B of 100 B"),
            (50, 100, "[############............] 50 %  50 B of 100 B"),
            (100, 100, "[########################] 100 %  100 B of 100 B"),
            (101, 100, "101 B"), (5, nil, "5 B"), (0, 0, "0 B"), (5, -1, "5 B"),
        ] as [(Int, Int?, String)])
    func `the progress bar does not rely on the announced length`(
        count: Int, total: Int?, line: String
    ) {
        #expect(ProgressLine.text(count, of: total, .bytes) == line)
    }
}
