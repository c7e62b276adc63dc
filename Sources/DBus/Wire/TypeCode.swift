/// The letters of types, as sd-bus takes them.
enum TypeCode {
    static func code(_ letter: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: letter.value) }

    static let array = code("a")
    static let entry = code("e")
    static let structure = code("r")
    static let variant = code("v")
    static let byte = code("y")
}
