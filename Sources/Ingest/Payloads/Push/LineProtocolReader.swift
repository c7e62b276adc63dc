import Samples

/// Reads InfluxDB's line protocol, line by line:
/// `measurement,tag=value field=1.5,other=2i,name="text",on=t 1698501144401740000`.
///
/// Whole numbers end in `i` or `u`, true and false become the states `true` and `false`. Lines that are
/// empty or begin with `#` say nothing. Source: docs.influxdata.com, line protocol reference. Unlike
/// the server, a field that stands twice in a line is refused, and a line ends at every line feed.
public enum LineProtocolReader {
    /// Reads every line that can be read.
    ///
    /// - Throws: `malformed` for what is no UTF-8, `tooLarge` for too many bytes or lines.
    public static func content(
        _ bytes: [UInt8], precision: TimePrecision = .nanoseconds
    ) throws(PushFault) -> LineContent {
        guard bytes.count <= PushLimits.bytes else {
            throw PushFault(.tooLarge, "A body has at most \(PushLimits.bytes) bytes.")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw PushFault(.malformed, "The body is not UTF-8.")
        }
        var content = LineContent()
        var (number, start) = (0, 0)
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            var scanner = LineScanner(bytes[start..<end])
            (number, start) = (number + 1, end + 1)
            guard !scanner.isBlank else { continue }
            guard content.points.count + content.faults.count < PushLimits.lines else {
                throw PushFault(.tooLarge, "A body has at most \(PushLimits.lines) lines.")
            }
            do throws(LineScanner.Fault) {
                content.points.append(try scanner.point(line: number, precision))
            } catch {
                content.faults.append(LineFault(line: number, message: error.message))
            }
        }
        return content
    }
}
