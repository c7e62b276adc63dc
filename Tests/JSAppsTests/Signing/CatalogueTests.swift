import Auth
import Foundation
import Samples
import TestSupport
import Testing
import Text

@testable import JSApps

/// The indexes of catalogues: their form, their signatures, and which edition may follow another.
@Suite(.blocking)
struct CatalogueTests {
    private static let digest = String(repeating: "0a", count: 32)

    /// An index of one package.
    ///
    /// - Parameters:
    ///   - changes: other texts for parts of it.
    private static func index(_ changes: (String, String)...) -> [UInt8] {
        let text = """
            {
              "format": 1,
              "name": "example",
              "title": "Apps",
              "sequence": 7,
              "packages": [
                {
                  "kind": "app",
                  "name": "my-app",
                  "version": "1.0.0",
                  "title": "An app",
                  "description": "It does something",
                  "file": "my-app.zip",
                  "size": 3,
                  "sha256": "\(digest)"
                }
              ]
            }

            """
        return Array(changes.reduce(text) { $0.replacing($1.0, with: $1.1) }.utf8)
    }

    private static func fault(_ body: () throws -> Void) -> JSAppsError.Code? {
        do {
            try body()
            return nil
        } catch let error as JSAppsError {
            return error.code
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }

    /// An edition that a key has signed.
    private static func edition(
        _ sequence: Int64, name: String = "example", title: String? = nil,
        by secret: String = SignedPackage.secret
    ) throws -> CatalogueEdition {
        let index = CatalogueIndex(
            name: try #require(AppName(name)), title: title, sequence: sequence, packages: [])
        return try CatalogueEdition(index, by: try SigningKey(secret))
    }

    // MARK: - Indexes

    @Test func `an index is read, and written with the same bytes`() throws {
        let index = try CatalogueIndex(parsing: Self.index())
        #expect(index.name.text == "example" && index.sequence == 7 && index.title == "Apps")
        let package = try index.package(named: "my-app")
        #expect(package.kind == .app && package.version == "1.0.0" && package.size == 3)
        #expect(package.file == "my-app.zip" && package.sha256 == Self.digest)
        #expect(index.encoded == Self.index())
        #expect(Self.fault { _ = try index.package(named: "other") } == .noSuchPackage)
    }

    @Test func `unknown members are ignored`() throws {
        let index = Self.index(
            ("\"sequence\"", "\"later\": {\"a\": [1]}, \"sequence\""),
            ("\"kind\"", "\"mirror\": null, \"kind\""))
        #expect(try CatalogueIndex(parsing: index).packages.count == 1)
    }

    private static let invalid: [(String, String)] = [
        ("\"format\": 1", "\"format\": 2"), ("\"format\": 1,", ""),
        ("\"example\"", "\"Not Kebab\""), ("\"sequence\": 7", "\"sequence\": 0"),
        ("\"sequence\": 7", "\"sequence\": 7.5"),
        ("\"sequence\": 7", "\"sequence\": 9007199254740992"),
        ("\"sequence\": 7", "\"sequence\": 7, \"sequence\": 8"), ("\"app\"", "\"theme\""),
        ("\"my-app\"", "\"../x\""), ("\"1.0.0\"", "\"\""), ("\"1.0.0\"", "\"1\\u0007\""),
        ("my-app.zip", "../my-app.zip"), ("my-app.zip", "/etc/my-app.zip"),
        ("my-app.zip", "https://example.org/a.zip"), ("my-app.zip", "a%2fb.zip"),
        ("my-app.zip", "-a.zip"), ("my-app.zip", ".a.zip"), ("my-app.zip", "my-app.sh"),
        ("my-app.zip", "a?b.zip"), ("\"size\": 3", "\"size\": -1"), ("\"size\": 3", "\"size\": 0"),
        ("\"size\": 3", "\"size\": 1e300"), (digest, String(digest.dropLast())),
        (digest, digest.uppercased()), ("\"packages\": [", "\"packages\": [1, "),
        ("\"packages\": [", "\"package\": ["), ("\"An app\"", "3"),
        ("\"An app\"", "\"\(String(repeating: "x", count: 101))\""),
    ]

    @Test(arguments: invalid)
    func `an invalid index is refused with its position`(part: String, other: String) throws {
        let bytes = Self.index((part, other))
        #expect(bytes != Self.index())
        do {
            _ = try CatalogueIndex(parsing: bytes)
            Issue.record("\(other) was accepted")
        } catch {
            #expect(error.code == .badCatalogue)
            #expect(error.message.contains(#/index\.json:\d+:\d+: /#), "\(error.message)")
        }
    }

    @Test func `two packages of one name are refused`() throws {
        let text = String(decoding: Self.index(), as: UTF8.self)
        let start = try #require(text.range(of: "    {"))
        let end = try #require(text.range(of: "    }\n  ]"))
        let package = text[start.lowerBound..<end.lowerBound] + "    },\n"
        let twice = text.replacing("[\n", with: "[\n\(package)")
        #expect(Self.fault { _ = try CatalogueIndex(parsing: Array(twice.utf8)) } == .badCatalogue)
    }

    @Test func `huge and deep indexes are refused`() {
        let huge = [UInt8](repeating: 0x20, count: CatalogueIndex.limit + 1)
        let deep = Array(String(repeating: "[", count: 100_000).utf8)
        let nested = Self.index(
            (
                "\"sequence\"",
                "\"x\": \(String(repeating: "[", count: 9))\(String(repeating: "]", count: 9)), \"sequence\""
            ))
        for bytes in [huge, deep, nested, [], Array("[]".utf8), [0xFF]] {
            #expect(Self.fault { _ = try CatalogueIndex(parsing: bytes) } == .badCatalogue)
        }
    }

    @Test func `a package must have the listed size and digest`() throws {
        let bytes = Array("abc".utf8)
        let listed = try CatalogueIndex(
            parsing: Self.index((Self.digest, Fingerprint.sha256(bytes)))
        ).packages[0]
        try listed.check(bytes)
        for other in ["abd", "ab", "abcd", ""] {
            #expect(Self.fault { try listed.check(Array(other.utf8)) } == .packageMismatch)
        }
        try listed.check(isA: .app)
        #expect(Self.fault { try listed.check(isA: .sensorPack) } == .packageMismatch)
    }

    // MARK: - Signatures

    @Test func `a changed index or signature is refused`() throws {
        let made = try Self.edition(3)
        let read = try CatalogueEdition(index: made.bytes, signature: made.signature)
        #expect(read.signer == made.signer && read.index == made.index)
        for position in [0, made.bytes.count / 2, made.bytes.count - 1] {
            var bytes = made.bytes
            bytes[position] ^= 1
            #expect(
                Self.fault { _ = try CatalogueEdition(index: bytes, signature: made.signature) }
                    == .badSignature)
        }
        for signature in [
            [], Array("{}".utf8), made.signature + [0x0A], Array(made.signature.dropLast()),
            try Self.edition(4).signature,
        ] {
            #expect(
                Self.fault { _ = try CatalogueEdition(index: made.bytes, signature: signature) }
                    == .badSignature)
        }
    }

    /// A signature of a package must not be usable for a catalogue, or the other way round.
    @Test func `the message names its purpose and the checksum of the index`() {
        let message = String(decoding: CatalogueIndex.message([]), as: UTF8.self)
        #expect(message == "nervous catalogue 1\n\(Fingerprint.sha256([]))\n")
    }

    // MARK: - The store

    private struct Place {
        let folder: TemporaryFolder
        let store: CatalogueStore
        let path: String

        init() throws {
            folder = try TemporaryFolder()
            path = folder.url.path(percentEncoded: false) + "catalogues"
            store = CatalogueStore(folder: path)
        }

        func add(
            _ edition: CatalogueEdition, _ name: String = "example", pinned: SignerKey? = nil
        ) async throws {
            try await store.add(
                edition, named: try #require(AppName(name)), from: "/srv/index.json",
                pinned: pinned ?? edition.signer, at: Timestamp(microseconds: 1_000_000))
        }

        /// The code of the error that adding an edition throws; `nil` if it is added.
        func fault(
            _ edition: CatalogueEdition, _ name: String = "example", pinned: SignerKey? = nil
        ) async -> JSAppsError.Code? {
            do {
                try await add(edition, name, pinned: pinned)
                return nil
            } catch {
                return (error as? JSAppsError)?.code
            }
        }
    }

    @Test func `a later edition is kept, and an older or another one is refused`() async throws {
        let place = try Place()
        #expect(try await place.store.catalogues().isEmpty)
        try await place.add(try Self.edition(5))
        let time = Timestamp(microseconds: 2_000_000)
        let before = try place.folder.tree()
        for edition in [
            try Self.edition(4), try Self.edition(5, title: "Other"),
            try Self.edition(9, name: "another"),
        ] {
            await #expect(throws: JSAppsError.self) {
                try await place.store.refresh("example", with: edition, at: time)
            }
            #expect(await place.fault(edition) == .staleCatalogue)
        }
        let foreign = try Self.edition(6, by: SignedPackage.otherSecret)
        #expect(await place.fault(foreign) == .catalogueKeyChanged)
        #expect(try place.folder.tree() == before)
        try await place.store.refresh("example", with: try Self.edition(5), at: time)
        try await place.store.refresh("example", with: try Self.edition(6), at: time)
        // Another process that opens the folder knows the newest edition.
        let again = CatalogueStore(folder: place.path)
        let known = try await again.catalogue(named: "example")
        #expect(known.index.sequence == 6 && known.refreshed == time)
        #expect(known.address == "/srv/index.json")
        await #expect(throws: JSAppsError.self) {
            try await again.refresh("example", with: try Self.edition(5), at: time)
        }
    }

    @Test func `a catalogue is added only with the accepted key`() async throws {
        let place = try Place()
        let other = try SigningKey(SignedPackage.otherSecret).signer
        #expect(await place.fault(try Self.edition(1), pinned: other) == .catalogueKeyChanged)
        #expect(await place.fault(try Self.edition(1), "bundled") == .nameTaken)
        #expect(try place.folder.tree().isEmpty)
        try await place.add(try Self.edition(1), "mine")
        #expect(try await place.store.catalogue(named: "mine").index.name.text == "example")
    }

    @Test func `removing a catalogue forgets its key`() async throws {
        let place = try Place()
        try await place.add(try Self.edition(5))
        try await place.store.remove("example")
        for name in ["example", "../example", ""] {
            await #expect(throws: JSAppsError.self) { try await place.store.remove(name) }
        }
        try await place.add(try Self.edition(1, by: SignedPackage.otherSecret))
    }

    @Test func `a damaged file is reported, and trusts no new key`() async throws {
        let place = try Place()
        try await place.add(try Self.edition(5))
        let file = place.path + "/example.json"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for damaged in [
            "", "{}", text.replacing("\\\"sequence\\\": 5", with: "\\\"sequence\\\": 1"),
        ] {
            #expect(damaged != text)
            try damaged.write(toFile: file, atomically: true, encoding: .utf8)
            await #expect(throws: JSAppsError.self) { try await place.store.catalogues() }
            let foreign = try Self.edition(9, by: SignedPackage.otherSecret)
            #expect(await place.fault(foreign) == .damaged)
        }
    }

    // MARK: - Making one

    @Test func `a folder of packages gives the same bytes until a package changes`() throws {
        let place = try TemporaryFolder()
        let key = try SigningKey(SignedPackage.secret)
        func pack(_ name: String, _ version: String) throws {
            let app = try place.writeApp(name, version: version)
            try place.write("out/\(name).zip", try Packer().pack(app))
        }
        let out = place.url.appending(path: "out")
        let maker = CatalogueMaker(unpacker: .built)
        func make(_ name: String? = "example") throws -> CatalogueMaker.Made {
            try maker.make(out, named: name.flatMap { AppName($0) }, signingWith: key)
        }
        func write(_ made: CatalogueMaker.Made) throws {
            try place.write("out/index.json", made.index)
            try place.write("out/index.json.sig", made.signature)
        }
        try place.write("out/notes.txt", "ignored")
        try pack("second-app", "2.0.0")
        try pack("first-app", "1.0.0")
        #expect(Self.fault { _ = try make(nil) } == .badCatalogue)
        let first = try make()
        let twice = try make()
        #expect(first.index == twice.index && !first.isUnchanged)
        #expect(first.edition.index.packages.map(\.name.text) == ["first-app", "second-app"])
        #expect(first.edition.index.sequence == 1)
        try write(first)
        let same = try make(nil)
        #expect(same.isUnchanged && same.index == first.index && same.signature == first.signature)
        try pack("first-app", "1.1.0")
        let next = try make(nil)
        #expect(!next.isUnchanged && next.edition.index.sequence == 2)
        let file = try Data(contentsOf: out.appending(path: "first-app.zip"))
        try next.edition.index.package(named: "first-app").check(Array(file))
        // Another key would be refused by every host.
        let other = try SigningKey(SignedPackage.otherSecret)
        #expect(
            Self.fault { _ = try maker.make(out, named: nil, signingWith: other) }
                == .catalogueKeyChanged)
        try place.write("out/copy.zip", Array(file))
        #expect(Self.fault { _ = try make(nil) } == .duplicateName)
        try place.write("out/copy.zip", "not a package")
        #expect(Self.fault { _ = try make(nil) } == .notAnArchive)
    }
}
