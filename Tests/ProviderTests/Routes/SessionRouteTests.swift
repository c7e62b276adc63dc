import Auth
import Foundation
import Samples
import Testing
import Text

@testable import Provider

struct SessionRouteTests {
    @Test func `a session is created, read, changed and deleted`() async throws {
        try await ServedHost.with { host in
            let made = try await host.sessions(
                "POST",
                json: """
                    {"name": " Desk ", "description": "é", "sensors": ["gauge", "network"]}
                    """)
            #expect(made.status == 201)
            let id = try #require(try made.json()["id"]?.string)
            #expect(made["location"] == "/api/v1/sessions/\(id)")
            #expect(try made.json()["name"]?.string == "Desk")
            #expect(try made.json()["state"]?.string == "inactive")
            #expect(try await host.sessions("GET", "/\(id)").text == made.text)
            let changed = try await host.sessions(
                "PATCH", "/\(id)", json: #"{"sensors": ["quiet"], "description": ""}"#)
            #expect(changed.status == 200)
            #expect(try changed.json()["sensors"]?.array?.map(\.string) == ["quiet"])
            #expect(try changed.json()["name"]?.string == "Desk")
            let list = try await host.sessions().json()["items"]?.array
            #expect(list?.map { $0["id"]?.string } == [id])
            #expect(try await host.sessions("DELETE", "/\(id)").status == 204)
            #expect(try await host.sessions("GET", "/\(id)").status == 404)
        }
    }

    @Test(arguments: [
        ("POST", "", #"{"name": "x"}"#, 400), ("POST", "", #"{"name": "x", "sensors": 1}"#, 400),
        ("POST", "", #"{"name": "x", "sensors": ["gauge"], "more": 1}"#, 400),
        ("POST", "", #"{"name": "x", "sensors": ["Gauge"]}"#, 400),
        ("POST", "", #"{"name": "x", "sensors": ["gouge"]}"#, 404),
        ("POST", "", #"{"name": "x", "sensors": []}"#, 422),
        ("POST", "", #"{"name": "x", "sensors": ["gauge"], "distance": 1}"#, 400),
        ("POST", "", #"{"id": "X", "name": "x", "sensors": ["gauge"]}"#, 422),
        ("PATCH", "/walk", #"{"id": "y"}"#, 400), ("PATCH", "/walk", #"{"nom": "y"}"#, 400),
        ("PATCH", "/walk", #"{"distance": -0.1}"#, 422),
        ("PATCH", "/walk", #"{"name": "\u0007"}"#, 422),
    ])
    func `an invalid session is rejected`(
        method: String, target: String, json: String, status: Int
    ) async throws {
        try await ServedHost.with { host in
            try await host.makeWalk()
            let before = try await host.sessions().text
            #expect(try await host.sessions(method, target, json: json).status == status)
            #expect(try await host.sessions().text == before)
        }
    }

    @Test func `pages link to the next`() async throws {
        try await ServedHost.with { host in
            for number in 0..<5 {
                host.clock.advance(.seconds(1))
                let json = #"{"id": "s\#(number)", "name": "x", "sensors": ["gauge"]}"#
                #expect(try await host.sessions("POST", json: json).status == 201)
            }
            var (found, target): ([String?], String?) = ([], "/api/v1/sessions?limit=2")
            while let here = target {
                let answer = try await host.send(Call("GET", here, token: host.owner))
                found += (try answer.json()["items"]?.array ?? []).map { $0["id"]?.string }
                target = try ServedHost.next(answer)
            }
            #expect(found == ["s4", "s3", "s2", "s1", "s0"])
        }
    }

    @Test func `sessions need a privilege of their own, whatever else is allowed`() async throws {
        try await ServedHost.with { host in
            try await host.makeWalk()
            let token = try await host.client(allow: ["sensor:location", "sensor:location:write"])
            for (method, target) in [
                ("GET", ""), ("POST", ""), ("GET", "/walk"), ("PATCH", "/walk"),
                ("DELETE", "/walk"), ("POST", "/walk/start"), ("POST", "/walk/resume"),
                ("GET", "/walk/route"),
            ] {
                let answer = try await host.send(
                    Call(method, "/api/v1/sessions" + target, token: token, json: "{}"))
                #expect(answer.status == 403, "\(method) \(target)")
                #expect(answer.code == "undecided")
            }
        }
    }

    @Test func `a session keeps its state between calls, and an invalid step is refused`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.makeWalk()
            let steps = [
                ("start", "active", wrong: ["pause", "resume", "finish"]),
                ("pause", "paused", wrong: ["start", "resume"]),
                ("resume", "active", wrong: ["start", "pause"]),
                ("pause", "paused", wrong: ["start", "resume"]),
                ("finish", "inactive", wrong: ["start", "pause"]),
            ]
            func expectRefused(_ words: [String]) async throws {
                for word in words {
                    let answer = try await host.sessions("POST", "/walk/\(word)")
                    #expect(answer.status == 409, "\(word)")
                    #expect(answer.code == "wrong-state")
                }
            }
            for (step, state, wrong) in steps {
                try await expectRefused(wrong)
                host.clock.advance(.seconds(10))
                try await host.walk(step)
                for _ in 0..<2 {
                    let shown = try await host.sessions("GET", "/walk").json()
                    #expect(shown["state"]?.string == state)
                }
            }
            try await expectRefused(["start", "pause", "resume", "finish"])
            let ended = try await host.sessions("GET", "/walk").json()
            #expect(ended["finished"]?.bool == true)
            #expect(ended["elapsed"]?.number?.double == 20_000)
            #expect(ended["spans"]?.array?.count == 2)
        }
    }
}
