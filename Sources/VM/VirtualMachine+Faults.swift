import SampleStore

extension VirtualMachine {
    /// What is wrong in a file of samples, as far as the database itself can tell; reads only, also
    /// while a machine has the file open.
    ///
    /// - Throws: `storeFailed` when the file cannot be read or is no database.
    public static func faults(inFile path: String) async throws(VirtualMachineError) -> [String] {
        do {
            return try await SampleStore.faults(inFile: path)
        } catch {
            throw VirtualMachineError(.storeFailed, error.message, cause: error)
        }
    }
}
