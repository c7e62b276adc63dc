import Foundation
import TestSupport
import Testing

@testable import DBus

/// Messages on a private bus with a mock desktop.
@Suite(
    .blocking,
    .enabled(if: PrivateDesktop.isInstalled, "dbus-daemon and python3-dbusmock are not installed"))
struct DesktopMessagesTests {
    @Test func `a message is shown with markup escaped`() async throws {
        let desktop = try PrivateDesktop()
        let messages = DesktopMessages(address: desktop.address)
        #expect(try await messages.serverName() == "mock-notify")
        try await messages.show(
            summary: "my-app: <b>Goal</b> & more",
            body: #"<a href="http://x">1 & 2</a> "q" ä 😀"#)
        let call = try #require(try desktop.calls().first)
        #expect(
            call.contains(
                #"Notify "Nervous" 0 "" "my-app: <b>Goal</b> & more" "#
                    + #""&lt;a href=&quot;http://x&quot;&gt;1 &amp; 2&lt;/a&gt; &quot;q&quot; ä 😀" [] {} -1"#
            ),
            "\(call)")
    }

    @Test func `without support for markup the body is sent unchanged`() async throws {
        let desktop = try PrivateDesktop(capabilities: "body")
        try await DesktopMessages(address: desktop.address).show(summary: "a", body: "<b> & c")
        #expect(try desktop.calls().first?.contains(#""<b> & c""#) == true)
    }

    @Test func `a message replaces the previous one with the same tag`()
        async throws
    {
        let desktop = try PrivateDesktop()
        let messages = DesktopMessages(address: desktop.address)
        for tag in ["x", "y", "x", nil, "y"] {
            try await messages.show(summary: "a", body: "", tag: tag)
        }
        let replaced = try desktop.calls().compactMap { call in
            call.firstMatch(of: /Notify "Nervous" (\d+)\s/).map { String($0.1) }
        }
        #expect(replaced == ["0", "0", "1", "0", "2"])
    }

    @Test func `a desktop that starts later is found`() async throws {
        let desktop = try PrivateDesktop(hasServer: false)
        let messages = DesktopMessages(address: desktop.address)
        await #expect(throws: DesktopError.self) {
            try await messages.show(summary: "a", body: "")
        }
        try desktop.startServer()
        try await messages.show(summary: "b", body: "")
        #expect(try desktop.calls().count == 1)
    }

    @Test(arguments: ["unix:path=/nonexistent/bus", "", "nonsense", "unix:path=/dev/null"])
    func `a missing bus is reported`(address: String) async {
        let error = await #expect(throws: DesktopError.self) {
            try await DesktopMessages(address: address).show(summary: "a", body: "b")
        }
        #expect(error?.code == .unreachable || error?.code == .refused)
    }
}
