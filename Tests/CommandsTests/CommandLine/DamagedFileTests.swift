import Foundation
import TestSupport
import Testing

/// Messages about damaged databases.
@Suite(.blocking)
struct DamagedFileTests {
    /// A data directory in which all databases are filled and closed.
    private static func filled() throws -> Sandbox {
        let sandbox = try Sandbox()
        let zip = sandbox.path("demo.zip")
        try Data(sandbox.package()).write(to: URL(filePath: zip))
        #expect(try sandbox.nervous("install", zip).code == 0)
        #expect(try sandbox.nervous("query", "load").code == 0)
        return sandbox
    }

    @Test(arguments: FileDamage.allCases)
    func `a host with a damaged storage of apps serves everything else`(
        damage: FileDamage
    ) throws {
        let sandbox = try Self.filled()
        try damage.apply(to: "\(sandbox.data)/app-storage.sqlite")
        let errors = sandbox.path("errors")
        let host = try ServingHost(sandbox, errors: errors)
        #expect(try sandbox.nervous("apps").output.contains("demo"))
        #expect(try sandbox.nervous("query", "load").code == 0)
        #expect(try sandbox.nervous("uninstall", "demo").code == 0)
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let said = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(said.contains("app-storage.sqlite"))
        #expect(said.contains("mv app-storage.sqlite"))
        #expect(!said.contains("permissions.sqlite"))
    }

    @Test(arguments: FileDamage.allCases)
    func `the error for a damaged permission database names it and how to set it aside`(
        damage: FileDamage
    ) throws {
        let sandbox = try Self.filled()
        let path = "\(sandbox.data)/permissions.sqlite"
        try damage.apply(to: path)
        let call = try sandbox.nervous("apps")
        #expect(call.code == 74)
        #expect(call.errors.contains("error: The permission database \(path)"))
        #expect(call.errors.contains("mv \(path) \(path).damaged"))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".damaged")
        #expect(try sandbox.nervous("apps").code == 0)
    }

    @Test(arguments: FileDamage.allCases)
    func `the error for a damaged sample store names it and how to set it aside`(damage: FileDamage)
        throws
    {
        let sandbox = try Self.filled()
        let path = "\(sandbox.data)/samples.sqlite"
        try damage.apply(to: path)
        let call = try sandbox.nervous("apps")
        #expect(call.code == 74)
        #expect(call.errors.contains("mv \(path) \(path).damaged"))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".damaged")
        #expect(try sandbox.nervous("apps").code == 0)
    }
}
