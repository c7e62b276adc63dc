import Foundation

/// The system that everything runs on.
struct KernelCheck: DoctorCheck {
    let name = "kernel"

    func findings(_ context: DoctorContext) async -> [Finding] {
        var names = utsname()
        guard uname(&names) == 0 else { return [broken("The kernel does not say what it is.")] }
        let release = Self.text(names.release)
        let machine = Self.text(names.machine)
        let shown = "Linux \(release) on \(machine)"
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        guard numbers.count == 2, (numbers[0], numbers[1]) < (5, 13) else { return [fine(shown)] }
        return [
            broken(
                "\(shown) is older than 5.13 and has no landlock.", fix: "Install a newer kernel.")
        ]
    }

    private static func text<T>(_ field: T) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
