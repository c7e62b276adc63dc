/// What the kernel bounds for a run as a whole.
struct ProcessLimits {
    /// Seconds of processor time.
    var cpu: UInt32 = 86_400
    /// Bytes beyond those that the process has when its engine has started.
    var memory: UInt64 = 104 << 20
}
