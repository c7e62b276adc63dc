import Glibc

/// A descriptor that is closed when nobody has it any more.
final class OpenFile: Sendable {
    let descriptor: Int32

    /// Opens the file for reading and writing, and makes it for the owner alone where it is not there.
    init(_ path: String) throws(SampleStoreError) {
        descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SampleStoreError(
                .cannotOpen, "Cannot open \(path): \(String(cString: strerror(errno))).")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
