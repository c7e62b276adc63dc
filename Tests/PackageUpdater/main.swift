import Foundation
import JSApps

// Installs one package: the folder of the apps, the package and the program that unpacks.
// A test ends it at every call of the kernel that it makes.
let words = CommandLine.arguments
let library = try await AppLibrary.open(
    at: URL(filePath: words[1]), unpacker: Unpacker(program: words[3]))
_ = try await library.install(from: URL(filePath: words[2]))
