import API
import Foundation
import Provider

extension Console {
    /// The part of the host's answers that tells of samples that are not in them.
    private struct Missing: Decodable {
        let damaged: [DamagedRange]?
        let partial: Bool?
    }

    /// Tells beside an answer of the host which samples could not be read.
    ///
    /// - Parameter sensor: the one that the answer is about, if it is about one.
    func tellDamage(_ answer: Data, of sensor: String? = nil) {
        let answer = try? JSONDecoder().decode(Missing.self, from: answer)
        if answer?.partial == true {
            say("warning: some samples are gone and left out: only summaries of hours are left")
        }
        tell(answer?.damaged, of: sensor)
    }

    func tell(_ damaged: [DamagedRange]?, of sensor: String? = nil) {
        for range in damaged ?? [] {
            let name = range.sensor ?? sensor ?? "a sensor"
            say("warning: samples of \(name) are damaged and cannot be read: \(range.span)")
        }
    }
}

extension DamagedRange {
    /// The times, for a person.
    var span: String {
        switch (from.map(Format.time), to.map(Format.time)) {
        case (let from?, let to?): "from \(from) to \(to)"
        case (let from?, nil): "from \(from) on"
        case (nil, let to?): "up to \(to)"
        case (nil, nil): "nobody can tell of which time"
        }
    }
}
