import Glibc

/// The steady level that carries as much sound as levels that changed.
///
/// L_eq = 10 log₁₀(Σ tᵢ·10^(Lᵢ/10) / Σ tᵢ), ISO 1996-1, for sensors that tell levels and no sound.
public struct EquivalentLevel: Hashable, Sendable {
    /// Relative to the highest level so far, so that no power overflows.
    private var energy = 0.0
    private var seconds = 0.0
    private var reference = -Double.infinity

    public init() {}

    /// Adds a level that held for so long; one that is not finite, or for no time, counts nothing.
    public mutating func insert(_ decibels: Double, for duration: Duration) {
        let time =
            Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        guard decibels.isFinite, time > 0 else { return }
        if decibels > reference {
            energy *= reference.isFinite ? pow(10, (reference - decibels) / 10) : 0
            reference = decibels
        }
        energy += time * pow(10, (decibels - reference) / 10)
        seconds += time
    }

    /// In dB; `nil` of nothing.
    public var level: Double? {
        seconds > 0 ? reference + 10 * log10(energy / seconds) : nil
    }
}
