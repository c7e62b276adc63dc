import Testing
import Text

@testable import Commands

struct RedactionTests {
    private static func redacted(_ text: String) throws -> (String, Redaction) {
        var redaction = Redaction(home: "/home/ada")
        let value = redaction.redacted(try StrictJSON().parse(Array(text.utf8)))
        return (value.text(), redaction)
    }

    @Test(arguments: [
        #"{"host": "broker.home"}"#, #"{"port": 8883}"#, #"{"tls": true}"#, #"{"every": "10s"}"#,
        #"{"ca": "/etc/broker.pem"}"#, #"{"kind": "mqtt"}"#, #"{"addresses": ["fd00::1"]}"#,
    ])
    func `harmless members stay`(text: String) throws {
        let (shown, _) = try Self.redacted(text)
        #expect(shown.filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
    }

    @Test(arguments: [
        #"{"password": "hidden"}"#, #"{"password": 7777777}"#, #"{"password": ["hidden"]}"#,
        #"{"password": {"host": "hidden"}}"#, #"{"headers": {"host": "hidden"}}"#,
        #"{"unknown": "hidden"}"#, #"{"host": "a@hidden b"}"#, #"{"command": ["hidden"]}"#,
        #"{"url": "https://a/hidden?hidden"}"#, #"{"url": "hidden"}"#, #"["hidden"]"#,
        #"{"hidden \n": 1}"#, #""hidden""#,
    ])
    func `everything else is replaced`(text: String) throws {
        let (shown, _) = try Self.redacted(text)
        #expect(!shown.contains("hidden") && !shown.contains("7777777"))
        #expect(shown.contains(Redaction.mark) || shown.contains("https://a"))
    }

    @Test func `what was removed is removed from texts, too`() throws {
        let (_, redaction) = try Self.redacted(
            #"{"password": "sec\"ret", "headers": {"A": "Bearer abc"}, "token": "x"}"#)
        let text = redaction.scrubbed(
            #"sec"ret, "sec\"ret", Bearer abcd, x, nvs_Ab-_9, /home/ada/.local"#)
        let mark = Redaction.mark
        #expect(text == #"\#(mark), "\#(mark)", \#(mark)d, x, \#(mark), ~/.local"#)
    }

    @Test(arguments: [
        ("2026-11-23T12:00:00.000000Z warning nervous: the disk is full", true),
        ("2026-11-23T12:00:00.000000Z error nervous.vm: failed file=/x", true),
        ("2026-11-23T12:00:00.000000Z info nervous.app: warning nervous: 21.5", false),
        ("diary: error nervous: 21.5", false), ("", false),
        (#"{"label":"nervous","level":"error","message":"x","time":"t"}"#, true),
        (#"{"label":"nervous.app","level":"info","message":"21.5","time":"t"}"#, false),
        (#"{"label":"other","level":"error","message":"x"}"#, false),
    ])
    func `only warnings and errors of the host are taken from its log`(line: String, isTaken: Bool)
    {
        #expect(SupportBundle.isOwnWarning(line) == isTaken)
    }
}
