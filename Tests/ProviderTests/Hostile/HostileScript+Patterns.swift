/// Regular expressions with excessive backtracking; the engine stops some of them.
extension HostileScript {
    static let patterns: [HostileScript] = expressions.map { pattern, text in
        HostileScript(
            "/\(pattern)/", .turn, turn.union(finished),
            "for (let i = 0; i < 50; i++) new RegExp(\(literal(pattern))).test(\(text))")
    }

    private static let expressions: [(String, String)] = [
        ("^(a+)+$", "'a'.repeat(40) + '!'"),
        ("^(a|aa)+$", "'a'.repeat(60) + '!'"),
        ("^(a|a?)+$", "'a'.repeat(40) + '!'"),
        ("^(.*a){20}$", "'a'.repeat(50) + '!'"),
        ("(x+x+)+y", "'x'.repeat(60)"),
        (#"^(([a-z])+.)+[A-Z]([a-z])+$"#, "'a'.repeat(60)"),
        (#"(\w+\s?)*$"#, "'word '.repeat(40) + '!'"),
        (#"^(\d+)*\1!$"#, "'1'.repeat(60)"),
        ("(?=(a+))*b", "'a'.repeat(1e5)"),
        ("a*a*a*a*a*a*a*b", "'a'.repeat(3000)"),
    ]

    private static func literal(_ pattern: String) -> String {
        "String.raw`\(pattern)`"
    }
}
