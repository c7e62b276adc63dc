public import Samples

/// The conditions under which a grant holds.
public struct Terms: Hashable, Sendable {
    public var access: Access
    /// The most samples a second that may be read; `nil` for all.
    public var maximumRate: Double?
    /// Numbers are rounded to whole multiples of this, in the field's unit; `nil` for none.
    public var precision: Double?
    /// How far back samples may be read; `nil` for all that is kept.
    public var history: Duration?
    /// When the grant ends; `nil` for never.
    public var expires: Timestamp?
    /// Whether it also holds while no person watches the app.
    public var background: Bool
    /// The instances of the kind that it is for; `nil` for all, those that come later included.
    public var only: InstanceChoice?

    public init(
        access: Access, maximumRate: Double? = nil, precision: Double? = nil,
        history: Duration? = nil, expires: Timestamp? = nil, background: Bool = true,
        only: InstanceChoice? = nil
    ) {
        self.access = access
        self.maximumRate = maximumRate
        self.precision = precision
        self.history = history
        self.expires = expires
        self.background = background
        self.only = only
    }
}
