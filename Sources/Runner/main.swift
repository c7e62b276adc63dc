import Glibc

let arguments = CommandLine.arguments.dropFirst()
let status =
    SelfTest.answer(arguments)
    ?? Launch.run(arguments: arguments, socket: ProtocolSocket(descriptor: 3))
_exit(status)
