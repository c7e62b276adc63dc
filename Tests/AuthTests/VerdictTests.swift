import Samples
import Testing

@testable import Auth

/// The results of decisions, as a table.
struct VerdictTests {
    struct Row: CustomTestStringConvertible, Sendable {
        /// `privilege`, `privilege=access` for terms with less access, `!privilege` for a denial;
        /// `@run` for one run, `~` for an expired one.
        let decisions: [String]
        let request: String
        let expected: String
        var testDescription: String { "\(decisions) then \(request)" }

        init(_ decisions: [String], _ request: String, _ expected: String) {
            self.decisions = decisions
            self.request = request
            self.expected = expected
        }
    }

    private static let now = Timestamp(microseconds: 1_000_000)

    private static func record(_ text: String) throws -> PermissionRecord {
        var rest = Substring(text)
        let isDenial = rest.hasPrefix("!")
        if isDenial { rest.removeFirst() }
        let isExpired = rest.hasSuffix("~")
        if isExpired { rest.removeLast() }
        let parts = rest.split(separator: "@")
        let sides = parts[0].split(separator: "=")
        let privilege = try #require(PrivilegeID("sensor:\(sides[0])"))
        let access = sides.count > 1 ? Access(rawValue: String(sides[1])) : privilege.access
        var terms = Terms(access: try #require(access))
        if isExpired { terms.expires = now }
        return PermissionRecord(
            client: "app", privilege: privilege, state: isDenial ? .denied : .granted,
            terms: isDenial ? nil : terms, run: parts.count > 1 ? String(parts[1]) : nil,
            decided: now)
    }

    private static func verdict(_ row: Row) throws -> String {
        let table = PermissionTable(try row.decisions.map(record))
        let id = try #require(PrivilegeID("sensor:\(row.request)"))
        let request = AccessRequest("test", of: try #require(id.sensor), try #require(id.access))
        let client = Client(name: "app", kind: .app, run: "r")
        return switch table.verdict(on: request, by: client, at: now) {
        case .granted(let terms): terms.access.rawValue
        case .denied: "denied"
        case .statisticsOnly: "statistics only"
        case .notInBackground: "not in background"
        case .notChosen(_, let chosen): "only \(chosen)"
        case .narrowed: "narrowed"
        case .restricted: "restricted"
        case .undecided: "undecided"
        }
    }

    @Test(arguments: [
        Row([], "cpu", "undecided"),
        Row(["cpu"], "cpu", "raw"),
        Row(["cpu"], "cpu:stats", "raw"),
        Row(["cpu"], "cpu:write", "undecided"),
        Row(["cpu:stats"], "cpu:stats", "stats"),
        Row(["cpu:stats"], "cpu", "statistics only"),
        Row(["cpu=stats"], "cpu", "statistics only"),
        Row(["cpu=stats"], "cpu:stats", "stats"),
        Row(["cpu:stats"], "cpu:write", "undecided"),
        Row(["cpu:write"], "cpu:write", "write"),
        Row(["cpu:write"], "cpu", "undecided"),
        Row(["cpu:write"], "cpu:stats", "undecided"),
        Row(["cpu"], "memory", "undecided"),
    ])
    func `a grant covers its access and those included in it`(row: Row) throws {
        #expect(try Self.verdict(row) == row.expected)
    }

    @Test(arguments: [
        Row(["!cpu"], "cpu", "denied"),
        Row(["!cpu"], "cpu:stats", "undecided"),
        Row(["!cpu", "cpu:stats"], "cpu:stats", "stats"),
        Row(["!cpu", "cpu:stats"], "cpu", "denied"),
        Row(["!cpu:stats"], "cpu:stats", "denied"),
        Row(["!cpu:stats"], "cpu", "denied"),
        Row(["!cpu:stats", "cpu"], "cpu", "denied"),
        Row(["!cpu:stats", "cpu"], "cpu:write", "undecided"),
        Row(["!cpu:write", "cpu"], "cpu", "raw"),
        Row(["!cpu:write"], "cpu:write", "denied"),
        Row(["!network", "network.eth0"], "network.eth0", "denied"),
        Row(["network", "!network.eth0"], "network.eth0", "denied"),
        Row(["network", "!network.eth0"], "network.wlan0", "raw"),
        Row(["cpu", "!cpu@r"], "cpu", "denied"),
        Row(["cpu@r", "!cpu:stats"], "cpu", "denied"),
    ])
    func `a denial overrides every grant`(row: Row) throws {
        #expect(try Self.verdict(row) == row.expected)
    }

    @Test(arguments: [
        Row(["network"], "network.eth0", "raw"),
        Row(["network"], "network.eth0.in", "raw"),
        Row(["network.eth0"], "network", "undecided"),
        Row(["network.eth0"], "network.eth1", "undecided"),
        Row(["network.eth0"], "network.eth01", "undecided"),
        Row(["network"], "networking", "undecided"),
        Row(["network"], "networking.eth0", "undecided"),
        Row(["network"], "network-card", "undecided"),
        Row(["!network", "networking"], "networking", "raw"),
    ])
    func `a sensor's name covers whole segments`(row: Row) throws {
        #expect(try Self.verdict(row) == row.expected)
    }

    @Test(arguments: [
        Row(["network", "network.eth0=stats"], "network.eth0", "statistics only"),
        Row(["network", "network.eth0=stats"], "network.eth0:stats", "stats"),
        Row(["network", "network.eth0=stats"], "network.wlan0", "raw"),
        Row(["network=stats", "network.eth0"], "network.eth0", "raw"),
        Row(["network=stats", "network.eth0"], "network.wlan0", "statistics only"),
        Row(["network", "network.eth0:stats"], "network.eth0", "raw"),
        Row(["network", "network.eth0=stats~"], "network.eth0", "raw"),
    ])
    func `a decision about an instance applies to it`(row: Row) throws {
        #expect(try Self.verdict(row) == row.expected)
    }

    @Test(arguments: [
        Row(["cpu@r"], "cpu", "raw"),
        Row(["cpu@other"], "cpu", "undecided"),
        Row(["!cpu@other", "cpu"], "cpu", "raw"),
        Row(["cpu:stats", "cpu@r"], "cpu", "raw"),
        Row(["cpu:stats", "cpu@other"], "cpu", "statistics only"),
        Row(["cpu~"], "cpu", "undecided"),
        Row(["cpu~", "cpu:stats"], "cpu", "statistics only"),
        Row(["cpu:stats~"], "cpu", "undecided"),
        Row(["cpu~", "cpu@r"], "cpu", "raw"),
    ])
    func `decisions for another run and expired ones are ignored`(row: Row) throws {
        #expect(try Self.verdict(row) == row.expected)
    }

    @Test func `a decision about one client does not apply to others`() throws {
        let table = PermissionTable([try Self.record("cpu")])
        let request = AccessRequest("test", of: "cpu", .raw)
        for name in ["ap", "apps", "app-2", ""] {
            let client = Client(name: name, kind: .app, run: "r")
            #expect(table.verdict(on: request, by: client, at: Self.now) == .undecided)
        }
    }

    @Test func `the terms of the most specific grant apply`() throws {
        var narrow = Terms(access: .raw)
        narrow.maximumRate = 1
        let instance = PermissionRecord(
            client: "app", privilege: PrivilegeID.sensor("network.eth0", .raw),
            state: .granted, terms: narrow, run: nil, decided: Self.now)
        let table = PermissionTable([try Self.record("network"), instance])
        let client = Client(name: "app", kind: .app, run: nil)
        for access in [Access.raw, .stats] {
            let request = AccessRequest("test", of: "network.eth0", access)
            #expect(table.verdict(on: request, by: client, at: Self.now) == .granted(narrow))
        }
    }
}
