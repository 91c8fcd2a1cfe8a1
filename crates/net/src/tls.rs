//! TLS: root certificates and the handshake.
//!
//! Separate from `connect`, so that everything a server's identity depends on is in one file.

use std::sync::Arc;

use cofferdam_caps::network::HostName;
use rustls::client::Resumption;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::error::{FetchError, FetchErrorKind};

/// Trusted root certificates.
#[derive(Debug, Clone, Default)]
pub enum Roots {
    /// The certificate store of the machine, read on first use. The machine's administrator
    /// therefore chooses the authorities, not the build date of this program. Without a store,
    /// `https` fails. `SSL_CERT_FILE` and `SSL_CERT_DIR` select another store, as for most
    /// programs.
    #[default]
    System,
    /// Only these certificates, in DER form.
    Only(Vec<Vec<u8>>),
}

/// Secures connections with TLS (T-NET-011).
pub(crate) struct Tls {
    roots: Roots,
    config: OnceCell<Arc<ClientConfig>>,
}

impl Tls {
    pub(crate) fn new(roots: Roots) -> Self {
        Self { roots, config: OnceCell::new() }
    }

    /// Performs the handshake; fails unless the certificate proves the name of `host`.
    pub(crate) async fn secure(
        &self,
        host: &HostName,
        stream: TcpStream,
    ) -> Result<TlsStream<TcpStream>, FetchError> {
        let refused = |reason: String| FetchError::new(FetchErrorKind::Tls, host, reason);
        let name = match (host.ip(), host.domain()) {
            (Some(ip), _) => ServerName::from(ip),
            (None, domain) => ServerName::try_from(domain.unwrap_or_default().to_owned())
                .map_err(|_| refused("no certificate can have this name".to_owned()))?,
        };
        let config = self.config.get_or_try_init(|| self.load()).await.map_err(|reason| {
            FetchError::new(
                FetchErrorKind::Stopped,
                host,
                format!("no secure connections: {reason}"),
            )
        })?;
        let connector = TlsConnector::from(config.clone());
        let connected = connector.connect(name, stream).await;
        connected.map_err(|error| refused(format!("no secure connection: {error}")))
    }

    async fn load(&self) -> Result<Arc<ClientConfig>, String> {
        let roots = self.roots.clone();
        // Blocks: the system's store consists of hundreds of files.
        let loading = tokio::task::spawn_blocking(move || configure(roots));
        loading.await.unwrap_or_else(|error| Err(error.to_string()))
    }
}

fn configure(roots: Roots) -> Result<Arc<ClientConfig>, String> {
    let certificates = match roots {
        Roots::System => rustls_native_certs::load_native_certs().certs,
        Roots::Only(certificates) => certificates.into_iter().map(CertificateDer::from).collect(),
    };
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(certificates);
    if store.is_empty() {
        return Err("this machine has no root certificates".to_owned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(store)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // A resumed session would show a server that two sandboxes share a machine, and would send
    // bytes chosen by one server to the next address its name resolves to.
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}
