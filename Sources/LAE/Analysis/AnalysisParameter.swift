/// What a parameter of an analysis may be.
public enum AnalysisParameter: Hashable, Sendable {
    case number(Double)
    case text(String)
    case flag(Bool)
}
