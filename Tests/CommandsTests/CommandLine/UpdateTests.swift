import Foundation
import TestSupport
import Testing

/// Updates: their output, prompts and rejections.
@Suite(.blocking)
struct UpdateTests {
    private let sandbox: Sandbox
    private let app: AppFolder

    init() throws {
        sandbox = try Sandbox()
        app = try AppFolder(sandbox)
    }

    /// Packs the current files of the folder.
    private func pack(_ signer: String? = nil) throws -> String {
        let file = sandbox.path("\(UUID().uuidString).zip")
        let sign = signer.map { ["--sign", $0] } ?? []
        let pack = try sandbox.nervous(["pack", app.path, "--output", file] + sign)
        #expect(pack.code == 0, "\(pack.errors)")
        return file
    }

    private func allow(_ privilege: String) throws {
        #expect(try sandbox.nervous("permissions", "grant", "my-app", privilege).code == 0)
    }

    private func decisions() throws -> String {
        try sandbox.nervous("permissions", "my-app").output
    }

    @Test func `an update shows the difference and asks only for it`() throws {
        try app.set(
            "1.0.0",
            asks: #"["memory", {"sensor": "load", "access": "stats", "reason": "r"}, "disk"]"#)
        #expect(try sandbox.nervous("install", app.path).code == 0)
        try allow("sensor:memory")
        try allow("sensor:load:stats")
        try app.set("1.1.0", asks: #"["cpu", "memory", "load"]"#)
        let update = try sandbox.nervous("install", app.path)
        #expect(update.code == 0)
        #expect(
            update.output == """
                my-app 1.0.0 → 1.1.0
                  + sensor:cpu (asked at the next run)
                  = sensor:memory (allowed)
                  + sensor:load (wider than before; asked at the next run)
                  - sensor:disk (no longer asked for; the decision is forgotten)

                """)
        let run = try sandbox.nervous("run", "my-app")
        #expect(run.code == 77)
        #expect(run.errors.contains("needs sensor:cpu, sensor:load, which"))
        #expect(!run.output.contains("ran"))
        // Dropped, and declared again.
        try app.set("1.2.0")
        #expect(try sandbox.nervous("install", app.path).code == 0)
        #expect(try decisions().isEmpty)
        try app.set("1.3.0", asks: #"["memory"]"#)
        #expect(try sandbox.nervous("install", app.path).output.contains("+ sensor:memory (asked"))
        #expect(try sandbox.nervous("run", "my-app").code == 77)
    }

    @Test func `an update that declares the same or less runs without a prompt`() throws {
        try app.set("1.0.0", asks: #"["memory"]"#)
        #expect(try sandbox.nervous("install", app.path).code == 0)
        try allow("sensor:memory")
        for (version, privileges) in [
            ("1.0.1", #"["memory"]"#),
            ("1.0.2", #"[{"sensor": "memory", "access": "stats", "reason": "r"}]"#),
            ("1.0.3", "[]"),
        ] {
            try app.set(version, asks: privileges)
            let run = try sandbox.nervous("run", app.path)
            #expect(run.code == 0, "\(run.errors)")
            #expect(run.output == "ran\n")
            #expect(run.errors.contains("→ \(version)"))
        }
        #expect(try decisions().isEmpty)
    }

    @Test func `a signed app cannot be updated with another key or none`() throws {
        for key in ["ann", "eve"] {
            #expect(try sandbox.nervous("keys", "create", key).code == 0)
        }
        try app.set("1.0.0", asks: #"["memory"]"#)
        #expect(try sandbox.nervous("install", try pack("ann")).code == 0)
        try allow("sensor:memory")
        try app.set("1.1.0", asks: #"["memory"]"#)
        let before = sandbox.installedFiles
        for signer in ["eve", nil] {
            let file = try pack(signer)
            for words in [["install", file], ["run", file], ["install", file, "--dry-run"]] {
                let call = try sandbox.nervous(words + ["--json"])
                #expect(call.code == 65)
                #expect(call.errors.contains(#""type":"signer-changed""#))
                #expect(call.errors.contains("nervous uninstall my-app"))
            }
        }
        #expect(sandbox.installedFiles == before)
        #expect(try sandbox.nervous("run", "my-app").output == "ran\n")
        #expect(try sandbox.nervous("install", try pack("ann")).code == 0)
        #expect(try sandbox.nervous("run", "my-app").code == 0)
        // Uninstalling forgets every decision; then any signer's package can be installed.
        #expect(try sandbox.nervous("uninstall", "my-app").code == 0)
        #expect(try sandbox.nervous("install", try pack("eve")).code == 0)
        #expect(try decisions().isEmpty)
        #expect(try sandbox.nervous("run", "my-app").code == 77)
    }

    @Test func `an unsigned app that becomes signed is asked about again`() throws {
        #expect(try sandbox.nervous("keys", "create", "ann").code == 0)
        try app.set("1.0.0", asks: #"["memory"]"#)
        #expect(try sandbox.nervous("install", app.path).code == 0)
        try allow("sensor:memory")
        try app.set("1.1.0", asks: #"["memory"]"#)
        let install = try sandbox.nervous("install", try pack("ann"))
        #expect(install.output.contains("It is signed by ann ed25519:"))
        #expect(install.output.contains("this is another app, and all decisions were forgotten"))
        #expect(install.output.contains("  + sensor:memory (asked at the next run)"))
        #expect(try decisions().isEmpty)
        #expect(try sandbox.nervous("run", "my-app").code == 77)
    }

    @Test func `an older version is rejected unless allowed, and then inherits nothing`() throws {
        try app.set("1.10.0", asks: #"["memory"]"#)
        #expect(try sandbox.nervous("install", app.path).code == 0)
        try allow("sensor:memory")
        try app.set("1.9.0", asks: #"["memory"]"#)
        for words in [["install", app.path], ["run", app.path]] {
            let refused = try sandbox.nervous(words)
            #expect(refused.code == 65)
            #expect(refused.errors.contains("1.9.0 is older than the installed version 1.10.0"))
            #expect(refused.errors.contains("--allow-downgrade"))
        }
        #expect(try decisions().contains("granted"))
        let run = try sandbox.nervous("run", app.path, "--allow-downgrade")
        #expect(run.code == 77)
        #expect(run.errors.contains("It is an older version: all decisions were forgotten."))
        #expect(try decisions().isEmpty)
        #expect(try sandbox.nervous("apps").output.contains("1.9.0"))
    }

    @Test func `a dry run shows the difference and changes nothing`() throws {
        try app.set("1.0.0", asks: #"["memory"]"#)
        let first = try sandbox.nervous("install", app.path, "--dry-run")
        #expect(first.output.hasPrefix("Would install my-app 1.0.0.\n"))
        #expect(sandbox.installedFiles.filter { !$0.hasPrefix(".") }.isEmpty)
        #expect(try sandbox.nervous("install", app.path).code == 0)
        try allow("sensor:memory")
        let (files, decided) = (sandbox.installedFiles, try decisions())
        try app.set("1.1.0", asks: #"["cpu"]"#)
        let dry = try sandbox.nervous("install", app.path, "--dry-run")
        #expect(dry.code == 0)
        #expect(dry.output.contains("my-app 1.0.0 → 1.1.0 (not installed: this is a dry run)"))
        #expect(dry.output.contains("+ sensor:cpu"))
        #expect(dry.output.contains("- sensor:memory"))
        let json = try sandbox.nervous("install", app.path, "--dry-run", "--json").output
        #expect(json.contains(#"{"change":"removed","privilege":"sensor:memory"}"#))
        #expect(sandbox.installedFiles == files)
        #expect(try decisions() == decided)
        #expect(try sandbox.nervous("run", "my-app").output == "ran\n")
    }

    @Test func `the same package changes nothing, and development in a folder keeps decisions`()
        throws
    {
        try app.set("1.0.0", asks: #"["memory"]"#)
        #expect(try sandbox.nervous("install", app.path).code == 0)
        try allow("sensor:memory")
        #expect(
            try sandbox.nervous("install", app.path).output
                == "my-app 1.0.0 is already installed; nothing changed.\n")
        try app.write("app.js", "console.log('changed')")
        let run = try sandbox.nervous("run", app.path)
        #expect(run.output == "changed\n")
        #expect(run.errors.contains("other files under the same version"))
        let again = try sandbox.nervous("run", app.path)
        #expect(again.output == "changed\n")
        #expect(again.errors.isEmpty)
    }

    @Test func `an app under another name inherits nothing`() throws {
        try app.set("1.0.0", asks: #"["memory"]"#)
        #expect(try sandbox.nervous("install", app.path).code == 0)
        try allow("sensor:memory")
        let other = try AppFolder(sandbox, "my-app-2")
        try other.set("1.0.1", asks: #"["memory"]"#)
        let run = try sandbox.nervous("run", other.path)
        #expect(run.code == 77)
        #expect(run.errors.contains("my-app-2 needs sensor:memory"))
    }

    @Test func `the version of a package is printed escaped`() throws {
        #expect(try sandbox.nervous("install", app.path).code == 0)
        try app.set("v\u{5C}u0041\u{5C}\u{5C}x")
        let install = try sandbox.nervous("install", app.path)
        #expect(install.output.contains("1.0.0 → vA\\\\x"))
        #expect(install.output.contains("The versions cannot be compared"))
    }
}
