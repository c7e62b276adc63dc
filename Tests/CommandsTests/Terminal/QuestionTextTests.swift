import Addresses
import Auth
import Samples
import TestSupport
import Testing
import Text

@testable import Commands

struct QuestionTextTests {
    private static func text(
        _ sensor: SensorID, _ access: Access = .raw, columns: Int, rows: Int
    ) -> QuestionText? {
        let question = PermissionQuestion(
            app: String(repeating: "very-long-", count: 6) + "name", version: "10.20.30-beta.1",
            title: String(repeating: "Title ", count: 16),
            privilege: Privilege(
                .sensor(sensor, access), reason: String(repeating: "Because of ä. ", count: 14)),
            number: 10, count: 64, signer: String(repeating: "signer ", count: 9),
            isUpdate: true, fields: (1...40).map { Field("field\($0)", unit: "By") },
            instances: (1...40).map {
                SensorInstance(
                    id: sensor.instance("\($0)"), title: "\($0)", source: "test", newest: nil)
            })
        return QuestionText(question, columns: columns - 1, rows: rows)
    }

    @Test func `a prompt and two invalid answers fit every supported terminal`() throws {
        for columns in [40, 41, 60, 72, 73, 80, 132, 300] {
            for rows in [10, 15, 21, 22, 24, 50] {
                for access in [Access.raw, .stats, .write] {
                    let text = try #require(
                        Self.text("accelerometer.left-hand", access, columns: columns, rows: rows))
                    #expect(text.lines.count + 2 <= rows, "\(columns)×\(rows)")
                    for line in text.lines + [text.prompt, "One letter, Enter: \(text.letters)> "] {
                        #expect(CautiousText.columns(of: line) < columns, "\(columns): \(line)")
                    }
                }
            }
        }
    }

    @Test func `texts of any length fit`() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        for _ in 0..<200 {
            let scalars = (0..<Int.random(in: 0..<120, using: &random)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(
                        in: 0...(Bool.random(using: &random) ? 0x3FF : 0x1FFFF), using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let (columns, rows) = (
                Int.random(in: 40...120, using: &random), Int.random(in: 10...40, using: &random)
            )
            let question = PermissionQuestion(
                app: text, version: text, title: text,
                privilege: Privilege(.sensor("cpu", .raw), reason: text), number: 1, count: 1,
                signer: text, fields: [Field(text, unit: text)])
            let shown = try #require(QuestionText(question, columns: columns - 1, rows: rows))
            for line in shown.lines + shown.explanation(columns: columns - 1) {
                #expect(
                    CautiousText.columns(of: line) < columns, "\(columns): \(text.debugDescription)"
                )
                #expect(line.unicodeScalars.allSatisfy { !$0.isUnsafeToDisplay })
            }
            #expect(shown.lines.count + 2 <= rows)
        }
    }

    @Test(arguments: [(40, 10), (80, 24)])
    func `the prompt for writing has no statistics and terms, and reveals nothing`(
        columns: Int, rows: Int
    ) throws {
        let text = try #require(Self.text("cpu", .write, columns: columns, rows: rows))
        #expect(text.letters == "o/a/n/v/?")
        let shown = (text.lines + text.explanation(columns: columns)).joined(separator: " ")
        #expect(shown.contains("to publish samples of cpu"))
        #expect(shown.contains("nothing to the app"))
        #expect(!shown.contains("statistics") && !shown.contains("terms"))
        #expect(!shown.contains(SensorFamily(of: "cpu").reveals))
    }

    private static func call(
        _ origin: String, columns: Int, rows: Int, isUpdate: Bool = false
    ) throws -> QuestionText? {
        let pin = CertificatePin(digest: [UInt8](repeating: 7, count: 32))
        let question = PermissionQuestion(
            app: String(repeating: "very-long-", count: 6) + "name", version: "10.20.30-beta.1",
            title: String(repeating: "Title ", count: 16),
            privilege: Privilege(
                .net(try #require(WebOrigin(origin)), pin: origin.contains("box") ? pin : nil),
                reason: String(repeating: "Because of ä. ", count: 14)),
            number: 10, count: 64, signer: String(repeating: "signer ", count: 9),
            isUpdate: isUpdate)
        return QuestionText(question, columns: columns - 1, rows: rows)
    }

    @Test(arguments: [
        ("https://api.example.org", "everything that it may read here"),
        ("https://box.local:8443", "a device in your network"),
        ("http://192.168.1.7", "a device in your network"),
        ("http://localhost:631", "a program on this machine"),
        ("https://xn--bcher-kva.example", "everything that it may read here"),
        (
            "https://accounts.example.com.\(String(repeating: "a", count: 40)).\(String(repeating: "b", count: 40)).evil",
            "everything that it may read here"
        ),
    ])
    func `calls are asked for by origin, whose end is always shown`(
        _ origin: String, _ disclosure: String
    ) throws {
        for (columns, rows) in [(40, 10), (60, 15), (80, 24), (132, 50)] {
            for isUpdate in [false, true] {
                let text = try #require(
                    try Self.call(origin, columns: columns, rows: rows, isUpdate: isUpdate))
                #expect(text.letters == "o/a/n/v/?")
                #expect(text.lines.count + 2 <= rows)
                for line in text.lines {
                    #expect(CautiousText.columns(of: line) < columns, "\(columns): \(line)")
                }
                let line = try #require(
                    text.lines.first { $0.hasPrefix("Wants") || $0.hasPrefix("Calls") })
                #expect(line.contains(origin.suffix(11)), "\(line)")
                #expect(line.contains(String(origin.prefix(7))), "\(line)")
                let explained = text.explanation(columns: 200).joined(separator: " ")
                #expect(explained.contains(disclosure) && explained.contains(origin))
            }
        }
        let pinned = try #require(try Self.call("https://box.local", columns: 80, rows: 24))
        #expect(pinned.lines.contains { $0.hasPrefix("Trusts:  only the certificate sha256/BwcH") })
    }

    @Test(arguments: PrivilegeID.others)
    func `each privilege without a sensor has a description of its own`(privilege: PrivilegeID) {
        let words = PrivilegeWords(privilege)
        #expect(words.brief.utf8.count <= 28 && !words.brief.isEmpty)
        for other in PrivilegeID.others where other != privilege {
            let others = PrivilegeWords(other)
            #expect(words.request != others.request && words.meaning != others.meaning)
            #expect(words.reveals != others.reveals && words.brief != others.brief)
        }
    }

    @Test(arguments: [
        ("cpu", "when you use the machine"), ("network.eth0", "when you are online"),
        ("accelerometer", "at home"), ("gyroscope.a.b", "at home"), ("location", "where you live"),
        ("microphone", "what is said"), ("filesystem.root", "how much you keep"),
        ("something-new", "this sensor is unknown"), ("cpuid", "this sensor is unknown"),
    ])
    func `each family of sensors has a sentence, unknown ones a general one`(
        sensor: String, words: String
    ) throws {
        let family = SensorFamily(of: try #require(SensorID(sensor)))
        #expect(family.reveals.contains(words))
        #expect(family.brief.utf8.count <= 28)
    }
}
