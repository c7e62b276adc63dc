/// What a call wants of a session: a new one, or a change of one.
struct SessionWish: Decodable {
    let id: String?
    let name: String?
    let description: String?
    let sensors: [String]?
    /// In metres.
    let distance: Double?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, description, sensors, distance
    }

    /// - Throws: `DecodingError`, also for a member of another name.
    init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(besides: CodingKeys.allCases.map(\.rawValue))
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decodeIfPresent(String.self, forKey: .id)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        description = try members.decodeIfPresent(String.self, forKey: .description)
        sensors = try members.decodeIfPresent([String].self, forKey: .sensors)
        distance = try members.decodeIfPresent(Double.self, forKey: .distance)
    }
}
