/// Adds up the steps of walks in acceleration on an even grid of ``Gait/rate``.
///
/// Every second it evaluates the last five with ``Gait``. A walk begins after three consecutive evaluations
/// with a clear and constant rhythm, and includes the seconds that they saw. It continues while a
/// rhythm near its own is found, even a weaker one.
///
/// Steps are not counted one by one: each half second of a walk adds as many as follow from the duration
/// of its stride, so a weak step or two peaks of one heel strike change nothing. Only half seconds with
/// movement about as strong as that of the walk count. Up to ten seconds without a rhythm, such as in a
/// turn, count too if the movement continued throughout and the rhythm afterwards is that from before.
struct WalkTracker: Hashable, Sendable {
    private static let window = 100
    /// The shortest signal that is evaluated.
    private static let leastCells = 80
    private static let blockLength = 10
    private static let blocksInWindow = window / blockLength
    private static let evaluationsToConfirm = 3
    /// The lowest regularity with which a walk begins, and that with which it continues.
    private static let clear = 0.6
    private static let weak = 0.3
    /// The lowest persistence with which a walk begins, and the relative change of its stride until then.
    private static let persistent = 0.4
    private static let constant = 0.05
    /// Of the energy of a walk's movement; this is 45 % of its amplitude.
    private static let leastEnergy = 0.2
    /// How much of it remains in a window at the end of a walk, with more rest than movement.
    private static let keptEnergy = 0.75
    /// The maximum number of blocks without a rhythm in a walk.
    private static let longestBridge = 20
    /// How many blocks are kept: the bridge to a walk, and what the evaluations that confirm it saw.
    private static let keptBlocks = longestBridge + 2 * evaluationsToConfirm + blocksInWindow

    /// Steps since the tracker was created, with a fraction; it can decrease by part of a step.
    private(set) var steps = 0.0
    private var band = StepBand()
    /// The filtered cells of the window.
    private var signal: [SIMD3<Double>] = []
    /// The last half seconds, the number of earlier ones, and the one that is not yet complete.
    private var blocks: [Block] = []
    private var earlier = 0
    private var next = Block()
    /// Consecutive rhythms that may become a walk.
    private var candidates: [Rhythm] = []
    /// The newest rhythm of the present walk.
    private var walk: Rhythm?
    /// The newest rhythm of any walk, and the number of blocks up to the last that it explains.
    private var last: Rhythm?
    private var end = 0

    /// Steps per second; `nil` without a walk.
    var stepRate: Double? { walk.map { 2 * Gait.rate / $0.stride } }

    /// Takes the next cell of the grid.
    mutating func take(_ cell: SIMD3<Double>) {
        let value = band.filter(cell)
        signal.append(value)
        next.add(value)
        guard next.length == Self.blockLength else { return }
        close()
        if (earlier + blocks.count) % 2 == 0 { evaluate() }
    }

    /// Adds the steps up to the last cell, and forgets all cells.
    mutating func finish() {
        if next.length > 0 { close() }
        evaluate()
        let total = steps.rounded()
        self = WalkTracker()
        steps = total
    }

    private mutating func close() {
        blocks.append(next)
        next = Block()
        let excess = max(0, blocks.count - Self.keptBlocks)
        blocks.removeFirst(excess)
        earlier += excess
        signal.removeFirst(max(0, signal.count - Self.window))
    }

    private mutating func evaluate() {
        guard signal.count >= Self.leastCells,
            let gait = Gait(signal, near: walk?.stride),
            walk == nil ? Self.isClear(gait) : gait.regularity >= Self.weak
        else {
            (walk, candidates) = (nil, [])
            return
        }
        let seen = blocks.suffix(Self.blocksInWindow)
        let energies = seen.map(\.energy).sorted()
        let rhythm = Rhythm(
            stride: gait.stride,
            energy: max(energies[energies.count * 4 / 5], Self.keptEnergy * (walk?.energy ?? 0)),
            blocks: earlier + seen.startIndex..<earlier + seen.endIndex)
        if let walk, !rhythm.isNear(walk) { self.walk = nil }
        if walk == nil {
            guard Self.isClear(gait) else {
                candidates = []
                return
            }
            candidates.removeAll { !rhythm.isNear($0, within: Self.constant) }
        }
        candidates.append(rhythm)
        guard walk != nil || candidates.count == Self.evaluationsToConfirm else { return }
        for candidate in candidates { explain(candidate) }
        (walk, candidates) = (rhythm, [])
    }

    private static func isClear(_ gait: Gait) -> Bool {
        gait.regularity >= clear && gait.persistence >= persistent
    }

    /// Gives the blocks of a rhythm its steps.
    private mutating func explain(_ rhythm: Rhythm) {
        let least = Self.leastEnergy * rhythm.energy
        let moving = rhythm.blocks.filter { blocks[$0 - earlier].energy >= least }
        guard let first = moving.first, let newest = moving.last else { return }
        bridge(to: first, of: rhythm)
        for index in moving {
            // Of several windows with this block, the one whose middle is nearest to it is used.
            let offset = abs(2 * index - rhythm.blocks.lowerBound - rhythm.blocks.upperBound + 1)
            steps += blocks[index - earlier].walk(stride: rhythm.stride, offset: offset)
        }
        (last, end) = (rhythm, newest + 1)
    }

    /// Gives steps to the blocks between two walks if they are part of a single one.
    private mutating func bridge(to first: Int, of rhythm: Rhythm) {
        guard let last, end >= earlier, end < first, first - end <= Self.longestBridge,
            rhythm.isNear(last)
        else { return }
        let gap = (end - earlier)..<(first - earlier)
        let least = Self.leastEnergy * min(last.energy, rhythm.energy)
        guard blocks[gap].allSatisfy({ $0.energy >= least }) else { return }
        for index in gap {
            steps += blocks[index].walk(
                stride: (last.stride + rhythm.stride) / 2, offset: 2 * Self.blocksInWindow)
        }
    }
}

/// A half second, or less at the end.
private struct Block: Hashable {
    /// In cells.
    private(set) var length = 0
    private var squares = 0.0
    private var steps = 0.0
    /// Twice the distance from the middle of the window that gave it its steps.
    private var offset = Int.max

    /// The mean square of its cells, in (m/s²)².
    var energy: Double { squares / Double(max(1, length)) }

    mutating func add(_ cell: SIMD3<Double>) {
        length += 1
        squares += (cell * cell).sum()
    }

    /// Sets its steps unless a window with a smaller offset has.
    ///
    /// - Returns: by how much they change.
    mutating func walk(stride: Double, offset: Int) -> Double {
        guard offset < self.offset else { return 0 }
        let before = steps
        (steps, self.offset) = (2 * Double(length) / stride, offset)
        return steps - before
    }
}

/// A rhythm of steps in a window.
private struct Rhythm: Hashable {
    /// In cells.
    let stride: Double
    /// The 80th percentile of its blocks, because at the end of a walk many are at rest.
    let energy: Double
    /// The numbers of its blocks since the start.
    let blocks: Range<Int>

    func isNear(_ other: Rhythm, within tolerance: Double = Gait.tolerance) -> Bool {
        abs(stride / other.stride - 1) <= tolerance
    }
}
