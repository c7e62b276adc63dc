import Auth
import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import Provider

/// Which page can redeem a launch code: one that this host served to a browser of its owner.
@Suite(.timeLimit(.minutes(10)))
struct PageLaunchTests {
    private static let opened = [
        ("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
    ]

    /// The nonce in the answer to a request for a page.
    private static func nonce(
        _ host: ServedHost, _ target: String = "/", headers: [(String, String)] = opened,
        method: String = "GET"
    ) async throws -> String? {
        let answer = try await host.send(
            Call(method, target, host: "my-app.localhost:\(host.port)", headers: headers))
        return nonce(in: answer.text)
    }

    private static func nonce(in page: String) -> String? {
        page.firstMatch(of: /<meta name="nervous-page" content="([^"]+)">/).map { String($0.1) }
    }

    private static func redeem(
        _ host: ServedHost, _ code: String, page: String
    ) async throws -> Int {
        try await host.send(
            Call(
                "POST", "/api/v1/launch", host: "my-app.localhost:\(host.port)",
                json: #"{"code": "\#(code)", "page": "\#(page)"}"#)
        ).status
    }

    @Test func `the page that the owner opened redeems the code, and no other does`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            // Before there is a code, no page is marked.
            #expect(try await Self.nonce(host) == nil)
            let code = try await host.authority.launchCode(for: .app("my-app"))
            let nonce = try #require(try await Self.nonce(host))
            #expect(try await Self.redeem(host, code, page: nonce) == 201)
            #expect(try await Self.nonce(host) == nil)
            // A page that another program served knows the code and no nonce.
            let stolen = try await host.authority.launchCode(for: .app("my-app"))
            #expect(try await Self.redeem(host, stolen, page: "") == 401)
            let next = try #require(
                try await {
                    _ = try await host.authority.launchCode(for: .app("my-app"))
                    return try await Self.nonce(host)
                }())
            #expect(try await Self.redeem(host, stolen, page: next) == 401)
        }
    }

    @Test func `only a page that was opened by its address gets a nonce`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            _ = try await host.authority.launchCode(for: .app("my-app"))
            let fields = [
                (
                    "Sec-Fetch-Site",
                    ["none", "same-origin", "same-site", "cross-site", "None", nil]
                ),
                ("Sec-Fetch-Mode", ["navigate", "cors", "no-cors", "same-origin", nil]),
                ("Sec-Fetch-Dest", ["document", "iframe", "empty", "script", "object", nil]),
            ]
            for site in fields[0].1 {
                for mode in fields[1].1 {
                    for destination in fields[2].1 {
                        let values = [site, mode, destination]
                        let headers = zip(fields, values).compactMap { field, value in
                            value.map { (field.0, $0) }
                        }
                        let isMarked = try await Self.nonce(host, headers: headers) != nil
                        #expect(
                            isMarked == (values == ["none", "navigate", "document"]), "\(headers)")
                    }
                }
            }
            for target in ["/app.html", "/app.js", "/nervous.js", "/data.bin"] {
                #expect(try await Self.nonce(host, target) == nil, "\(target)")
            }
            #expect(try await Self.nonce(host, method: "HEAD") == nil)
            // The page is otherwise the same, and a marked one is not stored.
            let page = try await host.send(
                Call("GET", "/", host: "my-app.localhost:\(host.port)", headers: Self.opened))
            #expect(page["cache-control"] == "no-store")
            let rest = page.text.replacing(/<meta name="nervous-page"[^>]*>/, with: "")
            #expect(rest == "<!doctype html><title>x</title>\n")
        }
    }

    @Test(
        .enabled(
            if: geteuid() == 0 && Curl.isInstalled && access("/usr/bin/setpriv", X_OK) == 0,
            "needs root, to fetch a page as another user"))
    func `another user gets no nonce, whatever they claim`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            _ = try await host.authority.launchCode(for: .app("my-app"))
            for (user, isMarked) in [(65_534, false), (0, true)] {
                let words = Self.opened.flatMap { ["-H", "\($0.0): \($0.1)"] }
                let page = try await Curl.output(
                    as: user,
                    words + [
                        "-H", "Host: my-app.localhost:\(host.port)",
                        "http://127.0.0.1:\(host.port)/",
                    ])
                #expect(page.contains("<title>x</title>"))
                #expect((Self.nonce(in: page) != nil) == isMarked, "\(user)")
            }
        }
    }

    @Test(arguments: [
        ("<!doctype html><p>", "<!doctype html>|<p>"),
        ("<!DOCTYPE HTML PUBLIC \"x\">\n<html>", "<!DOCTYPE HTML PUBLIC \"x\">|\n<html>"),
        (
            "\u{FEFF} \r\n<!-- a > b --><!doctype html>x",
            "\u{FEFF} \r\n<!-- a > b --><!doctype html>|x"
        ),
        (
            "<?xml version=\"1.0\"?><!doctype html><html>",
            "<?xml version=\"1.0\"?><!doctype html>|<html>"
        ),
        ("<html><!doctype html>", "|<html><!doctype html>"), ("", "|"), ("text", "|text"),
        ("<!-- never closed", "|<!-- never closed"), ("<!doctype html", "|<!doctype html"),
    ])
    func `the nonce is inserted after the doctype`(page: String, marked: String) {
        let nonce = PageNonce(text: "n")
        let result = String(decoding: nonce.inserted(into: Array(page.utf8)), as: UTF8.self)
        #expect(
            result == marked.replacing("|", with: #"<meta name="nervous-page" content="n">"#))
    }
}

/// Whose connection it is, from the kernel's table.
struct ConnectionTableTests {
    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 x
           1: 0100007F:C001 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1778        0 2 1 x
           2: 0100007F:1F90 0100007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 x
        """

    @Test(
        arguments: [
            ("0100007F:C001 0100007F:1F90", 1778), ("0100007F:1F90 0100007F:C001", 1000),
            ("0100007F:C002 0100007F:1F90", nil), ("0100007F:1F90", nil), ("", nil),
        ] as [(String, UInt32?)])
    func `the user of a connection is that of its own end in the table`(row: String, user: UInt32?)
    {
        #expect(ConnectionTable.user(of: row, in: Self.table) == user)
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `a connection of this process is this user's`(address: String) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let server: any Channel
        do {
            server = try await ServerBootstrap(group: group).bind(host: address, port: 0).get()
        } catch let error as IOError where error.errnoCode == EADDRNOTAVAIL {
            return  // This machine has no IPv6.
        }
        let place = try #require(server.localAddress)
        let client = try await ClientBootstrap(group: group).connect(to: place).get()
        let end = try #require(client.localAddress)
        #expect(ConnectionTable.user(from: end, to: place) == geteuid())
        // The other direction has no row of a client of this port.
        #expect(ConnectionTable.user(from: place, to: place) == nil)
        try await client.close()
        try await server.close()
    }
}
