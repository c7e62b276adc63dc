/// A layer of the sandbox that the kernel does not provide.
struct MissingLayer: Error {
    let layer: String
    let code: Int32
}
