import Samples

/// What a `device_class` of Home Assistant is here: a kind of sensor, its one field and its states.
struct DeviceClass: Hashable, Sendable {
    let kind: SensorID
    let field: String
    /// The states that are told as on and off; `nil` for what is no binary sensor.
    var states: States?

    struct States: Hashable, Sendable {
        let on: String
        let off: String
    }

    /// Names of one field: no other sensor of the kind has others.
    private static let numbers: [String: (kind: SensorID, field: String)] = [
        "temperature": ("temperature", "temperature"), "humidity": ("humidity", "humidity"),
        "pressure": ("barometer", "pressure"), "atmospheric_pressure": ("barometer", "pressure"),
        "illuminance": ("light", "illuminance"), "battery": ("battery", "level"),
        // What is called power and pressure elsewhere here is something else.
        "power": ("electric-power", "power"), "distance": ("distance", "distance"),
    ]

    private static let binaries: [String: (kind: SensorID, on: String, off: String)] = [
        "battery": ("battery-warning", "low", "normal"),
        "battery_charging": ("charging", "charging", "not-charging"),
        "carbon_monoxide": ("carbon-monoxide-alarm", "detected", "clear"),
        "cold": ("cold", "cold", "normal"),
        "connectivity": ("connection", "connected", "disconnected"),
        "door": ("door", "open", "closed"),
        "garage_door": ("garage-door", "open", "closed"),
        "gas": ("gas-alarm", "detected", "clear"),
        "heat": ("heat", "hot", "normal"),
        "light": ("light-presence", "detected", "clear"),
        "lock": ("lock", "unlocked", "locked"),
        "moisture": ("wetness", "wet", "dry"),
        "motion": ("motion", "detected", "clear"),
        "moving": ("moving", "moving", "stopped"),
        "occupancy": ("occupancy", "detected", "clear"),
        "opening": ("opening", "open", "closed"),
        "plug": ("plug", "plugged", "unplugged"),
        "power": ("power-presence", "detected", "clear"),
        "presence": ("presence", "home", "away"),
        "problem": ("problem", "problem", "ok"),
        "running": ("running", "running", "stopped"),
        "safety": ("safety", "unsafe", "safe"),
        "smoke": ("smoke", "detected", "clear"),
        "sound": ("sound-presence", "detected", "clear"),
        "tamper": ("tamper", "detected", "clear"),
        "update": ("update", "available", "current"),
        "vibration": ("vibration-presence", "detected", "clear"),
        "window": ("window", "open", "closed"),
    ]

    /// Of a sensor that measures a number; a class that is not known names a kind by itself.
    static func number(_ name: String?) -> DeviceClass {
        guard let name, let words = words(of: name) else {
            return DeviceClass(kind: "measurement", field: "value")
        }
        if let known = numbers[name] { return DeviceClass(kind: known.kind, field: known.field) }
        guard let kind = SensorID(words.joined(separator: "-")) else {
            return DeviceClass(kind: "measurement", field: "value")
        }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        // t is the name of the time.
        let field = words[0] + rest.joined()
        return DeviceClass(kind: kind, field: field == "t" ? "value" : field)
    }

    /// Of a sensor that says one of some names, or a text.
    static let state = DeviceClass(kind: "condition", field: "state")

    /// Of a sensor that says on or off.
    static func binary(_ name: String?) -> DeviceClass {
        let known = name.flatMap { binaries[$0] }
        return DeviceClass(
            kind: known?.kind ?? "contact", field: "state",
            states: States(on: known?.on ?? "on", off: known?.off ?? "off"))
    }

    /// The classes of binary sensors that have states of their own.
    static var binaryNames: [String] { binaries.keys.sorted() }

    private static func words(of name: String) -> [String]? {
        guard name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil, name.utf8.count <= 40
        else { return nil }
        return name.split(separator: "_").map(String.init)
    }
}
