//! The certificate authority of one run. Its key stays in this process.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use crate::lock;

/// Most certificates that are kept; a program that asks for more gets none.
const MAX_CERTIFICATES: usize = 4096;

/// A certificate authority, with the certificates that it signed.
#[derive(Clone)]
pub(crate) struct Authority(Arc<Inner>);

struct Inner {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    signed: Mutex<HashMap<String, Arc<CertifiedKey>>>,
}

impl Authority {
    /// Creates an authority that is known nowhere.
    pub(crate) fn new() -> Result<Self, rcgen::Error> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::new())?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.distinguished_name.push(DnType::CommonName, "Cofferdam run");
        let pem = params.self_signed(&key)?.pem();
        let issuer = Issuer::new(params, key);
        Ok(Authority(Arc::new(Inner { issuer, pem, signed: Mutex::default() })))
    }

    /// Returns the certificate of the authority, without its key.
    pub(crate) fn certificate(&self) -> &str {
        &self.0.pem
    }

    /// Returns the settings of a connection; `fallback` is the name if the program sends none.
    pub(super) fn settings(&self, fallback: String) -> Result<Arc<ServerConfig>, rustls::Error> {
        let provider = Arc::new(ring::default_provider());
        let names = Arc::new(ByName { authority: self.clone(), fallback });
        let mut settings = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(names);
        settings.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(settings))
    }

    fn sign(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        let mut signed = lock(&self.0.signed);
        if let Some(known) = signed.get(name) {
            return Some(known.clone());
        }
        if signed.len() >= MAX_CERTIFICATES {
            return None;
        }
        let key = KeyPair::generate().ok()?;
        let mut params = CertificateParams::new(vec![name.to_owned()]).ok()?;
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(&key, &self.0.issuer).ok()?;
        let key = PrivatePkcs8KeyDer::from(key.serialize_der());
        let key = ring::sign::any_supported_type(&key.into()).ok()?;
        let made = Arc::new(CertifiedKey::new(vec![certificate.der().clone()], key));
        signed.insert(name.to_owned(), made.clone());
        Some(made)
    }
}

/// Chooses the certificate by the name that the program asks for.
struct ByName {
    authority: Authority,
    fallback: String,
}

impl ResolvesServerCert for ByName {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.authority.sign(hello.server_name().unwrap_or(&self.fallback))
    }
}

impl fmt::Debug for ByName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByName").finish_non_exhaustive()
    }
}
