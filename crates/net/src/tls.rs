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

/// Whose word is taken for who a server is.
#[derive(Debug, Clone, Default)]
pub enum Roots {
    /// The machine's own store of certificates, read when first needed. So the authorities are
    /// those of the machine's administrator, not of the day this program was built; where there
    /// is no store, `https` fails. `SSL_CERT_FILE` and `SSL_CERT_DIR` name another one, as they
    /// do for most programs.
    #[default]
    System,
    /// These certificates alone, in DER form.
    Only(Vec<Vec<u8>>),
}

/// Makes TLS of a connection (T-NET-011).
pub(crate) struct Tls {
    roots: Roots,
    config: OnceCell<Arc<ClientConfig>>,
}

impl Tls {
    pub(crate) fn new(roots: Roots) -> Self {
        Self { roots, config: OnceCell::new() }
    }

    /// Shakes hands with `host`, which proves its name or is not talked to.
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
        // The system's store is some hundred files.
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
    // A session taken up again would show a server that two sandboxes are one machine, and
    // would carry bytes a server chose to whatever its name resolves to next.
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}
