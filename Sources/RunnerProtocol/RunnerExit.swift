/// Exit statuses of a runner that did not end the run itself.
public enum RunnerExit {
    /// One turn of the app took too long.
    public static let turn: Int32 = 124
    /// One turn of the app used too much processor time.
    public static let turnCPU: Int32 = 125
}
