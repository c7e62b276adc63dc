import Samples

/// The identifiers of announced sensors, which do not depend on the order of the announcements.
///
/// Where several would have the same, each has a number behind it that follows from where it is
/// announced, so that none ever takes the name of another.
struct AnnouncedNames {
    private var names: [String: SensorID] = [:]

    /// - Parameter announcements: by their topics.
    init(_ announcements: [String: Announcement]) {
        let plain = announcements.mapValues { $0.classification.kind.instance($0.instance) }
        let groups = Dictionary(grouping: plain.keys) { plain[$0] }
        for (id, topics) in groups {
            guard let id else { continue }
            for topic in topics { names[topic] = topics.count == 1 ? id : Self.numbered(id, topic) }
        }
    }

    subscript(topic: String) -> SensorID? { names[topic] }

    private static func numbered(_ id: SensorID, _ topic: String) -> SensorID {
        // FNV-1a of 32 bits, Fowler, Noll and Vo.
        let hash = topic.utf8.reduce(into: UInt32(2_166_136_261)) { hash, byte in
            hash = (hash ^ UInt32(byte)) &* 16_777_619
        }
        let suffix = "-" + String(hash, radix: 16)
        let room = SensorID.maximumLength - suffix.utf8.count
        let rest = id.description.prefix(room).dropFirst(id.kind.description.utf8.count + 1)
        return id.kind.instance(rest + suffix)
    }
}
