import CProcess
import CSandbox
import Glibc
import RunnerProtocol

/// The process from which runners are forked.
///
/// It is confined as far as the engine's start permits. It has started the engine, evaluated the
/// bootstrap scripts and loaded the libraries that the host provides, and it never runs an app.
/// Runners share the memory that they do not change. The engine's threads wait before their first
/// instruction, because a fork would copy their locks without them.
struct Zygote: ~Copyable {
    /// A request with its descriptors.
    struct Request {
        let limits: ProcessLimits
        let socket: Int32
        let output: Int32
    }

    private let descriptor: Int32
    private var children: [pid_t: UInt32] = [:]

    init(descriptor: Int32) {
        self.descriptor = descriptor
        // SIGCHLD is delivered only while the zygote waits, so no signal is missed.
        signal(SIGCHLD) { _ in }
        Self.changeMask(SIG_BLOCK)
    }

    /// Serves requests until the host ends; returns in each child, with its request.
    ///
    /// - Parameter run: the run that each child continues.
    mutating func nextRequest(layers: [String], of run: Run) throws(LaunchError) -> Request {
        run.collectGarbage()
        report(.ready(layers: layers))
        while true {
            let ready = nervous_process_wait(descriptor, SIGCHLD)
            reap()
            guard ready >= 0 else { throw .hostEnded }
            if ready > 0, let request = try receive(run) { return request }
        }
    }

    /// - Returns: the request in the child; `nil` in the zygote.
    private mutating func receive(_ run: Run) throws(LaunchError) -> Request? {
        var descriptors: [Int32] = [-1, -1]
        var count = descriptors.count
        var packet = [UInt8](repeating: 0, count: 256)
        let size = nervous_packet_receive(descriptor, &packet, packet.count, &descriptors, &count)
        guard size > 0 else { throw .hostEnded }
        guard let request = try? ZygoteRequest(packet: packet.prefix(size)),
            count == request.descriptors
        else { throw .invalidRequest }
        switch request {
        case .library(let library):
            run.provide(library, source: try Self.content(of: descriptors[0]))
            run.collectGarbage()
            return nil
        case .script(let name):
            run.provide(script: try Self.content(of: descriptors[0]), named: name)
            run.collectGarbage()
            return nil
        case .start(let id, let cpu, let memory):
            var handle: Int32 = -1
            let child = nervous_process_fork(&handle)
            let failure = errno
            guard child != 0 else {
                Self.changeMask(SIG_UNBLOCK)
                signal(SIGCHLD, SIG_DFL)
                return Request(
                    limits: ProcessLimits(cpu: cpu, memory: memory), socket: descriptors[0],
                    output: descriptors[1])
            }
            descriptors.forEach { close($0) }
            guard child > 0 else {
                report(.failed(id: id, error: UInt32(failure)))
                return nil
            }
            children[child] = id
            report(.started(id: id, process: UInt32(child)), handle)
            close(handle)
            return nil
        }
    }

    /// The content of a file in memory, which is closed.
    private static func content(of file: Int32) throws(LaunchError) -> String {
        defer { close(file) }
        var size = stat()
        guard fstat(file, &size) == 0 else { throw .invalidRequest }
        let count = Int(size.st_size)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = pread(
                    file, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(filled))
                guard read > 0 else { break }
                filled += read
            }
        }
        guard bytes.count == count, let text = String(validating: bytes, as: UTF8.self) else {
            throw .invalidRequest
        }
        return text
    }

    private mutating func reap() {
        var status: Int32 = 0
        var usage = rusage()
        while case let child = wait4(-1, &status, WNOHANG, &usage), child > 0 {
            guard let id = children.removeValue(forKey: child) else { continue }
            let cpu = usage.ru_utime.microseconds + usage.ru_stime.microseconds
            report(
                .ended(
                    id: id, status: UInt32(bitPattern: status), cpu: cpu,
                    peak: UInt64(max(0, usage.ru_maxrss)) << 10))
        }
    }

    private func report(_ report: ZygoteReport, _ handle: Int32? = nil) {
        let packet = report.encoded()
        let handles = handle.map { [$0] } ?? []
        // If the host has ended, waiting for the next request fails.
        _ = nervous_packet_send(descriptor, packet, packet.count, handles, handles.count)
    }

    private static func changeMask(_ how: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGCHLD)
        sigprocmask(how, &signals, nil)
    }
}

extension timeval {
    fileprivate var microseconds: UInt64 { UInt64(tv_sec) * 1_000_000 + UInt64(tv_usec) }
}
