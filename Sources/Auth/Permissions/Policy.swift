import Samples

/// The privileges that are blocked on this machine, whatever the owner decides.
///
/// Decisions made before stay stored and apply again when the policy is removed.
///
/// ```swift
/// let policy = Policy([Restriction("sensor:camera", file: path)].compactMap { $0 })
/// policy.restriction(of: PrivilegeID.sensor("camera.front", .raw))?.file  // path
/// ```
public struct Policy: Hashable, Sendable {
    /// In the order of the files.
    public var restrictions: [Restriction]

    /// - Parameter restrictions: empty if there is no policy file.
    public init(_ restrictions: [Restriction] = []) {
        self.restrictions = restrictions
    }

    /// The first restriction that blocks a privilege.
    public func restriction(of privilege: PrivilegeID) -> Restriction? {
        restrictions.first { $0.covers(privilege) }
    }

    /// Checks that a privilege is not blocked.
    ///
    /// - Throws: `restricted`; the message names the file, so it is for the owner only.
    public func check(_ privilege: PrivilegeID) throws(AuthError) {
        guard let restriction = restriction(of: privilege) else { return }
        throw AuthError(
            .restricted,
            "\(privilege) is blocked by policy: \(restriction.file) restricts"
                + " \(restriction.privilege).",
            hint: "Remove it from \(restriction.file), then run: nervous reload",
            privilege: privilege)
    }
}

/// A privilege that a policy blocks.
public struct Restriction: Hashable, Sendable {
    /// As in the policy file, such as `sensor:camera` or `net`.
    public let privilege: String
    /// The policy file.
    public let file: String

    private let id: PrivilegeID
    private let isWholeSensor: Bool

    /// Reads one entry of a policy.
    ///
    /// `sensor:ID` blocks every use of a sensor or of a kind. An entry with an access has the effect of a
    /// denial: `sensor:ID:stats` blocks statistics and samples, `sensor:ID:raw` blocks samples only. `net`
    /// blocks every server.
    ///
    /// - Returns: `nil` when the text is not a privilege.
    public init?(_ text: String, file: String) {
        guard let id = PrivilegeID(text) else { return nil }
        self.id = id
        self.file = file
        privilege = text
        isWholeSensor = id.sensor.map { text == "sensor:\($0)" } ?? false
    }

    /// Whether it blocks a privilege.
    func covers(_ other: PrivilegeID) -> Bool {
        guard let sensor = id.sensor, let access = id.access else {
            return id == other || id == .net && other.origin != nil
        }
        guard let wanted = other.sensor, let use = other.access, sensor.covers(wanted) else {
            return false
        }
        return isWholeSensor || use.includes(access)
    }
}
