public import Samples

/// The names of states as every source of a kind of sensor is to tell them.
///
/// Platforms name the same state differently: `UNPLUGGED`, `Discharging`; `STILL`, `stationary`.
public enum StateNames {
    /// The states of each kind, and what else they are called; folded as ``canonical(_:of:)`` folds.
    private static let tables: [SensorID: [String: [String]]] = [
        "battery": [
            "charging": ["plugged-in-charging", "2"],
            "discharging": ["unplugged", "on-battery", "3"],
            "not-charging": ["idle", "4"], "full": ["charged", "5"], "unknown": ["1"],
        ],
        "power": [
            "online": ["plugged", "ac", "mains", "1"], "offline": ["unplugged", "battery", "0"],
        ],
        "activity": [
            "walking": ["walk", "on-foot"], "running": ["run", "jogging"],
            "cycling": ["on-bicycle", "bicycling", "bike", "biking"],
            "driving": ["in-vehicle", "automotive", "car"],
            "stationary": ["still", "standing", "idle"], "unknown": ["tilting", "other"],
        ],
        "confidence": ["low": ["0"], "medium": ["1"], "high": ["2"]],
        "lock": ["locked": ["1", "secured"], "unlocked": ["0", "unsecured"]],
        "door": ["closed": ["high", "1", "shut"], "open": ["low", "0", "opened"]],
        "connection": [
            "unknown": [], "scanning": ["searching"], "connecting": [],
            "connected": ["up"], "disconnected": ["down", "none"],
        ],
    ]

    /// The kinds of sensors whose states have names here.
    public static var kinds: [SensorID] { tables.keys.sorted() }

    /// The names that a kind may tell, sorted; `nil` for a kind that is not known.
    public static func all(of kind: SensorID) -> [String]? {
        tables[kind]?.keys.sorted()
    }

    /// The name of a state whatever a platform calls it: case, spaces and underscores do not count.
    ///
    /// - Parameter kind: instances, such as `battery.mouse`, have the names of their kind.
    /// - Returns: `nil` for a state or a kind that is not known.
    public static func canonical(_ state: String, of kind: SensorID) -> String? {
        guard state.utf8.count <= 64, let table = tables[kind.kind] else { return nil }
        let folded = state.lowercased().split(whereSeparator: { " _-".contains($0) })
            .joined(separator: "-")
        if table[folded] != nil { return folded }
        return table.first { $0.value.contains(folded) }?.key
    }
}
