import Samples
import Testing
import VM

/// What a sensor says of itself.
struct SensorTests {
    @Test(arguments: [
        ("cpu", [Field("busy"), Field("core0")], "busy"),
        ("disk.sda", [Field("readRate"), Field("writeRate")], "writeRate"),
        ("disk", [Field("state", kind: .state), Field("readRate")], "readRate"),
        ("activity", [Field("activity", kind: .state)], nil),
    ])
    func `the main field is the one of the kind, or else the first with numbers`(
        id: SensorID, fields: [Field], name: String?
    ) {
        let sensor = Sensor(id: id, title: "Test", fields: fields, source: "test")
        #expect(sensor.mainField?.name == name)
    }
}
