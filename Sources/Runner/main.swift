import Glibc

let status = Launch.run(
    arguments: CommandLine.arguments.dropFirst(), socket: ProtocolSocket(descriptor: 3))
_exit(status)
