import Foundation
import TestSupport
import Testing

/// `docs/tutorial.md`: its files are written, its commands run, and their output is compared.
@Suite(.blocking, .serialized) struct TutorialTests {
    private static let path = "\(Binary.repository)/docs/tutorial.md"
    private static let page = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""

    private enum Step {
        case file(name: String, text: String)
        case command(arguments: [String], output: String)
    }

    /// The blocks of code in their order.
    ///
    /// The sentence before a file ends with its name.
    private static func steps() throws -> [Step] {
        var steps: [Step] = []
        var rest = page[...]
        while let block = rest.firstMatch(of: /```(\w*)\n([\s\S]*?)```/) {
            let before = rest[..<block.range.lowerBound]
            if block.1.isEmpty {
                let commands = ("\n" + block.2).components(separatedBy: "\n$ nervous ").dropFirst()
                steps += commands.map { text in
                    let (line, output) = text.split(separator: "\n", maxSplits: 1).halves
                    return .command(
                        arguments: line.split(separator: " ").map(String.init), output: output)
                }
            } else {
                let name = try #require(
                    before.firstMatch(of: /(?:Replace|Create) `([\w.]+)`:\s*$/), "\(block.2)")
                steps.append(.file(name: String(name.1), text: String(block.2)))
            }
            rest = rest[block.range.upperBound...]
        }
        return steps
    }

    /// Different lines, without the numbers that differ from machine to machine.
    ///
    /// Output and notes of a command arrive in two streams, and how many samples there are depends on
    /// the machine, so neither the order nor the number of equal lines is compared.
    private static func comparable(_ text: String) -> Set<String> {
        let lines = text.replacing(/\d+(\.\d+)?/, with: "#").replacing(/[ ]+/, with: " ")
        return Set(lines.split(separator: "\n").map(String.init))
    }

    /// Follows the page in the folder of a sandbox.
    private static func follow(_ sandbox: Sandbox, comparesOutput: Bool) throws -> Int {
        let steps = try steps()
        for step in steps {
            switch step {
            case .file(let name, let text):
                try text.write(
                    toFile: sandbox.path("memory-watch/\(name)"), atomically: true, encoding: .utf8)
            case .command(let arguments, let output):
                guard comparesOutput || arguments.first == "new" else { continue }
                let call = try Invocation(
                    Binary.nervous, arguments, environment: sandbox.environment,
                    directory: sandbox.root)
                #expect(call.code == 0, "\(arguments) \(call.output)\(call.errors)")
                #expect(
                    comparable(call.output + call.errors) == comparable(output), "\(arguments)")
            }
        }
        return steps.count
    }

    @Test func `each file and each command of the tutorial works as the page says`() throws {
        #expect(try Self.follow(try Sandbox(), comparesOutput: true) == 15)
    }

    @Test func `the tutorial's page draws its chart and keeps the limit`() throws {
        let sandbox = try Sandbox()
        _ = try Self.follow(sandbox, comparesOutput: false)
        let host = try ServingHost(sandbox)
        #expect(try sandbox.nervous("install", sandbox.path("memory-watch")).code == 0)
        for privilege in ["sensor:memory", "storage", "notify"] {
            let call = try sandbox.nervous("permissions", "grant", "memory-watch", privilege)
            #expect(call.code == 0, "\(call.errors)")
        }
        let browser = try Browser(sandbox)
        try Self.open(browser, sandbox)
        try browser.wait(until: "document.getElementById('limit').value === '90'")
        try browser.wait(
            until: """
                (() => {
                  const canvas = document.getElementById("chart");
                  if (canvas.width === 0 || canvas.height === 0) return false;
                  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
                  return data.some((byte) => byte !== 0);
                })()
                """)
        for (text, message) in [("much", "from 1 to 100"), ("75", "The limit is set.")] {
            _ = try browser.run(
                """
                document.getElementById("limit").value = "\(text)";
                document.getElementById("form").requestSubmit();
                return 1;
                """)
            try browser.wait(
                until: "document.getElementById('message').textContent.includes('\(message)')")
        }
        try Self.open(browser, sandbox)
        try browser.wait(until: "document.getElementById('limit').value === '75'")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }

    private static func open(_ browser: Browser, _ sandbox: Sandbox) throws {
        // A link that differs in its fragment alone would not load the page again.
        try browser.open("about:blank")
        let link = try sandbox.nervous("open", "memory-watch", "--no-browser").output
        try browser.open(link.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test func `a headless app has and lacks what the tutorial names`() throws {
        let lists = Self.page.matches(of: /\n\n((?:> .*\n)+)/).map { list in
            list.1.matches(of: /`(\w+)`/).map { String($0.1) }
        }
        try #require(lists.count == 2 && lists.allSatisfy { $0.count > 10 }, "\(lists)")
        let sandbox = try Sandbox()
        let names = (lists[0] + lists[1]).map { "\"\($0)\"" }.joined(separator: ", ")
        let folder = try sandbox.app(
            "console.log([\(names)].filter((name) => name in globalThis).join(\" \"));")
        let run = try sandbox.nervous("run", folder, "--allow-all")
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.split(whereSeparator: \.isWhitespace).map(String.init) == lists[0])
    }
}

extension [Substring] {
    /// The first part, and the second one or nothing.
    fileprivate var halves: (String, String) {
        (first.map(String.init) ?? "", dropFirst().first.map(String.init) ?? "")
    }
}
