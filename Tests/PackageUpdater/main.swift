import Foundation
import JSApps

// Installs one package; arguments: the folder of the apps, the package and the unpacker.
// A test kills it at every system call.
let words = CommandLine.arguments
let library = try await AppLibrary.open(
    at: URL(filePath: words[1]), unpacker: ArchiveUnpacker(program: words[3]))
_ = try await library.install(from: URL(filePath: words[2]))
