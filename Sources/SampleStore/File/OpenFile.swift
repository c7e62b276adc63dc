import Glibc

/// A descriptor that is closed when nobody has it any more.
final class OpenFile: Sendable {
    let descriptor: Int32
    private let path: String

    /// Opens the file for reading and writing, and makes it for the owner alone where it is not there.
    init(_ path: String) throws(SampleStoreError) {
        self.path = path
        descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SampleStoreError(
                .cannotOpen, "Cannot open \(path): \(String(cString: strerror(errno))).")
        }
    }

    /// Bytes; 0 when nobody finds it by its name any more.
    var size: Int64 {
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_nlink > 0 else { return 0 }
        return Int64(information.st_size)
    }

    /// Makes what was written survive a power cut.
    ///
    /// - Throws: when the disk does not keep it, or nobody would find it: its name is gone.
    func synchronise() throws(SampleStoreError) {
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_nlink > 0 else {
            throw SampleStoreError(.failed, "\(path) was removed.")
        }
        guard fdatasync(descriptor) == 0 else {
            throw SampleStoreError(
                errno == ENOSPC ? .full : .failed,
                "Cannot write \(path) to the disk: \(String(cString: strerror(errno))).")
        }
    }

    /// Adds zeros up to a multiple of `step` bytes, where the file has grown beyond one.
    ///
    /// To keep a file that has grown the disk writes where its parts are, too, which takes several times
    /// as long as the parts themselves. What is written over zeros needs none of that. A disk that has no
    /// room for them is no failure.
    func extend(toMultipleOf step: Int64) {
        let size = size
        let missing = (step - size % step) % step
        guard size > 0, missing > 0 else { return }
        let zeros = [UInt8](repeating: 0, count: Int(missing))
        _ = pwrite(descriptor, zeros, zeros.count, off_t(size))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
