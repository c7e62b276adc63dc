import Glibc

/// How the engine is told to run; it reads these once, when the first context is made.
enum EngineOptions {
    static func set() {
        for (name, value) in options { setenv(name, value, 1) }
        // Without it the C library looks at `/etc/localtime` again for every date.
        setenv("TZ", systemZone ?? "UTC", 0)
    }

    /// The zone that `/etc/localtime` is, such as `Europe/Zurich`.
    private static var systemZone: String? {
        guard let path = realpath("/etc/localtime", nil) else { return nil }
        defer { free(path) }
        let marker = "zoneinfo/"
        var rest = String(cString: path)[...]
        while !rest.isEmpty {
            if rest.hasPrefix(marker) { return String(rest.dropFirst(marker.count)) }
            rest = rest.dropFirst()
        }
        return nil
    }

    private static var options: [(String, String)] {
        [
            // The cage reserves tens of gigabytes, which no limit on memory could tell from use.
            ("GIGACAGE_ENABLED", "0"),
            // Compiled code would need executable memory.
            ("JSC_useJIT", "0"),
            ("JSC_useWasm", "0"),
            // Collecting on the calling thread keeps the process to two threads.
            ("JSC_useConcurrentGC", "0"),
            ("JSC_numberOfGCMarkers", "1"),
        ]
    }
}
