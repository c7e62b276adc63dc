import Motion
import Testing

struct DoorTests {
    @Test func `C8: ten equal polls are one event, and only a change is another`() {
        var events = DoorEvents()
        events.connect()
        let polls: [DoorState] =
            Array(repeating: .locked, count: 10) + [.unlocked, .unlocked, .locked]
        #expect(
            polls.flatMap { events.take($0) } == [.lock(.locked), .lock(.unlocked), .lock(.locked)])
    }

    @Test
    func `C8: nothing is told while nobody is connected, and the present value to who connects`() {
        var events = DoorEvents()
        #expect(events.take(.locked, battery: 90) == [])
        events.connect()
        #expect(events.take(.locked, battery: 90) == [.lock(.locked), .battery(90)])
        events.connect()
        #expect(events.take(.locked, battery: 90) == [])
        events.disconnect()
        #expect(events.take(.unlocked, battery: 20) == [])
        events.connect()
        #expect(events.take(.unlocked, battery: nil) == [.lock(.unlocked)])
        #expect(events.take(nil, battery: 20) == [.battery(20)])
    }

    @Test func `C9: a slow drain from 100 to 50 in tenths is told about ten times`() {
        var events = DoorEvents()
        events.connect()
        let told = (0...500).flatMap { events.take(.locked, battery: 100 - Double($0) / 10) }
        let levels = told.compactMap { if case .battery(let percent) = $0 { percent } else { nil } }
        #expect((9...11).contains(levels.count))
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 - $1 > 5 && $0 - $1 < 5.2 })
    }

    @Test(
        arguments: [
            (95.1, Hysteresis.Direction.falling, false), (95, .falling, false),
            (94.9, .falling, true), (106, .falling, false), (105, .rising, false),
            (105.1, .rising, true), (94, .rising, false), (105.1, .either, true),
            (94.9, .either, true), (95, .either, false), (.nan, .either, false),
        ])
    func `C9: a number is told that is more than the margin from the one told before`(
        number: Double, direction: Hysteresis.Direction, isTold: Bool
    ) {
        var hysteresis = Hysteresis(margin: 5, direction: direction)
        #expect(hysteresis.tells(100) == true)
        #expect(hysteresis.tells(number) == isTold)
        #expect(hysteresis.told == (isTold ? number : 100))
    }

    @Test func `C9: a door sends one byte, its battery a decimal`() {
        #expect(DoorEvent.lock(.locked).bytes == [1])
        #expect(DoorEvent.lock(.unlocked).bytes == [0])
        #expect(DoorEvent.battery(97.66).bytes == Array("97.7".utf8))
        #expect(DoorEvent.battery(100).bytes == Array("100.0".utf8))
    }

    @Test(
        arguments: [
            (0.0, 0.0), (4095, 100), (2048, 84.439_220), (2425, 99.982_963), (2426, 100),
            (1000, 41.230_088), (-5, 0), (1e9, 100),
        ])
    func `C3: the charge follows the formula and stays between 0 and 100`(
        reading: Double, percent: Double
    ) throws {
        let found = try #require(BatteryGauge().percent(reading))
        #expect(abs(found - percent) < 1e-5, "\(found)")
    }

    @Test func `C3: what counts as full can be set, and no scale is no charge`() throws {
        var gauge = BatteryGauge()
        gauge.fullVoltage = 4.2
        let found = try #require(gauge.percent(1000))
        #expect(abs(found - 42.211_757) < 1e-5)
        gauge.fullScale = 0
        #expect(gauge.percent(0) == nil)
        #expect(BatteryGauge().percent(.nan) == nil)
    }
}
