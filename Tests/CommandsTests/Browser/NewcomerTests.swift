import Foundation
import TestSupport
import Testing

/// What a person does first: opens the dashboard, installs an app, answers its question, sees its page,
/// takes the permission back, and finds everything in the access log.
@Suite(.blocking, .serialized) struct NewcomerTests {
    private static let question = "document.querySelector('.question .button.main')"
    private static let noDialog = "document.querySelector('dialog') === null"

    private static func button(_ label: String, in place: String = "main") -> String {
        """
        [...document.querySelectorAll('\(place) :is(button, a.button, .answer, td a, .inset a)')]
          .find((one) => one.innerText.trim().split('\\n')[0] === '\(label)')
        """
    }

    private static func says(_ text: String) -> String {
        "document.querySelector('main').innerText.includes(\"\(text)\")"
    }

    /// A package whose script asks for a permission, and whose page shows what it may read.
    private static func package(_ sandbox: Sandbox) throws -> String {
        let app = try AppFolder(sandbox, "memory-tile")
        try app.set(
            "1.0.0", asks: #"[{"sensor": "memory", "reason": "Shows how much is in use"}]"#)
        try app.write(
            "app.js",
            """
            nervous.permissions.request({ name: "memory" })
              .then(({ state }) => console.log(`the answer is ${state}`));
            """)
        try app.write(
            "app.html",
            "<!doctype html><title>Tile</title><script src=/nervous.js></script><p id=tile>"
                + "<script src=page.js></script>")
        try app.write(
            "page.js",
            """
            const tile = document.getElementById("tile");
            nervous.sensor("memory").latest().then(({ used }) => tile.append(`${used} bytes`),
              ({ name }) => tile.append(name));
            """)
        let file = sandbox.path("memory-tile.zip")
        try ZipWriter.write(try app.files(), to: file)
        return file
    }

    /// Opens the dashboard and waits until a chart has drawn a live curve.
    private static func begin(_ sandbox: Sandbox, _ browser: Browser) throws {
        try browser.open(
            try sandbox.nervous("open", "--no-browser").output
                .trimmingCharacters(in: .whitespacesAndNewlines))
        try browser.wait(until: "performance.getEntriesByName('nervous-first-chart').length > 0")
        let picture = """
            [...document.querySelectorAll('.tile canvas')].map((one) => one.toDataURL()).join()
            """
        _ = try browser.run("window.first = \(picture); return 1")
        try browser.wait(until: "\(picture) !== window.first")
        try browser.wait(
            until: "document.querySelector('.tile .figure')?.innerText.match(/[0-9]/) !== null")
    }

    /// Checks the grant at the host, which must not depend on what a page shows.
    private static func isGranted(_ sandbox: Sandbox) throws -> Bool {
        try sandbox.nervous("permissions", "memory-tile", "--json").output
            .contains(#""state":"granted""#)
    }

    @Test func `a newcomer gets from the link to the access log with the mouse`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try Self.begin(sandbox, browser)
        try browser.click("document.querySelector('a[href=\"/apps#install\"]')")
        try browser.wait(until: "location.pathname === '/apps'")
        try browser.wait(until: "document.querySelector('input[type=file]')")
        try browser.choose(try Self.package(sandbox), at: "input[type=file]")
        try browser.wait(until: Self.says("Requests 1 permission"))
        #expect(try sandbox.nervous("apps").output.contains("memory-tile") == false)
        try browser.click(Self.button("Install memory-tile 1.0.0"))
        try browser.click(Self.button("Show memory-tile"))
        try browser.wait(until: "location.pathname === '/apps/memory-tile'")
        // Nothing runs and nothing is allowed yet.
        #expect(try Self.isGranted(sandbox) == false)
        try browser.click(Self.button("Start in the background"))
        try browser.click(Self.question)
        try browser.wait(until: "document.querySelector('dialog')?.open")
        try browser.click(Self.button("Always allow", in: "dialog"))
        try browser.wait(until: Self.noDialog)
        try browser.wait(until: Self.says("the answer is granted"))
        #expect(try Self.isGranted(sandbox))
        try browser.click(Self.button("Open app"))
        try browser.show(tab: .last)
        try browser.wait(until: "/^[0-9]+ bytes$/.test(document.body.innerText.trim())")
        try browser.show(tab: .first)
        try browser.click(Self.button("Revoke"))
        try browser.wait(until: Self.says("The next call is refused."))
        #expect(try Self.isGranted(sandbox) == false)
        try browser.show(tab: .last)
        _ = try browser.run("location.reload(); return 1")
        // A reloaded page leads to the dashboard; its link opens the page again.
        try browser.wait(
            until: "location.pathname === '/apps/memory-tile' && \(Self.button("Open app"))")
        try browser.click("document.querySelector('nav a[href=\"/activity\"]')")
        for entry in [
            "installed version 1.0.0", "allowed by you", "read the newest sample",
            "decision forgotten by you",
        ] {
            try browser.wait(until: Self.says(entry))
        }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    @Test func `a newcomer gets from the link to the access log with Tab, Enter and Escape`() throws
    {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let browser = try Browser(sandbox)
        try Self.begin(sandbox, browser)
        try browser.tab(to: "document.querySelector('a[href=\"/apps#install\"]')")
        try browser.wait(until: "location.pathname === '/apps'")
        // The dialog of the system that Enter opens here is not a part of the page.
        try browser.tab(to: "document.querySelector('input[type=file]')", andPress: nil)
        try browser.choose(try Self.package(sandbox), at: "input[type=file]")
        try browser.wait(until: Self.says("Requests 1 permission"))
        try browser.tab(to: Self.button("Install memory-tile 1.0.0"))
        // The focus is where the way goes on.
        try browser.wait(until: "document.activeElement === (\(Self.button("Show memory-tile")))")
        try browser.press(.enter)
        try browser.wait(until: "location.pathname === '/apps/memory-tile'")
        // First no, then yes.
        try browser.tab(to: Self.button("Start in the background"))
        try browser.tab(to: Self.question)
        try browser.wait(until: "document.querySelector('dialog')?.open")
        try browser.press(.escape)
        try browser.wait(until: Self.noDialog)
        try browser.wait(until: Self.says("the answer is denied"))
        #expect(try Self.isGranted(sandbox) == false)
        try browser.tab(to: Self.button("Start in the background"))
        try browser.tab(to: Self.question)
        try browser.tab(to: Self.button("Always allow", in: "dialog"))
        try browser.wait(until: Self.noDialog)
        try browser.wait(until: Self.says("the answer is granted"))
        #expect(try Self.isGranted(sandbox))
        try browser.tab(to: Self.button("Open app"))
        try browser.show(tab: .last)
        try browser.wait(until: "/^[0-9]+ bytes$/.test(document.body.innerText.trim())")
        try browser.show(tab: .first)
        try browser.tab(to: Self.button("Revoke"))
        try browser.wait(until: Self.says("The next call is refused."))
        #expect(try Self.isGranted(sandbox) == false)
        try browser.tab(to: "document.querySelector('nav a[href=\"/activity\"]')")
        for entry in [
            "installed version 1.0.0", "denied by you", "allowed by you", "read the newest sample",
            "decision forgotten by you",
        ] {
            try browser.wait(until: Self.says(entry))
        }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
