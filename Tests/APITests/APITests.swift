import API
import Foundation
import Synchronization
import Testing
import Text

/// Answers nothing, and keeps the requests.
private final class RequestRecorder: APITransport {
    private let list = Mutex<[APIRequest]>([])
    var requests: [APIRequest] { list.withLock { $0 } }

    func send(_ request: APIRequest) async throws -> APIResponse {
        list.withLock { $0.append(request) }
        return APIResponse(status: 200, headers: [], body: Data("{}".utf8))
    }

    func lines(
        for request: APIRequest
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        list.withLock { $0.append(request) }
        return AsyncThrowingStream { $0.finish() }
    }
}

/// The wire types, paths and problem codes, without server or client.
struct APITests {
    @Test(arguments: [
        (APIPath.status, "/api/v1/status"),
        (.samples(of: "temperature.attic"), "/api/v1/sensors/temperature.attic/samples"),
        (
            .grant(of: "net:https://example.org", to: "my-app"),
            "/api/v1/grants/my-app/net%3Ahttps%3A%2F%2Fexample.org"
        ),
        (.storage("größe/../%"), "/api/v1/storage/gr%C3%B6%C3%9Fe%2F..%2F%25"),
        (.health, "/health"),
    ])
    func `segments of a path are percent-encoded`(path: APIPath, text: String) {
        #expect(path.description == text)
    }

    @Test func `a template contains its parameters unencoded`() {
        let path = APIPath.request(for: "{privilege}", by: "{client}")
        #expect(path.template == "api/v1/requests/{client}/{privilege}")
    }

    @Test(arguments: ProblemCode.allCases)
    func `a problem code is kebab-case and has a status and a title`(code: ProblemCode) {
        #expect(code.rawValue.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
        #expect((400...507).contains(code.status))
        #expect(!code.title.isEmpty && !code.title.hasSuffix("."))
        #expect(code.type == "urn:nervous:problem:\(code.rawValue)")
    }

    @Test func `the client names the parameters of streams and of a verification`() async throws {
        let recorder = RequestRecorder()
        let client = APIClient(recorder)
        _ = try await client.stream(of: ["cpu", "memory"])
        _ = try await client.stream(of: ["cpu"], beginsWithNewest: true)
        _ = try await client.stream(of: .access)
        _ = try await client.stream(of: .storage)
        _ = try await client.followVerification(expecting: "ab")
        #expect(
            recorder.requests.map(\.target) == [
                "/api/v1/stream?sensors=cpu%2Cmemory", "/api/v1/stream?sensors=cpu&newest=true",
                "/api/v1/stream?access=true", "/api/v1/stream?storage=true",
                "/api/v1/access-log/verification?expect=ab",
            ])
        #expect(recorder.requests.allSatisfy { !$0.hasTimeLimit })
        #expect(recorder.requests.last?.headers.first?.value == "application/x-ndjson")
    }

    @Test func `a step of a verification has its progress, its verdict or a problem`() throws {
        let verdict = AccessLogVerdict(intact: true, lines: 3, cut: 0, head: "00")
        let problem = ProblemDetails(
            type: "x", title: "x", status: 503, detail: "x", code: "busy")
        let steps = [
            AccessLogVerificationStep(verified: 1, of: 2), AccessLogVerificationStep(verdict),
            AccessLogVerificationStep(problem),
        ]
        let read = try steps.map {
            try JSONDecoder().decode(
                AccessLogVerificationStep.self, from: JSONEncoder().encode($0))
        }
        #expect(read.map(\.verified) == [1, nil, nil] && read.map(\.total) == [2, nil, nil])
        #expect(read.map { $0.verdict?.lines } == [nil, 3, nil])
        #expect(read.map { $0.problem?.code } == [nil, nil, "busy"])
    }

    @Test func `a code that this version does not know can be read`() throws {
        let json = #"{"type":"x","title":"x","status":418,"detail":"x","code":"teapot"}"#
        let details = try JSONDecoder().decode(ProblemDetails.self, from: Data(json.utf8))
        #expect(details.code == "teapot")
        #expect(details.problemCode == nil)
    }

    @Test func `terms survive encoding and decoding`() throws {
        let terms = TermsDescription(
            access: "raw", rate: 2, only: ["temperature.attic"], excluded: ["temperature.cellar"])
        let data = try JSONEncoder().encode(terms)
        let read = try JSONDecoder().decode(TermsDescription.self, from: data)
        #expect(read.only == terms.only)
        #expect(read.excluded == terms.excluded)
        #expect(read.rate == 2 && read.history == nil)
    }

    @Test(arguments: [
        #"{"name": "a", "sensor": ["cpu"]}"#, #"{"name": "a", "sensors": [], "Id": "x"}"#,
    ])
    func `an unknown member of a request is refused`(json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(SessionRequest.self, from: Data(json.utf8))
        }
    }

    @Test func `a suppressed result is written as null`() throws {
        let reply = AnalysisReply(analysis: "entropy", inputs: [])
        let value = try StrictJSON().parse(Array(try JSONEncoder().encode(reply)))
        #expect(value["result"]?.isNull == true)
        #expect(value["count"]?.isNull == true)
        #expect(value["partial"] == nil)
    }

    @Test func `a result survives encoding and decoding`() throws {
        let result = JSONValue(["items": JSONValue([JSONValue(["t": JSONValue(1.5)])])])
        let reply = AnalysisReply(analysis: "largest", inputs: [], count: 3, result: result)
        let data = try JSONEncoder().encode(reply)
        let read = try JSONDecoder().decode(AnalysisReply.self, from: data)
        #expect(read.count == 3)
        #expect(read.result?["items"]?.array?.first?["t"]?.number?.double == 1.5)
    }
}
