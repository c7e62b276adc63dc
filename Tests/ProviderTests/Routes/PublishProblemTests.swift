import HTTPTypes
import Testing

@testable import LAE
@testable import Provider
@testable import VM

struct PublishProblemTests {
    @Test(
        arguments: [
            (VirtualMachineError.Code.bufferFull, 503, "busy"), (.diskFull, 507, "disk-full"),
            (.sensorOff, 409, "sensor-off"), (.sensorCollected, 409, "sensor-collected"),
            (.sensorComputed, 409, "sensor-virtual"), (.keyReused, 422, "key-reused"),
            (.unavailable, 503, "sensor-unavailable"), (.unknownSensor, 404, "unknown-sensor"),
        ] as [(VirtualMachineError.Code, Int, String)])
    func `each error of the virtual machine has its status`(
        code: VirtualMachineError.Code, status: Int, name: String
    ) throws {
        let refusal = VirtualMachineError(code, "No.", hint: "Wait.")
        let problem = Problem(try #require(LAEError(publishing: refusal)))
        #expect(problem.status.code == status)
        #expect(problem.codeName == name)
        #expect(problem.fix == "Wait.")
        #expect((problem.headers[.retryAfter] == "1") == (name == "busy"))
    }

    @Test func `other failures of the virtual machine are internal errors`() {
        #expect(LAEError(publishing: VirtualMachineError(.storeFailed, "No.")) == nil)
    }
}
