/// The names of states as every source tells them, whatever a phone calls them.
///
/// They are those of the kernel's batteries and of what is derived of movement; what is called in no way
/// that is known here is `unknown`.
enum PhoneState {
    private static let battery = [
        "unplugged": "discharging", "discharging": "discharging", "charging": "charging",
        "full": "full",
    ]
    private static let activity = [
        "walking": "walking", "running": "running", "cycling": "cycling",
        "automotive": "driving", "stationary": "stationary",
    ]

    /// A battery's state by name.
    static func battery(_ name: String) -> String { battery[name.lowercased()] ?? "unknown" }

    /// A battery's state by OwnTracks' number: 1 unplugged, 2 charging, 3 full.
    static func battery(_ number: Int64?) -> String {
        switch number {
        case 1: "discharging"
        case 2: "charging"
        case 3: "full"
        default: "unknown"
        }
    }

    static func activity(_ name: String) -> String { activity[name.lowercased()] ?? "unknown" }

    /// How sure a phone is of an activity; what it does not say counts as the least.
    static func confidence(_ name: String) -> String {
        let folded = name.lowercased()
        return ["low", "medium", "high"].contains(folded) ? folded : "low"
    }
}
