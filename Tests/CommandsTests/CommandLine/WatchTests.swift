import Foundation
import TestSupport
import Testing

/// C40: an app is started anew when its source changes, while its author works on it and never else.
@Suite(.blocking)
struct WatchTests {
    @Test func `C40: a change of a file starts the app anew, with what it is now`() throws {
        let sandbox = try Sandbox()
        let app = try AppFolder(sandbox)
        try app.write("app.js", "console.log('first'); setInterval(() => {}, 1000)")
        let terminal = try sandbox.terminal("run", app.path, "--watch")
        try terminal.await("first")
        try app.write("app.js", "console.log('second'); setInterval(() => {}, 1000)")
        try terminal.await("Changed: app.js. Restarting.")
        try terminal.await("second")
        // A fault is told, and the next change mends it.
        try app.write("package.json", "{")
        try terminal.await("error: package.json:1:2")
        try terminal.await("Waiting for a change")
        try app.set("1.0.0")
        try terminal.await("second")
        // An app that ends waits, too, and folders that are new are seen.
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
    func `C40: Ctrl-C ends it whatever it does just then`(moment: String) throws {
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

    @Test func `what is installed is not watched`() throws {
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
