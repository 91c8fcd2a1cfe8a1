//! Ports that are never connected to.
//!
//! Separate from `reach`: ports are checked before the authority is asked, addresses after.

use cofferdam_caps::network::Origin;

use crate::error::{FetchError, FetchErrorKind};

/// Ports of protocols that would interpret a request as commands; the list of the fetch standard
/// (T-NET-007). Sorted.
const BAD_PORTS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
];

/// Refuses ports of other protocols, regardless of the grant.
pub(crate) fn check(origin: &Origin) -> Result<(), FetchError> {
    match BAD_PORTS.binary_search(&origin.port) {
        Ok(_) => {
            let reason = format!("port {} belongs to another protocol", origin.port);
            Err(FetchError::new(FetchErrorKind::BadPort, &origin.host, reason))
        }
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use cofferdam_caps::network::FetchUrl;

    use super::*;

    fn check_port(port: u16, expect: bool) {
        let url: FetchUrl = format!("http://a.example:{port}").parse().unwrap();
        assert_eq!(check(url.origin()).is_ok(), expect, "{port}");
    }

    #[test]
    fn ports_of_other_protocols_are_refused() {
        assert!(BAD_PORTS.is_sorted());
        for port in BAD_PORTS {
            check_port(port, false);
        }
    }

    #[test]
    fn ports_of_http_are_allowed() {
        for port in [80, 443, 3000, 6001, 8080, 8443, 65535] {
            check_port(port, true);
        }
    }
}
