import Foundation
import TestSupport
import Testing

/// Messages of a run while a page of its app is visible, and while it is not.
@Suite(.blocking, .serialized) struct ViewedPageTests {
    @Test func `an unlessViewed message is sent only while no page is visible`() throws {
        let sandbox = try Sandbox()
        let log = sandbox.path("log")
        let host = try ServingHost(sandbox, errors: log)
        let app = try AppFolder(sandbox, "door-watch")
        try app.set(
            "1.0.0", asks: #"[{"notify": true, "reason": "Reports that the door is open"}]"#)
        try app.write(
            "app.js",
            """
            nervous.notify("always").then(() => nervous.notify("Door open", { unlessViewed: true }));
            """)
        try app.write("app.html", "<!doctype html><script src=/nervous.js></script><p>A door")
        #expect(try sandbox.nervous("install", app.path).code == 0)
        #expect(try sandbox.nervous("permissions", "grant", app.name, "notify").code == 0)
        /// Runs the app without a terminal.
        ///
        /// - Returns: its messages.
        func messages() throws -> [String] {
            let before = try lines(log).count
            let run = try sandbox.nervous("run", app.name, "--background")
            #expect(run.code == 0, "\(run.errors)")
            try waitUntil(otherwise: { try String(contentsOfFile: log, encoding: .utf8) }) {
                try !sandbox.nervous("apps").output.contains("running")
            }
            return Array(try lines(log).dropFirst(before))
        }
        #expect(try messages() == ["always", "Door open"])
        let browser = try Browser(sandbox)
        let link = try sandbox.nervous("open", app.name).output
        try browser.open(link.trimmingCharacters(in: .whitespacesAndNewlines))
        try browser.wait(
            until: """
                performance.getEntriesByType("resource")
                  .some(({ name, responseStatus }) => name.endsWith("/view") && responseStatus === 204)
                """)
        #expect(try messages() == ["always"])
        let left = ContinuousClock.now
        try browser.open("about:blank")
        // The page reports asynchronously that it is hidden.
        var last: [String] = []
        while last.count < 2, ContinuousClock.now - left < .seconds(20) { last = try messages() }
        #expect(last == ["always", "Door open"])
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    /// The messages of the app in the host's log.
    private func lines(_ log: String) throws -> [String] {
        try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").compactMap {
            $0.firstMatch(of: /door-watch says: (.*)$/).map { String($0.1) }
        }
    }
}
