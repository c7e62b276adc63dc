/// The built-in drivers.
///
/// ```swift
/// let machine = try await VirtualMachine.start(in: path, drivers: DriverCatalogue.standard())
/// ```
public enum DriverCatalogue {
    /// The drivers in the order in which their sensors are listed.
    ///
    /// No two of them provide the same identifier.
    ///
    /// - Parameter nut: the server of the uninterruptible power supplies.
    public static func standard(
        roots: SystemRoots = .standard, nut: NUTServer = NUTServer()
    ) -> [any SensorDriver] {
        [
            CPUDriver(roots: roots),
            CPUModesDriver(roots: roots),
            CPUFrequencyDriver(roots: roots),
            KernelDriver(roots: roots),
            LoadDriver(roots: roots),
            ProcessDriver(roots: roots),
            UptimeDriver(roots: roots),
            ClockOffsetDriver(),
            MemoryDriver(roots: roots),
            PressureDriver(roots: roots),
            DiskDriver(roots: roots),
            RAIDDriver(roots: roots),
            FilesystemDriver(roots: roots),
            NetworkDriver(roots: roots),
            WiFiDriver(roots: roots),
            TransportDriver(roots: roots),
            GPUDriver(roots: roots),
            ThermalDriver(roots: roots),
            HardwareMonitorDriver(roots: roots),
            ProcessorPowerDriver(roots: roots),
            BatteryDriver(roots: roots),
            UPSDriver(roots: roots, server: nut),
            BatteryHealthDriver(roots: roots),
            ExternalPowerDriver(roots: roots),
            BacklightDriver(roots: roots),
            IIODriver(roots: roots),
        ]
    }
}

/// Where the kernel's file systems are mounted; tests use fixture trees.
public struct SystemRoots: Hashable, Sendable {
    /// The procfs mount, usually `/proc`.
    public let proc: String
    /// The sysfs mount, usually `/sys`.
    public let sys: String
    /// Where device nodes are, usually `/dev`.
    public let dev: String

    /// The usual mounts.
    public static let standard = SystemRoots(proc: "/proc", sys: "/sys")

    /// Creates the roots of a file tree.
    public init(proc: String, sys: String, dev: String = "/dev") {
        self.proc = proc
        self.sys = sys
        self.dev = dev
    }
}
