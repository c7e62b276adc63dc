import Glibc

let arguments = CommandLine.arguments.dropFirst()
_exit(SelfTest.answer(arguments) ?? Launch.run(arguments: arguments))
