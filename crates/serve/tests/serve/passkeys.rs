//! Passkeys, with an authenticator in the test.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cofferdam_serve::Settings;
use hyper::StatusCode;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::fixture::{Answer, Fixture, Folder, settings, start};

/// A person is present, and was recognised.
const SEEN: u8 = 0x05;

/// An authenticator with one key.
struct Authenticator {
    key: EcdsaKeyPair,
    id: Vec<u8>,
}

impl Authenticator {
    fn new(id: &str) -> Self {
        let random = SystemRandom::new();
        let kind = &ECDSA_P256_SHA256_ASN1_SIGNING;
        let made = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(kind, made.as_ref(), &random).unwrap();
        Authenticator { key, id: id.as_bytes().to_vec() }
    }

    /// Describes the key as a browser does that has just made it.
    fn made(&self, challenge: &str, origin: &str) -> Json {
        let mut spki = vec![0x30, 0x59, 0x30, 0x13, 6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1, 6, 8];
        spki.extend([0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7, 3, 0x42, 0]);
        spki.extend_from_slice(self.key.public_key().as_ref());
        json!({
            "challenge": challenge,
            "id": encoded(&self.id),
            "publicKey": encoded(&spki),
            "clientDataJSON": encoded(&client_data("webauthn.create", challenge, origin)),
            "authenticatorData": encoded(&authenticator_data("localhost", SEEN)),
        })
    }

    fn signed(&self, challenge: &str, origin: &str, host: &str, flags: u8) -> Json {
        let client = client_data("webauthn.get", challenge, origin);
        let data = authenticator_data(host, flags);
        let message = [data.as_slice(), &Sha256::digest(&client)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &message).unwrap();
        json!({
            "id": encoded(&self.id),
            "clientDataJSON": encoded(&client),
            "authenticatorData": encoded(&data),
            "signature": encoded(signature.as_ref()),
        })
    }
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn client_data(kind: &str, challenge: &str, origin: &str) -> Vec<u8> {
    json!({ "type": kind, "challenge": challenge, "origin": origin }).to_string().into_bytes()
}

fn authenticator_data(host: &str, flags: u8) -> Vec<u8> {
    let mut data = Sha256::digest(host).to_vec();
    data.extend([flags, 0, 0, 0, 0]);
    data
}

async fn careful() -> Fixture {
    start(Settings { passkeys: true, ..settings() }, Folder::new()).await
}

async fn post(fixture: &Fixture, cookie: &str, path: &str, body: &Json) -> Answer {
    fixture.post(path, body).cookie(cookie).origin(fixture.server.url()).send().await
}

/// Adds a passkey; `earlier` signs that.
async fn add(
    fixture: &Fixture,
    cookie: &str,
    one: &Authenticator,
    earlier: Option<&Authenticator>,
) -> StatusCode {
    let begun = post(fixture, cookie, "/passkeys/challenge", &json!({})).await;
    let begun = begun.json(StatusCode::OK).await;
    let (challenge, origin) = (begun["challenge"].as_str().unwrap(), fixture.server.url());
    let mut made = one.made(challenge, origin);
    if let Some(earlier) = earlier {
        made["passkey"] = earlier.signed(challenge, origin, "localhost", SEEN);
    }
    let added = post(fixture, cookie, "/passkeys", &made).await.status();
    // A challenge is good once.
    assert_ne!(post(fixture, cookie, "/passkeys", &made).await.status(), StatusCode::CREATED);
    added
}

/// Begins a run that asks to read a file, and returns the question.
async fn asked(fixture: &Fixture, cookie: &str) -> Json {
    let code = "return await require('fs').promises.readFile('/data/a', 'utf8')";
    let params = json!({ "kind": "js", "code": code, "files": { "/data/a": "x" } });
    let run = fixture.post("/v1/exec", &params).token(&fixture.token);
    run.header("prefer", "respond-async").send().await;
    fixture.question(cookie).await
}

/// T-SERVE-009.
#[tokio::test(flavor = "multi_thread")]
async fn a_grave_decision_needs_a_signature_for_exactly_it() {
    let fixture = careful().await;
    let cookie = fixture.sign_in().await;
    let question = asked(&fixture, &cookie).await;
    let path = format!("/v1/questions/{}", question["question"].as_str().unwrap());
    let (decision, wanted) = (format!("{path}/decision"), format!("{path}/challenge"));
    let always = json!({ "seal": question["seal"], "allow": true, "span": "always" });
    let refused = post(&fixture, &cookie, &decision, &always).await;
    let refused = refused.json(StatusCode::FORBIDDEN).await;
    assert_eq!(refused["code"], "no-passkey", "{refused}");
    let own = Authenticator::new("own");
    assert_eq!(add(&fixture, &cookie, &own, None).await, StatusCode::CREATED);
    let refused = post(&fixture, &cookie, &decision, &always).await;
    assert_eq!(refused.json(StatusCode::FORBIDDEN).await["code"], "passkey-needed");
    let asks = post(&fixture, &cookie, &wanted, &always).await.json(StatusCode::OK).await;
    let challenge = asks["passkey"]["challenge"].as_str().unwrap();
    let origin = fixture.server.url();
    let once = json!({ "seal": question["seal"], "allow": true, "span": "once" });
    let less = post(&fixture, &cookie, &wanted, &once).await.json(StatusCode::OK).await;
    assert!(less["passkey"].is_null(), "{less}");
    let stranger = Authenticator::new("own");
    let other = encoded(&[1; 32]);
    for (proof, why) in [
        (stranger.signed(challenge, origin, "localhost", SEEN), "another key"),
        (own.signed(&other, origin, "localhost", SEEN), "another decision"),
        (own.signed(challenge, "https://evil.example", "localhost", SEEN), "another site"),
        (own.signed(challenge, origin, "evil.example", SEEN), "another host"),
        (own.signed(challenge, origin, "localhost", 0x01), "nobody recognised"),
        (Authenticator::new("x").signed(challenge, origin, "localhost", SEEN), "unknown key"),
    ] {
        let mut body = always.clone();
        body["passkey"] = proof;
        let answer = post(&fixture, &cookie, &decision, &body).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{why}");
    }
    // A signature for one scope is not one for a wider scope.
    let proof = own.signed(challenge, origin, "localhost", SEEN);
    let wider = json!({ "seal": question["seal"], "passkey": proof, "decisions": [
        { "capability": "fs:read:/data/**", "span": "always" }] });
    let answer = post(&fixture, &cookie, &decision, &wider).await;
    assert_eq!(answer.status(), StatusCode::FORBIDDEN);
    assert!(fixture.server.broker().grants().unwrap().is_empty());
    let mut body = always.clone();
    body["passkey"] = proof;
    assert_eq!(post(&fixture, &cookie, &decision, &body).await.status(), StatusCode::OK);
    assert_eq!(fixture.server.broker().grants().unwrap().len(), 1);
}

/// T-SERVE-009.
#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_cookie_adds_no_passkey() {
    let fixture = careful().await;
    let cookie = fixture.sign_in().await;
    let (own, thief) = (Authenticator::new("own"), Authenticator::new("thief"));
    assert_eq!(add(&fixture, &cookie, &own, None).await, StatusCode::CREATED);
    assert_eq!(add(&fixture, &cookie, &thief, None).await, StatusCode::FORBIDDEN);
    assert_eq!(add(&fixture, &cookie, &thief, Some(&thief)).await, StatusCode::FORBIDDEN);
    let second = Authenticator::new("second");
    assert_eq!(add(&fixture, &cookie, &second, Some(&own)).await, StatusCode::CREATED);
}

#[tokio::test(flavor = "multi_thread")]
async fn grants_without_a_question_do_not_go_around_the_passkey() {
    let fixture = careful().await;
    let cookie = fixture.sign_in().await;
    let always = json!({ "capability": "fs:read:/data/a", "span": "always" });
    let answer = post(&fixture, &cookie, "/v1/grants", &always).await;
    assert_eq!(answer.status(), StatusCode::FORBIDDEN);
}
