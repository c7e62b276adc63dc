/// One entry of `/sys/class/power_supply`, Documentation/ABI/testing/sysfs-class-power.
struct PowerSupply: Sendable {
    let name: String
    let folder: SystemFolder
    /// `Battery`, `Mains`, `USB` and so on.
    let type: String

    static func folder(_ roots: SystemRoots) -> SystemFolder {
        SystemFolder("\(roots.sys)/class/power_supply")
    }

    static func all(_ roots: SystemRoots) -> [PowerSupply] {
        let folder = folder(roots)
        return folder.names.compactMap { name in
            let supply = folder.folder(name)
            guard let type = supply.line("type") else { return nil }
            return PowerSupply(name: name, folder: supply, type: type)
        }
    }

    /// Whether it powers a peripheral, such as a mouse, and not this machine.
    var isPeripheral: Bool { folder.line("scope") == "Device" }

    /// Whether anything is in the slot.
    var isPresent: Bool { folder.line("present") != "0" }
}
