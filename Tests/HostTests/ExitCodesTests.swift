import Testing

@testable import Host
@testable import VM

struct ExitCodesTests {
    @Test(
        arguments: [
            (.alreadyRunning, .tryAgain, "already-running"),
            (.dataUnusable, .cannotCreate, "data-unusable"),
            (.unknownSensor, .noInput, "unknown-sensor"),
            (.unavailable, .unavailable, "sensor-unavailable"),
            (.sensorOff, .failed, "sensor-off"), (.bufferFull, .tryAgain, "busy"),
            (.batchTooLarge, .badData, "too-large"), (.diskFull, .cannotCreate, "disk-full"),
            (.keyReused, .usage, "key-reused"), (.invalidSensor, .usage, "invalid-sensor"),
            (.sensorTaken, .failed, "name-taken"), (.sensorComputed, .failed, "sensor-virtual"),
            (.sensorCollected, .failed, "sensor-collected"),
            (.storeFailed, .inputOutput, "store-failed"),
        ] as [(VirtualMachineError.Code, CommandFailure.Code, String)])
    func `an error of the virtual machine has the exit code and the type of its problem`(
        code: VirtualMachineError.Code, exit: CommandFailure.Code, type: String
    ) {
        let failure = CommandFailure(VirtualMachineError(code, "No.", hint: "Wait."))
        #expect(failure.code == exit)
        #expect(failure.type == type)
        #expect(failure.message == "No.")
        #expect(failure.hint == "Wait.")
    }
}
