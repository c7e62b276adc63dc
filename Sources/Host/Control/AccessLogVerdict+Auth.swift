package import API
package import Auth
import Provider

extension AccessLogReport {
    /// The report as the API returns it.
    package var verdict: AccessLogVerdict { AccessLogVerdict(self) }
}
