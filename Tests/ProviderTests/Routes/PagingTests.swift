import Auth
import Samples
import Testing
import Text

@Suite(.timeLimit(.minutes(10)))
struct PagingTests {
    @Test(arguments: [0, 1, 4, 5, 6, 10, 11], ["asc", "desc"])
    func `pages neither lose nor repeat samples with equal timestamps`(
        count: Int, order: String
    ) async throws {
        try await ServedHost.with { host in
            // Three timestamps, one of which most samples share.
            let times = [-1_000_001, 5, 5, 5, 5, 5, 5, 5, 5, 1_000_000, 1_000_000]
            for number in 0..<count {
                await host.gauge(
                    Double(number), at: Timestamp(microseconds: Int64(times[number])))
            }
            var target: String? =
                "/api/v1/sensors/gauge/samples?limit=5&order=\(order)&where=level%3E%3D0"
            var found: [Double] = []
            var pages = 0
            while let next = target {
                let answer = try await host.send(Call("GET", next, token: host.owner))
                #expect(answer.status == 200)
                found += try ServedHost.levels(answer)
                pages += 1
                target = try ServedHost.next(answer)
                #expect(
                    try answer.json()["next"]?.string.map { target?.contains($0) == true }
                        ?? (target == nil))
            }
            let all = (0..<count).map(Double.init)
            #expect(found == (order == "asc" ? all : all.reversed()))
            #expect(pages == max(1, (count + 4) / 5))
        }
    }

    @Test func `samples that arrive between pages are found at their position`() async throws {
        try await ServedHost.with { host in
            for number in 1...4 {
                await host.gauge(Double(number), at: Timestamp(microseconds: 10))
            }
            let first = try await host.send(
                Call("GET", "/api/v1/sensors/gauge/samples?limit=2", token: host.owner))
            await host.gauge(0, at: Timestamp(microseconds: 5))
            await host.gauge(5, at: Timestamp(microseconds: 10))
            await host.gauge(6, at: Timestamp(microseconds: 11))
            let next = try #require(try ServedHost.next(first))
            let second = try await host.send(
                Call("GET", next.replacing("limit=2", with: "limit=9"), token: host.owner))
            #expect(try ServedHost.levels(first) + ServedHost.levels(second) == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test func `every form links to the next page`() async throws {
        try await ServedHost.with { host in
            for number in 1...3 { await host.gauge(Double(number)) }
            for form in ["application/json", "application/x-ndjson", "text/csv"] {
                let answer = try await host.send(
                    Call(
                        "GET", "/api/v1/sensors/gauge/samples?limit=2", token: host.owner,
                        headers: [("Accept", form)]))
                #expect(try ServedHost.next(answer) != nil)
                #expect(answer["vary"] == "Accept")
            }
        }
    }

    @Test func `a limit above 10 000 means 10 000`() async throws {
        try await ServedHost.with { host async throws in
            await host.gauge(1)
            for limit in ["10000", "10001", "1000000000", "9223372036854775807"] {
                #expect(try await host.levels("limit=\(limit)") == [1])
            }
        }
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5])
    func `the access log is paged without loss, repetition or empty pages`(
        limit: Int
    ) async throws {
        try await ServedHost.with { host in
            let client = try await host.client(allow: ["sensor:gauge"])
            await host.gauge(1)
            // The token and the decision have entries already.
            for operation in ["latest", "samples"] {
                let path = "/api/v1/sensors/gauge/\(operation)"
                _ = try await host.send(Call("GET", path, token: client))
            }
            var target: String? = "/api/v1/access-log?client=curl&limit=\(max(1, limit))"
            var ids: [Int64] = []
            while let next = target {
                let answer = try await host.send(Call("GET", next, token: host.owner))
                let items = try answer.json()["items"]?.array ?? []
                #expect(!items.isEmpty)
                ids += items.compactMap { $0["id"]?.number?.int64 }
                target = try ServedHost.next(answer)
            }
            #expect(ids.count == 4)
            #expect(ids == ids.sorted(by: >))
            #expect(Set(ids).count == 4)
        }
    }
}
