import Samples

/// Gives each instance of a kind an identifier of its own.
struct InstanceNames {
    private let kind: SensorID
    private var taken: Set<SensorID> = []

    init(of kind: SensorID) {
        self.kind = kind
    }

    /// The kind's instance `name`; `name-2`, `name-3` and so on when that is taken.
    mutating func claim(_ name: String) -> SensorID {
        let first = kind.instance(name)
        var candidate = first
        var number = 2
        while !taken.insert(candidate).inserted {
            let slug = first.description.dropFirst(kind.description.utf8.count + 1)
            let suffix = "-\(number)"
            let room = SensorID.maximumLength - kind.description.utf8.count - 1
            candidate = kind.instance(slug.prefix(max(1, room - suffix.utf8.count)) + suffix)
            number += 1
        }
        return candidate
    }
}
