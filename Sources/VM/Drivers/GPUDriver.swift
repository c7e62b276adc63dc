import Samples

/// The load, memory and frequency of each graphics processor, as far as its driver has files for them.
///
/// Sources: amdgpu's `gpu_busy_percent`, `mem_info_vram_*` and `freq1_input`
/// (Documentation/gpu/amdgpu/thermal.rst), and the frequencies of i915
/// (`gt_act_freq_mhz`, `gt/gt0/rps_act_freq_mhz`) and xe (`device/tile0/gt0/freq0/act_freq`).
struct GPUDriver: SensorDriver {
    private static let nvidia = "0x10de"

    private let folder: SystemFolder

    init(roots: SystemRoots) {
        folder = SystemFolder("\(roots.sys)/class/drm")
    }

    func discover() -> [DiscoveredSensor] {
        var identifiers = InstanceNames(of: "gpu")
        let cards = folder.names.filter(isCard).map { name in
            self.sensor(of: folder.folder(name), id: identifiers.claim(name), name: name)
        }
        guard cards.isEmpty else { return cards }
        let sensor = Sensor(
            id: "gpu", title: "Graphics processor", fields: [Quantity.busy.field],
            source: folder.path, cadence: .moderate)
        return [
            DiscoveredSensor(
                sensor,
                .unavailable(
                    reason: "no graphics card under \(folder.path)",
                    remedy: "load its driver, such as with modprobe amdgpu or i915"))
        ]
    }

    /// `card0`, not its connectors such as `card0-HDMI-A-1`.
    private func isCard(_ name: String) -> Bool {
        name.hasPrefix("card") && name.utf8.count > 4
            && name.utf8.dropFirst(4).allSatisfy { (0x30...0x39).contains($0) }
    }

    private func sensor(of card: SystemFolder, id: SensorID, name: String) -> DiscoveredSensor {
        let inputs = Quantity.allCases.compactMap { quantity in
            quantity.file(of: card).map { Input(quantity: quantity, file: $0) }
        }
        let fields = (inputs.isEmpty ? [.busy] : inputs.map(\.quantity)).map(\.field)
        let sensor = Sensor(
            id: id, title: "Graphics processor \(name.printable)", fields: fields,
            source: card.path, cadence: .moderate)
        guard inputs.isEmpty else { return .probed(sensor, Reader(inputs: inputs), remedy: nil) }
        let isNVIDIA = card.folder("device").line("vendor") == Self.nvidia
        return DiscoveredSensor(
            sensor,
            .unavailable(
                reason: "the driver of \(name.printable) has no files for load or frequency",
                remedy: isNVIDIA
                    ? "install a sensor pack whose command is nvidia-smi, see docs/sensor-packs.md"
                    : nil))
    }

    private struct Input: Sendable {
        let quantity: Quantity
        let file: SystemFile
    }

    private enum Quantity: CaseIterable {
        case busy
        case memoryUsed
        case memoryTotal
        case frequency

        var field: Field {
            switch self {
            case .busy: Field("busy", unit: "%")
            case .memoryUsed: Field("memoryUsed", unit: "By", kind: .integer)
            case .memoryTotal: Field("memoryTotal", unit: "By", kind: .integer)
            case .frequency: Field("frequency", unit: "MHz")
            }
        }

        func file(of card: SystemFolder) -> SystemFile? {
            let device = card.folder("device")
            let candidates =
                switch self {
                case .busy: [device.file("gpu_busy_percent")]
                case .memoryUsed: [device.file("mem_info_vram_used")]
                case .memoryTotal: [device.file("mem_info_vram_total")]
                case .frequency:
                    [
                        card.file("gt/gt0/rps_act_freq_mhz"), card.file("gt_act_freq_mhz"),
                        device.file("tile0/gt0/freq0/act_freq"),
                    ]
                        + device.folder("hwmon").names.map {
                            device.file("hwmon/\($0)/freq1_input")
                        }
                }
            return candidates.first(where: \.exists)
        }

        func value(in file: SystemFile) throws(SensorError) -> Value {
            let number = try file.integer()
            guard number >= 0 else { throw file.malformed("has a negative number") }
            switch self {
            case .busy:
                guard number <= 100 else { throw file.malformed("has a load above 100 %") }
                return .number(Double(number))
            case .memoryUsed, .memoryTotal: return .integer(number)
            case .frequency:
                // hwmon counts Hz.
                let isHertz = file.path.hasSuffix("/freq1_input")
                return .number(Double(number) / (isHertz ? 1e6 : 1))
            }
        }
    }

    private struct Reader: SampleReader {
        let inputs: [Input]

        mutating func read() throws(SensorError) -> [Value]? {
            var values: [Value] = []
            for input in inputs { values.append(try input.quantity.value(in: input.file)) }
            return values
        }
    }
}
