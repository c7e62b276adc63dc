import Host

await NervousCommand.start()
