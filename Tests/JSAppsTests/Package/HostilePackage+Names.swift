import JSApps

extension HostilePackage {
    static let names: [HostilePackage] = [
        .init("parent", .unsafePath, adding: .stored("my-app/../evil.js")),
        .init("parent first", .unsafePath, adding: .stored("../evil.js")),
        .init("parent last", .unsafePath, adding: .stored("my-app/..")),
        .init("parent folder", .unsafePath, adding: .folder("my-app/../")),
        .init("here", .unsafePath, adding: .stored("my-app/./a.js")),
        .init("absolute", .unsafePath, adding: .stored("/etc/passwd")),
        .init("two slashes", .unsafePath, adding: .stored("//server/share")),
        .init("empty component", .unsafePath, adding: .stored("my-app//a.js")),
        .init("empty name", .unsafePath, adding: .stored("")),
        .init("only a slash", .unsafePath, adding: .folder("/")),
        .init("drive letter", .unsafePath, adding: .stored("C:/evil.js")),
        .init("drive letter alone", .unsafePath, adding: .stored("c:evil.js")),
        .init("backslash", .unsafePath, adding: .stored("my-app\\..\\evil.js")),
        .init("backslash inside", .unsafePath, adding: .stored("my-app/a\\b.js")),
        .init("NUL", .unsafePath, adding: .stored("my-app/a.js\0.png")),
        .init("line feed", .unsafePath, adding: .stored("my-app/a\n.js")),
        .init("escape", .unsafePath, adding: .stored("my-app/\u{1b}[2J.js")),
        .init("C1", .unsafePath, adding: .stored("my-app/\u{9b}2J.js")),
        .init("bidi override", .unsafePath, adding: .stored("my-app/\u{202e}sj.a")),
        .init("bidi isolate", .unsafePath, adding: .stored("my-app/\u{2066}a.js")),
        .init("zero width", .unsafePath, adding: .stored("my-app/a\u{200b}.js")),
        .init("byte order mark", .unsafePath, adding: .stored("my-app/\u{feff}a.js")),
        .init("line separator", .unsafePath, adding: .stored("my-app/a\u{2028}.js")),
        .init("tag characters", .unsafePath, adding: .stored("my-app/a\u{e0061}.js")),
        .init(
            "not UTF-8", .unsafePath, adding: .stored(Array("my-app/".utf8) + [0xFF, 0xFE], [])),
        .init(
            "overlong UTF-8", .unsafePath,
            adding: .stored(Array("my-app/".utf8) + [0xC0, 0xAE, 0xC0, 0xAE], [])),
        .init(
            "surrogate in UTF-8", .unsafePath,
            adding: .stored(Array("my-app/".utf8) + [0xED, 0xA0, 0x80], [])),
        .init(
            "long path", .unsafePath,
            adding: .stored("my-app/" + String(repeating: "a", count: 240))),
        .init(
            "deep path", .unsafePath,
            adding: .stored("my-app/" + String(repeating: "a/", count: 15) + "a")),

        .init("same name twice", .duplicateName, adding: .stored("my-app/app.js", "evil")),
        .init("other case", .duplicateName, adding: .stored("my-app/APP.js", "evil")),
        .init(
            "other form", .duplicateName, adding: .stored("my-app/\u{e9}"),
            .stored("my-app/e\u{301}")),
        .init(
            "compatible form", .duplicateName, adding: .stored("my-app/file1"),
            .stored("my-app/\u{fb01}le1")),
        .init(
            "full folding", .duplicateName, adding: .stored("my-app/stra\u{df}e"),
            .stored("my-app/STRASSE")),
        .init(
            "sigma", .duplicateName, adding: .stored("my-app/\u{3c3}"),
            .stored("my-app/\u{3c2}")),
        .init("Kelvin", .duplicateName, adding: .stored("my-app/k"), .stored("my-app/\u{212a}")),
        .init("file, then folder", .duplicateName, adding: .stored("my-app/app.js/evil.js")),
        .init("folder like file", .duplicateName, adding: .folder("my-app/app.js/")),
        .init(
            "folder, then file", .duplicateName, adding: .stored("my-app/lib/a.js"),
            .stored("my-app/lib")),
        .init(
            "folder twice", .duplicateName, adding: .folder("my-app/lib/"),
            .folder("my-app/lib/")),
        .init(
            "folders that differ in case", .duplicateName, adding: .stored("my-app/lib/a.js"),
            .stored("my-app/LIB/b.js")),
        .init(
            "folders that differ in form", .duplicateName, adding: .stored("my-app/\u{e9}/a.js"),
            .stored("my-app/e\u{301}/b.js")),
    ]
}
