import Samples

/// Where a device says whether it is available.
struct AnnouncedAvailability: Hashable, Sendable {
    struct Source: Hashable, Sendable {
        let topic: String
        let template: ValueTemplate
        let available: String
        let unavailable: String
    }

    private enum Mode: String {
        case all, any, latest
    }

    private static let maximumSources = 8

    let sources: [Source]
    private let mode: Mode

    /// Reads `availability`, or `availability_topic`; sources that cannot be read are left out.
    init(_ texts: AnnouncementTexts) {
        var sources = texts.elements("availability").compactMap {
            Self.source($0, topic: "topic", template: "value_template")
        }
        if sources.isEmpty {
            sources = [
                Self.source(texts, topic: "availability_topic", template: "availability_template")
            ].compactMap(\.self)
        }
        self.sources = Array(sources.prefix(Self.maximumSources))
        mode = texts["availability_mode"].flatMap(Mode.init) ?? .latest
    }

    /// What is known of the availability of a device.
    struct State {
        fileprivate var known: [Int: Bool] = [:]
        fileprivate var latest: Bool?
    }

    /// Takes a message.
    ///
    /// - Returns: whether the device is available; `nil` if the message does not say it.
    func take(_ input: TemplateInput, at topic: String, _ state: inout State) -> Bool? {
        var isKnown = false
        for (index, source) in sources.enumerated()
        where MQTTFilter(topic: source.topic).matches(topic) {
            guard case .text(let payload)? = source.template.value(of: input)?.asText else {
                continue
            }
            guard payload == source.available || payload == source.unavailable else { continue }
            state.known[index] = payload == source.available
            state.latest = state.known[index]
            isKnown = true
        }
        guard isKnown else { return nil }
        return switch mode {
        // A source that has said nothing does not make the device unavailable.
        case .all: sources.indices.allSatisfy { state.known[$0] != false }
        case .any: sources.indices.contains { state.known[$0] == true }
        case .latest: state.latest
        }
    }

    private static func source(
        _ texts: AnnouncementTexts, topic: String, template: String
    ) -> Source? {
        guard let topic = texts.topic(topic), topic.utf8.count <= 256,
            MQTTFilter(topic: topic).isValid,
            let template = try? texts[template].map(ValueTemplate.init) ?? .whole
        else { return nil }
        return Source(
            topic: topic, template: template, available: texts["payload_available"] ?? "online",
            unavailable: texts["payload_not_available"] ?? "offline")
    }
}

extension Value {
    fileprivate var asText: Value {
        switch self {
        case .integer(let integer): .text("\(integer)")
        case .number(let number): .text("\(number)")
        case .text: self
        }
    }
}
