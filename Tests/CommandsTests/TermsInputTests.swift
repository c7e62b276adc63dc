import Foundation
import Samples
import Testing

@testable import Commands

struct TermsInputTests {
    private let input = TermsInput(now: Timestamp(microseconds: 1_800_000_000_000_000))

    @Test(arguments: [
        ("", nil), ("no", nil), (" None ", nil), ("1", 1.0), ("0.1", 0.1), (".5", 0.5),
        (" 2 ", 2), ("250", 250),
    ])
    func `a rate or a precision is a number above zero, or nothing`(text: String, number: Double?)
        throws
    {
        #expect(try input.rate(text) == number)
        #expect(try input.precision(text) == number)
    }

    @Test(arguments: [
        "0", "-1", "nan", "inf", "1e3", "0x10", "1,5", "fast", "1 2", "0.0", "٣", "\u{1B}[A",
        "1234567890123",
    ])
    func `the error for invalid terms contains an example of valid input`(text: String) {
        for read in [input.rate, input.precision] {
            let fault = #expect(throws: TermsInput.Fault.self) { _ = try read(text) }
            #expect(fault?.message.contains("such as") == true)
        }
    }

    @Test func `a history is a duration above zero`() throws {
        #expect(try input.history("10m") == .seconds(600))
        #expect(try input.history("") == nil)
        for text in ["0s", "0", "10", "-1m", "10 m", "m", "1y", "yesterday"] {
            let fault = #expect(throws: TermsInput.Fault.self) { _ = try input.history(text) }
            #expect(fault?.message.contains("10m") == true)
        }
    }

    @Test func `an end is a duration, a day or a time in the future`() throws {
        #expect(try input.expires("") == nil)
        #expect(try input.expires("7d") == input.now.advanced(byMicroseconds: 604_800_000_000))
        #expect(
            try input.expires("2030-01-31T18:00:00Z") == Timestamp(rfc3339: "2030-01-31T18:00:00Z"))
        // A grant until a day is valid to the end of that day, in the zone of the machine.
        let day = try #require(try input.expires("2030-01-31"))
        let date = Date(timeIntervalSince1970: day.milliseconds / 1000)
        let parts = Calendar(identifier: .gregorian).dateComponents(
            [.year, .month, .day, .hour, .minute], from: date)
        #expect(parts == DateComponents(year: 2030, month: 2, day: 1, hour: 0, minute: 0))
        for text in ["0s", "2001-01-01", "2001-01-01T00:00:00Z"] {
            let fault = #expect(throws: TermsInput.Fault.self) { _ = try input.expires(text) }
            #expect(fault?.message.contains("past") == true)
        }
        for text in ["soon", "2030-02-31", "2030-13-01", "30-01-01", "7", "2030-1-1"] {
            let fault = #expect(throws: TermsInput.Fault.self) { _ = try input.expires(text) }
            #expect(fault?.message.contains("such as") == true)
        }
    }

    @Test func `background is yes by default`() throws {
        for text in ["", "y", "YES"] { #expect(try input.background(text)) }
        for text in ["n", "No"] { #expect(try !input.background(text)) }
        #expect(throws: TermsInput.Fault.self) { _ = try input.background("perhaps") }
    }
}
