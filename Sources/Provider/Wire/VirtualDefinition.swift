public import VM

/// A virtual sensor as its owner defines it in JSON.
public struct VirtualDefinition: Codable, Sendable {
    /// Its identifier; where the address names it, it may be missing.
    public let name: String?
    /// A few words for a person; `nil` for the name.
    public let title: String?
    /// Fields of other sensors, such as `cpu.busy`.
    public let inputs: [String]
    /// Spans; see `Derivation`.
    public let window: String
    public let slide: String?
    public let outputs: [Derivation.Output]

    public init(name: String, title: String?, _ derivation: Derivation) {
        self.name = name
        self.title = title
        inputs = derivation.inputs
        window = derivation.window
        slide = derivation.slide
        outputs = derivation.outputs
    }

    /// - Throws: `DecodingError`, also for a member that is not known.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(
            besides: ["name", "title", "inputs", "window", "slide", "outputs"])
        let members = try decoder.container(keyedBy: CodingKeys.self)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        title = try members.decodeIfPresent(String.self, forKey: .title)
        inputs = try members.decode([String].self, forKey: .inputs)
        window = try members.decode(String.self, forKey: .window)
        slide = try members.decodeIfPresent(String.self, forKey: .slide)
        outputs = try members.decode([StrictOutput].self, forKey: .outputs).map(\.output)
    }

    public var derivation: Derivation {
        Derivation(inputs: inputs, window: window, slide: slide, outputs: outputs)
    }

    private struct StrictOutput: Decodable {
        let output: Derivation.Output

        init(from decoder: any Decoder) throws {
            try decoder.refuseMembers(besides: ["name", "unit", "of", "by", "every"])
            output = try Derivation.Output(from: decoder)
        }
    }
}
