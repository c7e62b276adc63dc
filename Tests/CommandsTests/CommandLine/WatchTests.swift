import Foundation
import TestSupport
import Testing

/// An app is restarted when its source changes, with --watch only.
@Suite(.blocking)
struct WatchTests {
    @Test func `a changed file restarts the app with the new content`() throws {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox)
        try app.write("app.js", "console.log('first'); setInterval(() => {}, 1000)")
        let terminal = try sandbox.terminal("run", app.path, "--watch")
        try terminal.await("first")
        try app.write("app.js", "console.log('second'); setInterval(() => {}, 1000)")
        try terminal.await("Changed: app.js. Restarting.")
        try terminal.await("second")
        // An error is reported, and the next change can fix it.
        try app.write("package.json", "{")
        try terminal.await("error: package.json:1:2")
        try terminal.await("Waiting for a change")
        try app.set("1.0.0")
        try terminal.await("second")
        // Changes are also awaited after the app has ended, and new folders are watched.
        try app.write("app.js", "console.log('third')")
        try terminal.await("third")
        try terminal.await("my-app has ended. Waiting for a change")
        mkdir("\(app.path)/parts", 0o700)
        try terminal.await("third")
        try terminal.await("Waiting for a change")
        try app.write("parts/more.js", "1")
        try terminal.await("Changed: parts/more.js")
        try terminal.await("Waiting for a change")
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 130)
    }

    @Test(arguments: ["runs", "Waiting for a change", "Restarting."])
    func `Ctrl-C ends a watched run in every state`(moment: String) throws {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox)
        try app.write("app.js", "console.log('it runs'); setInterval(() => {}, 1000)")
        let terminal = try sandbox.terminal("run", app.path, "--watch")
        try terminal.await("it runs")
        if moment != "runs" {
            try app.write("app.js", "console.log('it ends')")
            try terminal.await("Waiting for a change")
        }
        if moment == "Restarting." {
            try app.write("app.js", "setInterval(() => {}, 1000)")
            try terminal.await(moment)
        }
        terminal.type("\u{3}")
        #expect(try terminal.finish() == 130)
    }

    @Test func `an installed app cannot be watched`() throws {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox)
        #expect(try sandbox.nervous("install", app.path).code == 0)
        let package = sandbox.path("my-app.zip")
        #expect(try sandbox.nervous("pack", app.path, "--output", package).code == 0)
        for name in ["my-app", package, "./nowhere"] {
            let run = try sandbox.nervous("run", name, "--watch")
            #expect(run.code == 64)
            #expect(run.errors.contains("--watch requires the folder of an app"))
        }
        let background = try sandbox.nervous("run", app.path, "--watch", "--background")
        #expect(background.code == 64)
    }
}
