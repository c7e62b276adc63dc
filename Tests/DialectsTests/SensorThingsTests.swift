import Samples
import Testing
import Text

@testable import Dialects

/// Paths, options and filters of SensorThings.
struct SensorThingsTests {
    private static func fault(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    // MARK: - Paths

    @Test func `a path leads through relations to entities`() throws {
        let path = try ResourcePath(["Datastreams('cpu:busy')", "Observations"])
        #expect(path.steps.map(\.relation.name) == ["Datastreams", "Observations"])
        #expect(path.steps.map(\.id) == ["cpu:busy", nil])
        #expect(path.type == .observation && path.ending == .entities)
        #expect(path.steps.map(\.isList) == [false, true])
        let one = try ResourcePath(["Observations('a:b:1_2')", "Datastream", "Thing"])
        #expect(one.type == .thing && !one.steps[2].isList)
        #expect(try ResourcePath(["Things('it''s')"]).steps[0].id == "it's")
    }

    @Test func `a path may end with a property or with references`() throws {
        #expect(try ResourcePath(["Things('a')", "name"]).ending == .property("name"))
        #expect(try ResourcePath(["Things('a')", "name", "$value"]).ending == .rawValue("name"))
        #expect(try ResourcePath(["Things", "$ref"]).ending == .references)
        #expect(try ResourcePath(["Things('a')", "$ref"]).ending == .references)
    }

    @Test(arguments: [
        ["Nothing"], ["Things", "Datastreams"], ["Things('a')", "Observations"], ["Things(1)"],
        ["Things('a"], ["Things('a')", "name", "x"], ["Things('a')", "$value"], [],
        ["Datastreams('a')", "Thing('b')"], ["Things('a')", "name", "$value", "x"],
    ])
    func `other paths are faults`(segments: [String]) {
        #expect(Self.fault { _ = try ResourcePath(segments) }.hasPrefix("path: "))
    }

    // MARK: - Filters

    private static let entity: [String: JSONValue] = [
        "result": JSONValue(21.5), "name": JSONValue("Kitchen's"), "none": JSONValue(.null),
        "flag": JSONValue(.bool(true)), "phenomenonTime": JSONValue("2026-03-01T12:00:00.5Z"),
    ]

    private static func holds(_ text: String) throws -> Bool {
        try FilterExpression(text).holds { path in
            path.count == 2 && path[0] == "Datastream" ? entity[path[1]] : entity[path[0]]
        }
    }

    @Test(
        arguments: [
            ("result gt 21", true), ("result lt 21.5", false), ("result le 21.5", true),
            ("21 lt result", true), ("result eq 21.50", true), ("result ne 21.5", false),
            ("name eq 'Kitchen''s'", true), ("name gt 'J'", true), ("result eq '21.5'", false),
            ("phenomenonTime ge 2026-03-01T12:00:00.500Z", true),
            ("phenomenonTime gt 2026-03-01T13:00:00.5+01:00", false),
            ("phenomenonTime lt '2026-03-01T12:00:01Z'", true),
            ("not result gt 30", true), ("not (result gt 20 and result lt 30)", false),
            ("result gt 30 or result gt 20 and flag eq true", true),
            ("(result gt 30 or result gt 20) and flag eq false", false),
            ("startswith(name,'Kit')", true), ("endswith(name, 'x')", false),
            ("substringof('chen', name)", true), ("none eq null", true), ("none gt 1", false),
            ("missing eq 1", false), ("missing ne 1", true), ("Datastream/name eq 'x'", false),
            ("Datastream/result eq 21.5", true),
        ])
    func `filters compare properties with constants`(text: String, expected: Bool) throws {
        #expect(try Self.holds(text) == expected)
    }

    @Test(
        arguments: [
            ("result gt", "missing before the end"), ("result", "must be followed by eq"),
            ("result gt 1 2", "unexpected a constant"), ("(result gt 1", "is not closed"),
            ("geo.distance(location, 'x') lt 1", "function geo.distance is not supported"),
            ("result gt 'a", "a text is not closed"),
            ("result gt 2026-13-01T00:00:00Z", "nor a time"),
            ("1 gt 2", "between a property and a constant"), ("result add 1 gt 2", "eq, ne, gt"),
            ("phenomenonTime gt 5", "must be compared with a time"),
            ("startswith('a', name)", "are a property and a text"),
            (String(repeating: "(", count: 40) + "a eq 1", "nested more than"),
            (String(repeating: "a eq 1 or ", count: 500) + "a eq 1", "more than 4096 bytes"),
        ])
    func `other filters are faults that name what is wrong`(text: String, words: String) {
        let fault = Self.fault { _ = try FilterExpression(text) }
        #expect(fault.hasPrefix("$filter: ") && fault.contains(words), "\(fault)")
    }

    @Test func `the range of times of a filter holds all samples that meet it`() throws {
        let start = try #require(Timestamp(rfc3339: "2026-03-01T00:00:00Z"))
        let end = try #require(Timestamp(rfc3339: "2026-03-02T00:00:00Z"))
        let one = try FilterExpression(
            "result gt 1 and phenomenonTime ge 2026-03-01T00:00:00Z"
                + " and resultTime lt 2026-03-02T00:00:00Z")
        #expect(one.timeRange == TimeRange(from: start, to: end))
        let either = try FilterExpression("phenomenonTime lt 2026-03-01T00:00:00Z or result gt 1")
        #expect(either.timeRange == .all)
        #expect(
            try FilterExpression("not phenomenonTime lt 2026-03-01T00:00:00Z").timeRange == .all)
    }

    // MARK: - Options

    @Test func `expansions have options of their own`() throws {
        let options = try QueryOptions(
            [
                (
                    "$expand",
                    "Thing,Observations($top=1;$orderby=phenomenonTime desc;$filter=result gt 1;"
                        + "$expand=FeatureOfInterest)"
                ), ("$select", "name, id,Observations"), ("$top", "20000"), ("$skip", "3"),
                ("$count", "true"), ("$orderby", "Thing/name desc,name"),
            ], of: .datastream)
        #expect(options.top == QueryOptions.largestPage && options.skip == 3 && options.countsAll)
        #expect(options.selection == ["name", "@iot.id", "Observations"])
        #expect(options.order.map(\.isDescending) == [true, false])
        #expect(options.expansions.map(\.relation.name) == ["Thing", "Observations"])
        let inner = options.expansions[1].options
        #expect(inner.top == 1 && inner.order[0].isDescending && inner.filter != nil)
        #expect(inner.expansions[0].relation.type == .featureOfInterest)
        let short = try QueryOptions([("$expand", "Datastreams/Observations($top=2)")], of: .thing)
        #expect(short.expansions[0].options.expansions[0].options.top == 2)
    }

    @Test(
        arguments: [
            ("$top", "-1"), ("$top", "x"), ("$count", "yes"), ("$expand", "Nothing"),
            ("$expand", "Things($top=1"), ("$expand", "Thing,Thing"), ("$expand", "Thing($top)"),
            ("$select", "nothing"), ("$orderby", "name down"), ("$orderby", "nothing"),
            ("$filter", "nothing eq 1"), ("$filter", "Observations/result gt 1"),
            ("$resultFormat", "dataArray"), ("$search", "x"), ("top", "1"),
        ])
    func `other options are faults`(name: String, value: String) {
        let fault = Self.fault { _ = try QueryOptions([(name, value)], of: .datastream) }
        #expect(fault.hasPrefix("\(name): "), "\(fault)")
        #expect(
            Self.fault {
                _ = try QueryOptions([("$top", "1"), ("$top", "1")], of: .thing)
            } == "$top: repeated")
    }

    @Test func `Observations may be requested as arrays`() throws {
        for name in ["$resultFormat", "resultFormat"] {
            #expect(try QueryOptions([(name, "dataArray")], of: .observation).usesDataArray)
        }
    }
}
