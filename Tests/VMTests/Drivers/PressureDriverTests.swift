import Samples
import Testing

@testable import VM

struct PressureDriverTests {
    private static let some = "some avg10=14.62 avg60=17.88 avg300=12.78 total=68947155\n"
    private static let full = "full avg10=1.50 avg60=2.50 avg300=3.50 total=77\n"

    @Test func `both lines become fields`() throws {
        let tree = try FixtureTree(["proc/pressure/io": Self.some + Self.full])
        let values = try Discovery(PressureDriver(roots: tree.roots)).values("pressure.io")
        #expect(
            values == [
                "someAvg10": .number(14.62), "someAvg60": .number(17.88),
                "someAvg300": .number(12.78), "fullAvg10": .number(1.5),
                "fullAvg60": .number(2.5), "fullAvg300": .number(3.5),
                "someTotal": .integer(68_947_155), "fullTotal": .integer(77),
            ])
    }

    @Test func `without the line full the processor has zeros and memory an error`() throws {
        let tree = try FixtureTree([
            "proc/pressure/cpu": Self.some, "proc/pressure/memory": Self.some,
        ])
        let discovery = Discovery(PressureDriver(roots: tree.roots))
        let values = try discovery.values("pressure.cpu")
        #expect(values["fullAvg300"] == .number(0))
        #expect(values["fullTotal"] == .integer(0))
        #expect(try discovery.missing("pressure.memory").reason.contains("lacks the line full"))
    }

    @Test func `a kernel without pressure information gives a remedy`() throws {
        let tree = try FixtureTree()
        let discovery = Discovery(PressureDriver(roots: tree.roots))
        #expect(discovery.ids == ["pressure.cpu", "pressure.memory", "pressure.io"])
        for id in discovery.ids {
            #expect(try discovery.missing(id).remedy?.contains("psi=1") == true)
        }
    }

    @Test(arguments: [
        "", "some", "some avg10=1 avg60=2 avg300=3", "some avg10=1 avg60=2 total=3",
        "some avg10=nan avg60=2 avg300=3 total=4", "some avg10=101 avg60=2 avg300=3 total=4",
        "some avg10=1 avg60=2 avg300=3 total=-4", "some avg10= avg60=2 avg300=3 total=4",
        "some avg10=1 avg60=2 avg300=3 total=99999999999999999999",
    ])
    func `malformed numbers are an error`(text: String) throws {
        let tree = try FixtureTree(["proc/pressure/cpu": Self.some])
        let reader = try Discovery(PressureDriver(roots: tree.roots)).reader("pressure.cpu")
        try tree.write(text, to: "proc/pressure/cpu")
        #expect(failure(of: reader) == .malformed)
    }
}
