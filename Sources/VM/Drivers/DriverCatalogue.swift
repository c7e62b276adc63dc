/// Every driver that comes with the program.
public enum DriverCatalogue {
    /// The drivers in the order in which their sensors are listed.
    ///
    /// No two of them give the same identifier.
    public static func standard(roots: SystemRoots = .standard) -> [any SensorDriver] {
        [
            CPUDriver(roots: roots),
            LoadDriver(roots: roots),
            MemoryDriver(roots: roots),
            PressureDriver(roots: roots),
            DiskDriver(roots: roots),
            FilesystemDriver(roots: roots),
            NetworkDriver(roots: roots),
            ThermalDriver(roots: roots),
            HardwareMonitorDriver(roots: roots),
            BatteryDriver(roots: roots),
            ExternalPowerDriver(roots: roots),
            IIODriver(roots: roots),
        ]
    }
}
