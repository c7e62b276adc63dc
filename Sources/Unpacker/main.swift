import Glibc

_exit(Launch.run(arguments: CommandLine.arguments.dropFirst()))
