import Auth
import Foundation
import JSApps

/// The package of a small real app.
enum TestPackage {
    static let privileges = """
        ["gauge", {"sensor": "network", "access": "stats", "reason": "Shows the traffic"}]
        """

    static func bytes(
        _ name: String = "my-app", version: String = "1.0.0", privileges: String = privileges,
        script: String = "console.log('hello')\n", signer: String? = nil, in folder: URL
    ) throws -> [UInt8] {
        let place = folder.appending(path: "packing-\(UUID().uuidString)/\(name)")
        try FileManager.default.createDirectory(
            at: place.appending(path: "images"), withIntermediateDirectories: true)
        let files = [
            "package.json":
                #"{"name": "\#(name)", "version": "\#(version)", "privileges": \#(privileges)}"#,
            "app.js": script, "app.html": "<!doctype html><title>x</title>\n",
            "images/a b.svg": "<svg/>", "data.bin": "bytes",
        ]
        for (path, text) in files {
            try Data(text.utf8).write(to: place.appending(path: path))
        }
        return try Packer().pack(place, signingWith: signer.map { try key($0, in: folder) })
    }

    /// The signing key of the tests; its name is `ann`.
    static func key(_ name: String = "ann", in folder: URL) throws -> SigningKey {
        let keys = KeyFolder(data: folder.path(percentEncoded: false))
        if try !keys.keys().contains(where: { $0.name == name }) { _ = try keys.create(name) }
        return try keys.signingKey(name)
    }
}

extension ServedHost {
    /// Installs a small app and returns its name.
    @discardableResult
    func install(
        _ name: String = "my-app", privileges: String = TestPackage.privileges
    ) async throws -> String {
        let bytes = try TestPackage.bytes(name, privileges: privileges, in: folder)
        let answer = try await send(Call("POST", "/api/v1/apps", token: owner, body: bytes))
        guard answer.status == 201 else { throw Answer.NotHTTP(text: answer.text) }
        return name
    }

    /// A run of an installed app.
    func begin(_ name: String = "my-app") async throws -> (run: String, token: String) {
        let (run, token) = try await authority.beginRun(of: name)
        return (run, token.text)
    }
}
