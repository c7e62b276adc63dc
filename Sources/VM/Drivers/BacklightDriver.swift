import Samples

/// The brightness of each backlight of a built-in screen.
///
/// A share of the highest brightness, not of light: most panels are not linear. Source:
/// `/sys/class/backlight`, Documentation/ABI/stable/sysfs-class-backlight.
struct BacklightDriver: SensorDriver {
    private static let fields = [
        Field("brightness", unit: "%"), Field("state", kind: .state),
    ]

    private let folder: SystemFolder

    init(roots: SystemRoots) {
        folder = SystemFolder("\(roots.sys)/class/backlight")
    }

    func discover() -> [DiscoveredSensor] {
        var identifiers = InstanceNames(of: "backlight")
        let lights = folder.names.map { name in
            let light = folder.folder(name)
            let sensor = Sensor(
                id: identifiers.claim(name), title: "Backlight \(name.printable)",
                fields: Self.fields, source: light.path, cadence: .moderate)
            return DiscoveredSensor.probed(sensor, Reader(light: light), remedy: nil)
        }
        guard lights.isEmpty else { return lights }
        let sensor = Sensor(
            id: "backlight", title: "Backlight", fields: Self.fields, source: folder.path,
            cadence: .moderate)
        let missing = Availability.unavailable(
            reason: "no backlight under \(folder.path)",
            remedy: "only built-in screens have one; on a laptop, load the driver of its graphics")
        return [DiscoveredSensor(sensor, missing)]
    }

    private struct Reader: SampleReader {
        let light: SystemFolder

        mutating func read() throws(SensorError) -> [Value]? {
            let highest = try light.file("max_brightness").integer()
            let file = light.file("brightness")
            let brightness = try file.integer()
            guard highest > 0, (0...highest).contains(brightness) else {
                throw file.malformed("is not between 0 and max_brightness")
            }
            // FB_BLANK_UNBLANK is 0; other numbers are kinds of blank screens.
            let blank = light.file("bl_power")
            let isOn = blank.exists ? try blank.integer() == 0 : true
            return [
                .number(100 * Double(brightness) / Double(highest)), .text(isOn ? "on" : "off"),
            ]
        }
    }
}
