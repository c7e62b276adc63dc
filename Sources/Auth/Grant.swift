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
    /// The run that it was given to; `nil` for a page or a program.
    let run: String?

    init(client: String, run: String? = nil, sensor: SensorID, terms: Terms) {
        self.client = client
        self.run = run
        self.sensor = sensor
        self.terms = terms
    }
}
