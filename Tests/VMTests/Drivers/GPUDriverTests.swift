import Samples
import Testing

@testable import VM

struct GPUDriverTests {
    @Test func `amdgpu has load, memory and a frequency in hertz`() throws {
        let device = "sys/class/drm/card0/device"
        let tree = try FixtureTree([
            "\(device)/gpu_busy_percent": "4\n",
            "\(device)/mem_info_vram_used": "1490378752\n",
            "\(device)/mem_info_vram_total": "8573157376\n",
            "\(device)/hwmon/hwmon3/freq1_input": "1340000000\n",
            "sys/class/drm/card0-DP-1/status": "connected\n",
            "sys/class/drm/version": "drm 1.1.0\n",
        ])
        let discovery = Discovery(GPUDriver(roots: tree.roots))
        #expect(discovery.ids == ["gpu.card0"])
        #expect(
            try discovery.values("gpu.card0") == [
                "busy": .number(4), "memoryUsed": .integer(1_490_378_752),
                "memoryTotal": .integer(8_573_157_376), "frequency": .number(1340),
            ])
        let reader = try discovery.reader("gpu.card0")
        try tree.write("101\n", to: "\(device)/gpu_busy_percent")
        #expect(failure(of: reader) == .malformed)
    }

    @Test(arguments: [
        "gt/gt0/rps_act_freq_mhz", "gt_act_freq_mhz", "device/tile0/gt0/freq0/act_freq",
    ])
    func `Intel has a frequency in megahertz`(path: String) throws {
        let tree = try FixtureTree(["sys/class/drm/card1/\(path)": "350\n"])
        let discovery = Discovery(GPUDriver(roots: tree.roots))
        #expect(try discovery.values("gpu.card1") == ["frequency": .number(350)])
    }

    @Test func `NVIDIA's driver has no files, and the remedy is its program`() throws {
        let tree = try FixtureTree(["sys/class/drm/card0/device/vendor": "0x10de\n"])
        let missing = try Discovery(GPUDriver(roots: tree.roots)).missing("gpu.card0")
        #expect(missing.remedy?.contains("nvidia-smi") == true)
    }

    @Test func `a machine without a card has a reason and a remedy`() throws {
        let tree = try FixtureTree(["sys/class/drm/version": "drm 1.1.0\n"])
        let missing = try Discovery(GPUDriver(roots: tree.roots)).missing("gpu")
        #expect(missing.reason.hasPrefix("no graphics card") && missing.remedy != nil)
    }
}
