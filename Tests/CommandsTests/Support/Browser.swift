import Foundation
import TestSupport

/// Debian's headless Chromium, controlled by WebDriver; ended by its process group.
final class Browser {
    private let sandbox: Sandbox
    private let driver: Program
    private let address: String
    private var session = ""

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts chromedriver on a free port.
    ///
    /// With port 0 it chooses a free port of `::1` and ends if the same port of 127.0.0.1 is in use, as
    /// it is by chance beside other tests.
    private static func startDriver(_ sandbox: Sandbox) throws -> (Program, port: Substring) {
        var text = ""
        for _ in 0..<10 {
            let driver = try Program(
                "/usr/bin/chromedriver", ["--port=0"], environment: sandbox.environment,
                output: .pipe)
            let said = try driver.read { said in
                said.last == 0x0A
                    && String(decoding: said, as: UTF8.self).contains("successfully on port")
            }
            text = String(decoding: said, as: UTF8.self)
            if let port = text.firstMatch(of: /successfully on port ([0-9]+)/)?.1 {
                return (driver, port)
            }
            guard text.contains("port not available") else { break }
        }
        throw Failure(description: "chromedriver ended: \(text)")
    }

    /// - Parameters:
    ///   - names: names that resolve to this machine, in addition to those of `localhost`.
    ///   - recordsTraffic: whether ``traffic`` is recorded.
    init(_ sandbox: Sandbox, names: [String] = [], recordsTraffic: Bool = false) throws {
        self.sandbox = sandbox
        let port: Substring
        (driver, port) = try Self.startDriver(sandbox)
        address = "http://127.0.0.1:\(port)/session"
        let rules = names.map { "MAP \($0) 127.0.0.1" }.joined(separator: ",")
        let options: [String: Any] = [
            "binary": "/usr/bin/chromium",
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--disable-background-networking", "--disable-component-update", "--no-first-run",
                "--user-data-dir=\(sandbox.path("browser"))", "--host-resolver-rules=\(rules)",
            ],
        ]
        let made = try call(
            "",
            [
                "capabilities": [
                    "alwaysMatch": [
                        "goog:chromeOptions": options,
                        "goog:loggingPrefs": [
                            "browser": "ALL", "performance": recordsTraffic ? "ALL" : "OFF",
                        ],
                        "timeouts": ["script": 500_000, "pageLoad": 500_000],
                    ]
                ]
            ])
        guard let id = (made as? [String: Any])?["sessionId"] as? String else {
            throw Failure(description: "\(made)")
        }
        session = "/\(id)"
    }

    deinit {
        _ = try? sandbox.curl("-X", "DELETE", address + session)
        driver.end()
    }

    func open(_ url: String) throws {
        _ = try call("/url", ["url": url])
    }

    /// The result of a function body in the page, as text.
    func run(_ body: String) throws -> String {
        let value = try call(
            "/execute/sync", ["script": "return String((() => { \(body) })())", "args": []])
        return value as? String ?? "\(value)"
    }

    /// The result of a promise in the page, as text; the name of its error if it is rejected.
    func settle(_ body: String) throws -> String {
        let script = """
            const done = arguments[arguments.length - 1];
            (async () => { \(body) })().then((value) => done(String(value)), (error) => done(error.name));
            """
        let value = try call("/execute/async", ["script": script, "args": []])
        return value as? String ?? "\(value)"
    }

    /// Waits in the page until an expression is true.
    ///
    /// - Throws: ``Failure`` with the text of the page if that takes minutes.
    func wait(until expression: String) throws {
        let script = """
            const done = arguments[arguments.length - 1];
            const look = () => (\(expression)) ? done(true) : setTimeout(look, 20);
            look();
            """
        do {
            _ = try call("/execute/async", ["script": script, "args": []])
        } catch {
            throw Failure(
                description:
                    "\(expression) did not come: \((try? text) ?? "") \((try? console) ?? [])")
        }
    }

    /// The visible text of the page, without empty lines.
    var text: String {
        get throws {
            try run("return document.body.innerText").split(separator: "\n")
                .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
                .joined(separator: "\n")
        }
    }

    /// The console lines of the page since the last call.
    var console: [String] {
        get throws {
            let value = try call("/se/log", ["type": "browser"])
            return (value as? [[String: Any]] ?? []).compactMap { $0["message"] as? String }
        }
    }

    /// A request of the page, and the bytes of its response as the browser received them.
    struct Request {
        let url: String
        var bytes = 0
    }

    /// The requests since the last call, and what has arrived for them, in the order in which they were made.
    var traffic: [Request] {
        get throws {
            var requests: [String: Request] = [:]
            var order: [String] = []
            for entry in try call("/se/log", ["type": "performance"]) as? [[String: Any]] ?? [] {
                guard let text = entry["message"] as? String,
                    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
                        as? [String: Any], let message = object["message"] as? [String: Any],
                    let method = message["method"] as? String,
                    let event = message["params"] as? [String: Any],
                    let id = event["requestId"] as? String
                else { continue }
                switch method {
                case "Network.requestWillBeSent":
                    let url = (event["request"] as? [String: Any])?["url"] as? String ?? ""
                    guard !url.hasPrefix("data:") else { continue }
                    requests[id] = Request(url: url)
                    order.append(id)
                case "Network.responseReceived":
                    let response = event["response"] as? [String: Any]
                    requests[id]?.bytes = response?["encodedDataLength"] as? Int ?? 0
                case "Network.dataReceived":
                    requests[id]?.bytes += event["encodedDataLength"] as? Int ?? 0
                case "Network.loadingFinished":
                    // In all, with the header.
                    requests[id]?.bytes = event["encodedDataLength"] as? Int ?? 0
                default: break
                }
            }
            return order.compactMap { requests[$0] }
        }
    }

    // MARK: - Input

    /// Clicks with the mouse at the middle of an element, once it rests, is not covered and can be used.
    ///
    /// - Parameter element: an expression for it, which may be `undefined` or `null` for a while.
    func click(_ element: String) throws {
        let place = try settle(
            """
            let last = "", looks = 0;
            const end = performance.now() + 200_000;
            for (;;) {
              const element = \(element);
              element?.scrollIntoView({ block: "nearest" });
              // The first of the lines that a link is broken into.
              const box = element?.getClientRects()[0];
              const [x, y] = box ? [box.x + box.width / 2, box.y + box.height / 2] : [];
              const front = box && document.elementFromPoint(x, y);
              const isUsable = box && element.contains(front)
                && !element.disabled && element.ariaDisabled !== "true";
              looks = isUsable && last === `${x} ${y}` ? looks + 1 : 0;
              if (looks === 5) return last;
              if (performance.now() > end) return `${element?.outerHTML} is behind ${front?.outerHTML}`;
              last = `${x} ${y}`;
              await new Promise((resolve) => setTimeout(resolve, 20));
            }
            """)
        let numbers = place.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 2, !place.contains("<") else {
            throw Failure(description: "\(element) cannot be clicked: \(place)")
        }
        for (type, button, buttons) in [
            ("mouseMoved", "none", 0), ("mousePressed", "left", 1), ("mouseReleased", "left", 0),
        ] {
            try devtools(
                "Input.dispatchMouseEvent",
                [
                    "type": type, "x": numbers[0], "y": numbers[1], "button": button,
                    "buttons": buttons, "clickCount": type == "mouseMoved" ? 0 : 1,
                ])
        }
    }

    enum Key: Int {
        case tab = 9
        case enter = 13
        case escape = 27

        fileprivate var name: String {
            switch self {
            case .tab: "Tab"
            case .enter: "Enter"
            case .escape: "Escape"
            }
        }
    }

    /// Presses and releases a key.
    func press(_ key: Key) throws {
        var event: [String: Any] = [
            "key": key.name, "code": key.name, "windowsVirtualKeyCode": key.rawValue,
        ]
        if key == .enter { event["text"] = "\r" }
        event["type"] = key == .enter ? "keyDown" : "rawKeyDown"
        try devtools("Input.dispatchKeyEvent", event)
        event["type"] = "keyUp"
        try devtools("Input.dispatchKeyEvent", event)
    }

    /// Presses Tab until the focus is at an element, and then Enter unless `andPress` is `nil`.
    ///
    /// - Parameter element: an expression for it.
    /// - Throws: ``Failure`` if the focus does not get there.
    func tab(to element: String, andPress key: Key? = .enter) throws {
        try wait(until: element)
        for _ in 0..<300 where try run("return document.activeElement === (\(element))") != "true" {
            try press(.tab)
        }
        guard try run("return document.activeElement === (\(element))") == "true" else {
            throw Failure(description: "Tab does not reach \(element): \(try text)")
        }
        guard let key else { return }
        try wait(until: "(\(element))?.ariaDisabled !== 'true'")
        try press(key)
    }

    /// Chooses a file, as the dialog of the system would.
    func choose(_ file: String, at selector: String) throws {
        let found = try call("/element", ["using": "css selector", "value": selector])
        guard let id = (found as? [String: String])?.values.first else {
            throw Failure(description: "\(found)")
        }
        _ = try call("/element/\(id)/value", ["text": file])
    }

    /// Continues in the tab that was opened last, or in the first one.
    func show(tab place: TabPlace) throws {
        var tabs: [String] = []
        try waitUntil(otherwise: { "tabs: \(tabs)" }) {
            tabs = try call("/window/handles") as? [String] ?? []
            return place == .first || tabs.count > 1
        }
        guard let tab = place == .first ? tabs.first : tabs.last else { return }
        _ = try call("/window", ["handle": tab])
    }

    enum TabPlace {
        case first
        case last
    }

    /// A command of the DevTools protocol.
    @discardableResult
    func devtools(_ command: String, _ parameters: [String: Any] = [:]) throws -> Any {
        try call("/goog/cdp/execute", ["cmd": command, "params": parameters])
    }

    // MARK: - WebDriver

    private func call(_ path: String) throws -> Any {
        try value(
            of: Invocation(
                "/usr/bin/curl", ["-s", "--max-time", "540", address + session + path],
                environment: sandbox.environment))
    }

    private func call(_ path: String, _ body: [String: Any]) throws -> Any {
        let json = try JSONSerialization.data(withJSONObject: body)
        let file = sandbox.path("call-\(UUID().uuidString).json")
        try json.write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        return try value(
            of: Invocation(
                "/usr/bin/curl",
                [
                    "-s", "--max-time", "540", "-H", "Content-Type: application/json", "-d",
                    "@\(file)", address + session + path,
                ],
                environment: sandbox.environment))
    }

    private func value(of answer: Invocation) throws -> Any {
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
        guard let value = (object as? [String: Any])?["value"] else {
            throw Failure(description: answer.output)
        }
        if let error = (value as? [String: Any])?["error"] as? String {
            throw Failure(description: "\(error): \((value as? [String: Any])?["message"] ?? "")")
        }
        return value
    }
}
