public import Tracks

/// Where a session or a route stands.
public enum SessionState: String, Hashable, Sendable, CaseIterable, Codable {
    /// Not begun, or ended.
    case inactive
    /// Running.
    case active
    /// Begun and interrupted.
    case paused
}

/// What a person does with a session or a route.
public enum SessionStep: String, Hashable, Sendable, CaseIterable, Codable {
    case start, pause, resume, finish

    /// The state after this step.
    ///
    /// - Throws: ``TrackError`` `.wrongState` where the state does not allow it.
    public func applied(to state: SessionState) throws(TrackError) -> SessionState {
        switch (self, state) {
        case (.start, .inactive), (.resume, .paused): return .active
        case (.pause, .active): return .paused
        case (.finish, .active), (.finish, .paused): return .inactive
        default: throw TrackError(.wrongState, "What is \(state.rawValue) cannot \(rawValue).")
        }
    }
}
