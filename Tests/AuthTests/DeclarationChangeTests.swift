import Samples
import Testing

@testable import Auth

/// The privileges that an update asks for, and its effect on decisions.
struct DeclarationChangeTests {
    private static let pin = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    /// Privileges as stored; a pin follows its origin.
    private static func privileges(_ texts: [String]) -> [Privilege] {
        DeclaredApp.privileges(in: texts.joined(separator: "\n"))
    }

    @Test(arguments: [
        ([], ["sensor:cpu"], ["sensor:cpu added"]),
        (["sensor:cpu"], ["sensor:cpu"], ["sensor:cpu unchanged"]),
        (["sensor:cpu:stats"], ["sensor:cpu"], ["sensor:cpu wider"]),
        (["sensor:cpu"], ["sensor:cpu:stats"], ["sensor:cpu:stats narrower"]),
        (["sensor:network.eth0"], ["sensor:network"], ["sensor:network wider"]),
        (["sensor:network"], ["sensor:network.eth0"], ["sensor:network.eth0 narrower"]),
        (
            ["sensor:network"], ["sensor:networking"],
            ["sensor:networking added", "sensor:network removed"]
        ),
        (["sensor:cpu"], ["sensor:cpu:write"], ["sensor:cpu:write added", "sensor:cpu removed"]),
        (
            ["sensor:cpu", "sensor:load"], ["sensor:memory", "sensor:load"],
            ["sensor:memory added", "sensor:load unchanged", "sensor:cpu removed"]
        ),
        (["sensor:cpu"], [], ["sensor:cpu removed"]),
        // As an earlier version stored them.
        (
            ["net https://a.example"], ["net https://a.example https://b.example"],
            ["net:https://a.example unchanged", "net:https://b.example added"]
        ),
        (
            ["net:https://a.example", "net:https://b.example"], ["net:https://b.example"],
            ["net:https://b.example unchanged", "net:https://a.example removed"]
        ),
        (
            ["net:https://a.example"], ["net:http://a.example"],
            ["net:http://a.example added", "net:https://a.example removed"]
        ),
        // Another certificate is another server.
        (
            ["net:https://a.example"], ["net:https://a.example \(pin)"],
            ["net:https://a.example wider"]
        ),
        (
            ["net:https://a.example \(pin)"], ["net:https://a.example"],
            ["net:https://a.example wider"]
        ),
        (["storage"], ["storage", "notify"], ["storage unchanged", "notify added"]),
        (
            ["health:steps"], ["health:steps", "health:heart-rate", "health:steps:write"],
            ["health:steps unchanged", "health:heart-rate added", "health:steps:write added"]
        ),
    ])
    func `privileges are compared by what they permit`(
        before: [String], after: [String], expected: [String]
    ) {
        let change = DeclarationChange(
            from: Self.privileges(before), to: Self.privileges(after))
        #expect(change.items.map { "\($0.privilege.id) \($0.kind)" } == expected)
    }

    @Test func `a declaration survives storing`() {
        let all = Self.privileges(
            [
                "sensor:cpu", "sensor:network.eth0:stats", "sensor:cpu:write",
                "net:https://a.example", "net:https://b.example \(Self.pin)", "health:steps",
                "health:workout:write",
            ] + PrivilegeID.others.map(\.description))
        let app = DeclaredApp(name: "app", identity: "i", privileges: all)
        #expect(DeclaredApp.privileges(in: app.declaration) == all)
        #expect(all.map(\.id).suffix(PrivilegeID.others.count) == PrivilegeID.others[...])
        #expect(DeclaredApp.privileges(in: "").isEmpty)
    }

    /// The decisions about `before`, and those that remain for `after`.
    @Test(arguments: [
        // Equal: unchanged, including the terms.
        (["sensor:cpu"], ["sensor:cpu"], ["sensor:cpu granted raw"], ["sensor:cpu granted raw"]),
        (
            ["sensor:cpu"], ["sensor:cpu"], ["sensor:cpu granted stats"],
            ["sensor:cpu granted stats"]
        ),
        // Narrower: the decision is narrowed, and the owner is not asked again.
        (
            ["sensor:cpu"], ["sensor:cpu:stats"], ["sensor:cpu granted raw"],
            ["sensor:cpu:stats granted stats"]
        ),
        (["sensor:cpu"], ["sensor:cpu:stats"], ["sensor:cpu denied"], ["sensor:cpu:stats denied"]),
        (
            ["sensor:network"], ["sensor:network.eth0"], ["sensor:network granted stats"],
            ["sensor:network.eth0 granted stats"]
        ),
        // Wider: the grant is kept with its previous extent.
        (
            ["sensor:cpu:stats"], ["sensor:cpu"], ["sensor:cpu:stats granted stats"],
            ["sensor:cpu:stats granted stats"]
        ),
        // Removed: forgotten.
        (
            ["sensor:cpu", "sensor:load"], ["sensor:load"],
            ["sensor:cpu granted raw", "sensor:load denied"], ["sensor:load denied"]
        ),
        (["sensor:cpu"], [], ["sensor:cpu denied"], []),
        (
            ["net:https://a.example"], ["net:https://b.example"], ["net:https://a.example denied"],
            []
        ),
        (
            ["net:https://a.example", "net:https://b.example"], ["net:https://a.example"],
            ["net:https://a.example granted raw", "net:https://b.example granted raw"],
            ["net:https://a.example granted raw"]
        ),
        (
            ["net:https://a.example \(pin)"], ["net:https://a.example"],
            ["net:https://a.example granted raw"], []
        ),
        // A denial of all servers is not about a declared privilege.
        (["net:https://a.example"], ["net:https://b.example"], ["net denied"], ["net denied"]),
        // Not declared by the app: the owner's decision is kept.
        (["sensor:cpu"], [], ["sensor:memory granted raw"], ["sensor:memory granted raw"]),
        (
            ["sensor:network"], ["sensor:network"], ["sensor:network.eth0 denied"],
            ["sensor:network.eth0 denied"]
        ),
    ])
    func
        `decisions about equal or narrower privileges are kept, those about removed ones forgotten`(
            before: [String], after: [String], decided: [String], left: [String]
        ) throws
    {
        let records = try decided.map { text in
            let words = text.split(separator: " ").map(String.init)
            return PermissionRecord(
                client: "app", privilege: try #require(PrivilegeID(words[0])),
                state: try #require(.init(rawValue: words[1])),
                terms: words.count > 2
                    ? Terms(access: try #require(Access(rawValue: words[2])), maximumRate: 2) : nil,
                run: nil, decided: Timestamp(microseconds: 1))
        }
        let change = DeclarationChange(
            from: Self.privileges(before), to: Self.privileges(after))
        let kept = change.records(after: records)
        let texts = kept.map { record in
            (["\(record.privilege)", record.state.rawValue]
                + [record.terms?.access.rawValue].compactMap { $0 }).joined(separator: " ")
        }
        #expect(texts == left)
        #expect(kept.allSatisfy { $0.terms?.maximumRate ?? 2 == 2 })
    }
}
