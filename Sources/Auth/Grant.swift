public import Samples

/// Proof that a client may use a sensor now, under terms.
///
/// Only `Authority` can make one.
///
/// Everything that hands out sensor data takes a grant, so code that forgot to ask does not compile.
public struct Grant: Hashable, Sendable {
    /// Who may.
    public let client: String
    /// What may be used.
    public let sensor: SensorID
    public let terms: Terms

    init(client: String, sensor: SensorID, terms: Terms) {
        self.client = client
        self.sensor = sensor
        self.terms = terms
    }
}
