import Commands

await NervousCommand.start()
