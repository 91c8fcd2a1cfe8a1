//! Passkeys (WebAuthn): proof that a person is at the authenticator and saw this decision.
//!
//! A cookie says which browser decides; malware in that browser can use it. If the operator sets
//! `passkeys`, decisions of high risk and those for always need a signature of the approver's
//! authenticator as well. Its challenge is the digest of the questions, their seals and the
//! decisions on them, so a signature is good for exactly one decision, and needs no memory here.
//!
//! Only ES256 is known, which every authenticator speaks. Attestation is not asked for: it would
//! say which device it is, and any device of the approver will do.
//!
//! Meets T-SERVE-009.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cofferdam::Capability;
use cofferdam::permissions::{Risk, Span, Timestamp};
use cofferdam_front::exec::{check_known, text};
use cofferdam_front::json::level;
use cofferdam_store::Passkey;
use ring::signature::{ECDSA_P256_SHA256_ASN1, UnparsedPublicKey};
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};

use crate::identity::Approver;
use crate::problem::Problem;
use crate::secret;
use crate::server::{Decided, Server};

/// Time in which a passkey must be added after it was begun.
const LIFE: Duration = Duration::from_secs(300);

/// Most passkeys that are being added at once.
const MAX_BEGUN: usize = 1_024;

/// Most passkeys of one approver.
const MAX_PASSKEYS: usize = 32;

/// Longest field of a proof.
const MAX_FIELD: usize = 4 << 10;

/// Beginning of a public key of the curve P-256 as browsers give it (SPKI); the point follows.
const SPKI_P256: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// Flags in the data of an authenticator: a person is present, and was recognised.
const PRESENT: u8 = 0x01;
const RECOGNISED: u8 = 0x04;

/// A signature of an authenticator.
#[derive(Debug, Clone)]
pub struct Proof {
    id: Vec<u8>,
    client_data: Vec<u8>,
    authenticator_data: Vec<u8>,
    signature: Vec<u8>,
}

impl Proof {
    /// Parses a proof: four members in the alphabet of addresses.
    pub fn parse(json: Json) -> Result<Self, Problem> {
        let Json::Object(mut fields) = json else {
            return Err(Problem::params("passkey: not an object"));
        };
        let names = ["id", "clientDataJSON", "authenticatorData", "signature"];
        check_known(&fields, &names)?;
        let [id, client_data, authenticator_data, signature] =
            names.map(|name| decoded(&mut fields, name));
        Ok(Proof {
            id: id?,
            client_data: client_data?,
            authenticator_data: authenticator_data?,
            signature: signature?,
        })
    }
}

/// Takes bytes in the alphabet of addresses.
fn decoded(fields: &mut Map<String, Json>, name: &str) -> Result<Vec<u8>, Problem> {
    let value = text(fields, name)?.ok_or_else(|| Problem::params(format!("{name}: missing")))?;
    if value.len() > MAX_FIELD {
        return Err(Problem::params(format!("{name}: longer than {MAX_FIELD} characters")));
    }
    let bytes = URL_SAFE_NO_PAD.decode(value.trim_end_matches('='));
    bytes.map_err(|error| Problem::params(format!("{name}: {error}")))
}

/// Returns text in the alphabet of addresses.
pub fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The server as authenticators know it.
#[derive(Debug, Clone)]
struct Party {
    /// Host name of the console.
    host: String,
    origin: String,
}

impl Party {
    /// Checks the client's part of a signature.
    fn check_client(&self, data: &[u8], kind: &str, challenge: &[u8]) -> Result<(), Problem> {
        let wrong = |what: &str| Problem::forbidden(format!("passkey: {what}"));
        let data: Json = serde_json::from_slice(data).map_err(|_| wrong("not client data"))?;
        let word = |name: &str| data[name].as_str().unwrap_or_default();
        if word("type") != kind {
            return Err(wrong("made for something else"));
        }
        if !secret::is_equal(word("challenge").as_bytes(), encoded(challenge).as_bytes()) {
            return Err(wrong("made for another decision"));
        }
        if word("origin") != self.origin || data["crossOrigin"] == true {
            return Err(wrong("made on another site"));
        }
        Ok(())
    }

    /// Checks the authenticator's part of a signature.
    fn check_authenticator(&self, data: &[u8]) -> Result<(), Problem> {
        let wrong = |what: &str| Problem::forbidden(format!("passkey: {what}"));
        let (Some(host), Some(flags)) = (data.get(..32), data.get(32)) else {
            return Err(wrong("not authenticator data"));
        };
        if !secret::is_equal(host, &secret::hash(&self.host)) {
            return Err(wrong("made for another host"));
        }
        match flags & PRESENT != 0 && flags & RECOGNISED != 0 {
            true => Ok(()),
            false => Err(wrong("nobody was recognised at the authenticator")),
        }
    }

    fn check(&self, proof: &Proof, key: &[u8], challenge: &[u8]) -> Result<(), Problem> {
        self.check_client(&proof.client_data, "webauthn.get", challenge)?;
        self.check_authenticator(&proof.authenticator_data)?;
        let mut signed = proof.authenticator_data.clone();
        signed.extend_from_slice(&Sha256::digest(&proof.client_data));
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key)
            .verify(&signed, &proof.signature)
            .map_err(|_| Problem::forbidden("passkey: the signature is wrong"))
    }
}

/// Passkeys that are being added: approver and time by challenge.
#[derive(Default)]
pub struct Begun(Mutex<HashMap<[u8; 32], (String, Instant)>>);

impl Begun {
    fn add(&self, name: &str) -> Result<[u8; 32], Problem> {
        let challenge = secret::random().map_err(Problem::internal)?;
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        begun.retain(|_, (_, at)| at.elapsed() < LIFE);
        if begun.len() >= MAX_BEGUN {
            return Err(Problem::busy("too many passkeys are being added", 60));
        }
        begun.insert(challenge, (name.to_owned(), Instant::now()));
        Ok(challenge)
    }

    /// Uses a challenge up. Returns true if it was handed to this approver, and not too long ago.
    fn take(&self, name: &str, challenge: &[u8]) -> bool {
        let Ok(challenge) = <[u8; 32]>::try_from(challenge) else { return false };
        let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = begun.remove(&challenge);
        found.is_some_and(|(owner, at)| owner == name && at.elapsed() < LIFE)
    }
}

/// A decision on a question that may be carried out: it needs no passkey, or has its signature.
#[derive(Debug)]
pub struct Proven {
    question: String,
    decided: Decided,
}

impl Proven {
    /// Returns the question and the decision.
    pub(crate) fn into_parts(self) -> (String, Decided) {
        (self.question, self.decided)
    }
}

/// Decisions on questions, by the ids of the questions.
pub type Decisions = [(String, Decided)];

/// Returns the challenge of a decision: it stands for the questions, their seals and the decisions.
fn challenge(decided: &Decisions) -> [u8; 32] {
    let one = |(question, decided): &(String, Decided)| {
        let decision = |decision: &Option<(Capability, Span)>| match decision {
            Some((capability, span)) => json!([capability.to_string(), span.name()]),
            None => Json::Null,
        };
        let decisions: Vec<_> = decided.decisions.iter().map(decision).collect();
        json!([question, decided.seal, decisions])
    };
    let all: Vec<_> = decided.iter().map(one).collect();
    secret::hash(&json!(["cofferdam decision", all]).to_string())
}

/// Returns true if a grant is one that passkeys are for.
pub fn is_grave(capability: &Capability, span: Span) -> bool {
    span == Span::Always || level(Risk::of(capability).level) == "high"
}

impl Server {
    fn party(&self) -> Result<Party, Problem> {
        let origin = self.url().to_owned();
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host).to_owned();
        // Browsers take names alone.
        match host.is_empty() || host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok() {
            true => Err(Problem::forbidden("passkeys need a host name; set url")),
            false => Ok(Party { host, origin }),
        }
    }

    /// Returns true if a decision on questions needs a passkey.
    fn needs_passkey(&self, decided: &Decisions) -> bool {
        let is_high = |question: &str, capability: &Capability| {
            let (shown, name) = (self.board().get(question), capability.to_string());
            let wishes = shown.iter().flat_map(|shown| &shown.wishes);
            let mut choices = wishes.flat_map(|wish| &wish.choices);
            choices.any(|choice| choice.capability == name && choice.risk == "high")
        };
        self.settings().passkeys
            && decided.iter().any(|(question, one)| {
                one.decisions.iter().flatten().any(|(capability, span)| {
                    is_grave(capability, *span) || is_high(question, capability)
                })
            })
    }

    /// Describes the signature that a decision needs: null if it needs none.
    pub fn wanted_passkey(
        &self,
        approver: &Approver,
        decided: &Decisions,
    ) -> Result<Json, Problem> {
        if !self.needs_passkey(decided) {
            return Ok(json!({ "passkey": null }));
        }
        let allow = self.allowed(approver)?;
        Ok(json!({ "passkey": {
            "challenge": encoded(&challenge(decided)), "host": self.party()?.host, "allow": allow,
        } }))
    }

    /// Checks the signature of a decision on questions, if it needs one. Only a decision that was
    /// checked here can be carried out.
    // T-SERVE-009.
    pub fn prove(
        &self,
        approver: &Approver,
        decided: Vec<(String, Decided)>,
        proof: Option<&Proof>,
    ) -> Result<Vec<Proven>, Problem> {
        if self.needs_passkey(&decided) {
            self.allowed(approver)?;
            self.check_signature(approver, proof, &challenge(&decided))?;
        }
        let proven = |(question, decided)| Proven { question, decided };
        Ok(decided.into_iter().map(proven).collect())
    }

    fn allowed(&self, approver: &Approver) -> Result<Vec<String>, Problem> {
        let own = self.store().passkeys(&approver.name)?;
        match own.is_empty() {
            true => Err(Problem::new(
                StatusCode::FORBIDDEN,
                "no-passkey",
                "this decision needs a passkey; add one on the page Passkeys",
            )),
            false => Ok(own.iter().map(|passkey| encoded(&passkey.id)).collect()),
        }
    }

    fn check_signature(
        &self,
        approver: &Approver,
        proof: Option<&Proof>,
        challenge: &[u8],
    ) -> Result<(), Problem> {
        let proof = proof.ok_or_else(|| {
            let detail = "this decision needs the signature of a passkey";
            Problem::new(StatusCode::FORBIDDEN, "passkey-needed", detail)
        })?;
        let own = self.store().passkeys(&approver.name)?;
        let found = own.iter().find(|passkey| passkey.id == proof.id);
        let passkey = found.ok_or_else(|| Problem::forbidden("passkey: not one of yours"))?;
        self.party()?.check(proof, &passkey.key, challenge)
    }

    /// Refuses a grant without a question if it is one that passkeys are for: a signature is bound
    /// to a question.
    pub fn check_without_passkey(
        &self,
        capability: &Capability,
        span: Span,
    ) -> Result<(), Problem> {
        match self.settings().passkeys && is_grave(capability, span) {
            true => Err(Problem::forbidden(
                "this grant needs a passkey, so it answers a question; or use cofferdam grant",
            )),
            false => Ok(()),
        }
    }

    /// Begins to add a passkey.
    pub fn begin_passkey(&self, approver: &Approver) -> Result<Json, Problem> {
        let own = self.store().passkeys(&approver.name)?;
        let ids: Vec<_> = own.iter().map(|passkey| encoded(&passkey.id)).collect();
        Ok(json!({
            "challenge": encoded(&self.begun_passkeys().add(&approver.name)?),
            "host": self.party()?.host,
            "user": encoded(&secret::hash(&approver.name)[..16]),
            "name": &*approver.name,
            "allow": ids,
        }))
    }

    /// Adds a passkey. Every one but the first needs the signature of an earlier one, so that a
    /// stolen cookie adds none.
    pub fn add_passkey(
        &self,
        approver: &Approver,
        mut fields: Map<String, Json>,
    ) -> Result<(), Problem> {
        let names =
            ["id", "publicKey", "clientDataJSON", "authenticatorData", "challenge", "passkey"];
        check_known(&fields, &names)?;
        let challenge = decoded(&mut fields, "challenge")?;
        if !self.begun_passkeys().take(&approver.name, &challenge) {
            return Err(Problem::conflict("stale", "passkey: begin again"));
        }
        let own = self.store().passkeys(&approver.name)?;
        if own.len() >= MAX_PASSKEYS {
            return Err(Problem::conflict("full", "passkey: there are too many already"));
        }
        if !own.is_empty() {
            let proof = fields.remove("passkey").map(Proof::parse).transpose()?;
            self.check_signature(approver, proof.as_ref(), &challenge)?;
        }
        let (id, key) = (decoded(&mut fields, "id")?, decoded(&mut fields, "publicKey")?);
        let key = key.strip_prefix(&SPKI_P256).filter(|point| point.len() == 65);
        let key = key.ok_or_else(|| Problem::params("publicKey: not one of the curve P-256"))?;
        let party = self.party()?;
        let client_data = decoded(&mut fields, "clientDataJSON")?;
        party.check_client(&client_data, "webauthn.create", &challenge)?;
        party.check_authenticator(&decoded(&mut fields, "authenticatorData")?)?;
        let passkey = Passkey {
            id,
            name: approver.name.to_string(),
            key: key.to_vec(),
            at: Timestamp::now(),
        };
        match self.store().add_passkey(&passkey)? {
            true => Ok(()),
            false => Err(Problem::conflict("taken", "passkey: is known already")),
        }
    }
}
