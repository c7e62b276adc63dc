import API
import Samples
import Statistics
import Testing

@testable import Alerts

struct AlertRuleTests {
    @Test(
        arguments: [
            ("10s", 5), ("5m", 5), ("20m", 5), ("1h", 15), ("1d", 300), ("7d", 1800), ("60d", 3600),
            ("90m", 15), ("36h", 300),
        ])
    func `a window is evaluated 240 times while it passes, at most each 5 s`(
        window: String, seconds: Int64
    ) throws {
        let rule = try AlertRule.make { $0.window = window }
        #expect(rule.step == seconds * 1_000_000)
        let length = try #require(Duration(span: window)).wholeMicroseconds
        #expect(Int64(rule.cells) * rule.step == length)
        #expect(rule.cells <= AlertRule.cellLimit)
    }

    private static let invalid: [(String, @Sendable (inout AlertDefinition) -> Void)] = [
        ("is not a sensor's name", { $0.sensor = "No sensor" }),
        ("is not a statistic", { $0.statistic = "average" }),
        ("has a window such as 5m, or silence", { $0.window = nil }),
        ("window is a duration from 5s to 60d", { $0.window = "61d" }),
        ("window is a duration", { $0.window = "5" }),
        ("window must be a multiple of 5s", { $0.window = "7s" }),
        ("a long one a multiple of a longer time", { $0.window = "86405s" }),
        ("one threshold: above or below", { $0.above = nil }),
        ("one threshold: above or below", { $0.below = 3 }),
        ("one threshold", { $0.above = .infinity }),
        ("clear must not be above", { $0.clear = 11 }),
        (
            "clear must not be below",
            {
                ($0.above, $0.below) = (nil, 10)
                $0.clear = 9
            }
        ),
        ("for is a duration", { $0.hold = "soon" }),
        ("clearFor is a duration", { $0.clearFor = "61d" }),
        ("missing is keep, fire or clear", { $0.missing = "ignore" }),
        ("coverage is a share", { $0.coverage = 1.5 }),
        ("baseline must be from 12 to 2000 times", { $0.baseline = "5m" }),
        ("The threshold of a score is above", { ($0.baseline, $0.below) = ("1h", 1) }),
        ("has no field, statistic", { $0.silence = "1h" }),
        ("not an http or https URL", { $0.webhook = .init(url: "ftp://example.org/") }),
        ("is not encrypted", { $0.webhook = .init(url: "http://example.org/hook") }),
        (
            "must be absolute",
            { $0.webhook = .init(url: "https://example.org/", tokenFile: "token") }
        ),
        ("at most 16 conditions", { $0.conditions = Array(repeating: "a>1", count: 17) }),
        ("title has at most", { $0.title = String(repeating: "t", count: 201) }),
        ("run is the name of an app", { $0.run = "" }),
    ]

    @Test func `an invalid definition is refused with the reason`() throws {
        for (reason, change) in Self.invalid {
            let error = #expect(throws: AlertsError.self, "\(reason)") {
                try AlertRule.make("rule", change)
            }
            #expect(error?.code == .invalid)
            #expect(error?.message.contains(reason) == true, "\(reason): \(error?.message ?? "")")
        }
    }

    @Test(arguments: ["", "-a", "A", "a b", "a/b", "ä", String(repeating: "a", count: 65)])
    func `a name that a path cannot hold is refused`(name: String) {
        #expect(throws: AlertsError.self) { try AlertRule.make(name) }
    }

    @Test func `the owner is notified unless there is another action`() throws {
        #expect(try AlertRule.make().actions == [.notify])
        let called = try AlertRule.make { $0.webhook = .init(url: "http://127.0.0.1:9/x") }
        #expect(called.actions.count == 1)
        let both = try AlertRule.make { ($0.notify, $0.run) = (true, "cleaner") }
        #expect(both.actions == [.notify, .run("cleaner")])
        #expect(try AlertRule.make { $0.notify = false }.actions.isEmpty)
    }

    @Test func `the summary of a rule is a sentence`() throws {
        let busy = try AlertRule.make {
            ($0.window, $0.above, $0.clear, $0.hold) = ("5m", 90, 80, "120s")
            ($0.statistic, $0.conditions) = ("p95", ["level>0"])
        }
        #expect(
            busy.summary
                == "p95~ of meter.level over 5m is above 90.0 for 2m where level>0 until at most 80.0"
        )
        #expect(try AlertRule.silence("30m").summary == "meter has no samples for 30m")
        let odd = try AlertRule.make { ($0.baseline, $0.above) = ("1h", nil) }
        #expect(
            odd.summary == "score of mean of meter.level over 30s among 1h is above 3.5")
    }
}
