import Auth
import JSApps
import Testing

@Suite struct ManifestTests {
    @Test func `a manifest may have the members of npm`() throws {
        let text = """
            {
              "name": "step-counter", "version": "1.2.3-beta.1+5", "title": "Steps",
              "description": "Counts", "author": {"name": "Ada", "email": "a@example.org"},
              "license": "MIT", "main": 7, "scripts": {"test": "x"}, "dependencies": {},
              "privileges": [{"sensor": "light", "access": "stats", "reason": "Dims"},],
            }
            """
        let manifest = try Manifest(parsing: Array(text.utf8))
        #expect(manifest.name.text == "step-counter")
        #expect(manifest.version == "1.2.3-beta.1+5")
        #expect(manifest.semanticVersion?.prerelease == ["beta", "1"])
        #expect(manifest.title == "Steps")
        #expect(manifest.summary == "Counts")
        #expect(manifest.author == "Ada")
        #expect(manifest.license == "MIT")
        #expect(manifest.privileges.map(\.reason) == ["Dims"])
    }

    @Test func `only name and version are required`() throws {
        let text = #"{"name": "a", "version": "first", "author": "", "description": ""}"#
        let manifest = try Manifest(parsing: Array(text.utf8))
        #expect(manifest.author == nil)
        #expect(manifest.privileges.isEmpty)
        #expect(manifest.semanticVersion == nil)
    }

    @Test(arguments: [
        ("[]", "package.json:1:1: the manifest must be an object"),
        ("{\n}", "package.json:1:1: name is missing"),
        (#"{"name": "a"}"#, "package.json:1:1: version is missing"),
        ("{\"name\":\n 7}", "package.json:2:2: name must be"),
        (#"{"name": "a--b"}"#, "package.json:1:10: name must be"),
        (#"{"name": "a\n"}"#, "package.json:1:10: name must be"),
        (#"{"name": "a", "version": ""}"#, "package.json:1:26: version must be"),
        (#"{"name": "a", "version": "1\u001b"}"#, "package.json:1:26: version must be"),
        (#"{"name": "a", "version": "1", "title": 1}"#, "package.json:1:40: title must be a text"),
        (
            #"{"name": "a", "version": "1", "author": {"name": 2}}"#,
            "package.json:1:50: author must be a text or an object with a name"
        ),
        (
            "{\"name\": \"a\", \"version\": \"1\",\n  \"privileges\": {}}",
            "package.json:2:17: privileges must be a list"
        ),
        (
            "{\"name\": \"a\", \"version\": \"1\",\n  \"privileges\": [{\"sensor\": \"light\"}]}",
            "package.json:2:"
        ),
        (
            "{\"name\": \"a\",\n \"name\": \"b\"}",
            "package.json:2:2: the key ‘name’ is a duplicate"
        ),
    ])
    func `an error is reported with its position`(_ text: String, _ start: String) throws {
        let error = try #require(throws: JSAppsError.self) {
            try Manifest(parsing: Array(text.utf8))
        }
        #expect(error.code == .badManifest)
        #expect(error.message.hasPrefix(start), "\(error.message)")
    }

    @Test(arguments: [
        ("version", 64), ("title", 100), ("description", 2000), ("author", 200), ("license", 200),
    ])
    func `texts are bounded in scalars`(_ key: String, _ limit: Int) {
        for (count, isRead) in [(limit, true), (limit + 1, false)] {
            let rest = key == "version" ? "" : #""version": "1","#
            let value = String(repeating: "é", count: count)
            let text = #"{"name": "a", \#(rest) "\#(key)": "\#(value)"}"#
            #expect(((try? Manifest(parsing: Array(text.utf8))) != nil) == isRead)
        }
    }

    @Test(arguments: ["a", "0", "a-b", "a1-2b", String(repeating: "a", count: 64)])
    func `kebab-case is a valid name`(_ name: String) {
        #expect(AppName(name)?.text == name)
    }

    @Test(arguments: [
        "", "-", "a-", "-a", "a--b", "A", "a_b", "a.b", "a b", "é", "a/b", "..", "a\n",
        String(repeating: "a", count: 65),
    ])
    func `other texts are not valid names`(_ name: String) {
        #expect(AppName(name) == nil)
    }

    @Test func `versions are ordered by the specification`() throws {
        let ordered = [
            "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
            "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0",
        ]
        let versions = try ordered.map { try #require(SemanticVersion($0)) }
        for (index, version) in versions.enumerated() {
            for later in versions[(index + 1)...] { #expect(version < later) }
        }
        #expect(SemanticVersion("1.0.0+a") == SemanticVersion("1.0.0+b"))
    }

    @Test(arguments: [
        "", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0+", "v1.0.0", "1.0.0-é",
        "1.0.0-a..b", "-1.0.0", "1.0.x", "1.0.0+a+b", "99999999999999999999.0.0",
    ])
    func `an invalid semantic version is rejected`(_ text: String) {
        #expect(SemanticVersion(text) == nil)
    }
}
