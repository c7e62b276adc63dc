import Foundation
import TestSupport
import Testing

/// A stream as a WebSocket of a real browser.
@Suite(.blocking) struct StreamSocketPageTests {
    /// Opens a WebSocket; its value is the subprotocol and the members of the first sample, or `failed`.
    private static func script(_ url: String, _ protocols: String) -> String {
        """
        return new Promise((resolve) => {
          const socket = new WebSocket("\(url)", \(protocols));
          socket.onerror = () => resolve("failed");
          socket.onmessage = ({ data }) => {
            const message = JSON.parse(data);
            if (message.event !== "sample") return;
            resolve(`${socket.protocol} ${Object.keys(message.data).slice(0, 2)}`);
            socket.close();
          };
        });
        """
    }

    @Test func `a script reads a stream with its token as a subprotocol`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        let created = try sandbox.nervous("token", "create", "page", "--allow", "sensor:cpu")
        let token = created.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let browser = try Browser(sandbox)
        let url = "ws://localhost:\(host.port)/api/v1/stream?sensors=cpu&newest"
        let protocols = #"["nervous.stream", "nervous.bearer.\#(token)"]"#
        try browser.open(host.url("/"))
        #expect(
            try browser.settle(Self.script(url, protocols)) == "nervous.stream sensor,t")
        #expect(try browser.settle(Self.script(url, #"["nervous.stream"]"#)) == "failed")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
    }
}
