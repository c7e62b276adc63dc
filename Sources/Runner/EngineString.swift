import CJavaScriptCore

/// A string in the engine's keeping, given back when this goes out of scope.
struct EngineString: ~Copyable {
    private let reference: JSStringRef

    init(_ text: String) {
        if text.utf8.contains(0) {
            let units = Array(text.utf16)
            reference = JSStringCreateWithCharacters(units, units.count)
        } else {
            // Keeps what is ASCII at one byte a character.
            reference = JSStringCreateWithUTF8CString(text)
        }
    }

    /// Takes over a reference that the engine made for the caller.
    init(adopting reference: JSStringRef) {
        self.reference = reference
    }

    deinit {
        JSStringRelease(reference)
    }

    /// Lends the reference, which must not leave `body`.
    func withReference<T>(_ body: (JSStringRef) -> T) -> T { body(reference) }

    /// How many UTF-16 code units there are.
    var length: Int { JSStringGetLength(reference) }

    /// The text of the first `limit` UTF-16 code units, lone surrogates replaced.
    func text(limit: Int = .max) -> String {
        if length <= limit, let text = String(validating: utf8, as: UTF8.self),
            text.utf16.count == length
        {
            return text
        }
        let units = UnsafeBufferPointer(
            start: JSStringGetCharactersPtr(reference), count: min(length, limit))
        return String(decoding: units, as: UTF16.self)
    }

    /// The text as far as the engine converts it, which is up to a lone surrogate.
    private var utf8: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: JSStringGetMaximumUTF8CStringSize(reference)) {
            buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) {
                JSStringGetUTF8CString(reference, $0.baseAddress, $0.count)
            }
            // The terminating zero; nothing at all when there was no memory.
            count = max(0, count - 1)
        }
    }
}
