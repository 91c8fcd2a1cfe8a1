//! Sending a request of the program, behind a permit.

use std::sync::Mutex;

use cofferdam_broker::{Action, Particulars, Permit};
use cofferdam_caps::Request;
use cofferdam_caps::network::{FetchUrl, Method};
use cofferdam_net::{
    Authority, Client, Fetch, FetchError, Later, NotAuthorised, Passage, Redirect, Response,
};

use crate::lock;

/// Sending one HTTP request.
pub(super) struct SendRequest {
    fetch: Fetch,
}

impl SendRequest {
    /// Names a request. Redirects are for the program to follow: each is a request of its own.
    pub(super) fn new(mut fetch: Fetch) -> Self {
        fetch.redirect = Redirect::Manual;
        SendRequest { fetch }
    }
}

impl Action for SendRequest {
    fn request(&self) -> Request {
        Request::Network { method: self.fetch.method.clone(), url: self.fetch.url.clone() }
    }

    fn particulars(&self) -> Particulars {
        Particulars::of_fetch(&self.fetch.url, self.fetch.body.shown_size().as_deref())
    }
}

/// Sends a permitted request.
pub(super) async fn send(
    client: &Client,
    permit: Permit<SendRequest>,
) -> Result<Response, FetchError> {
    let authority = Once(Mutex::new(Some(passage(&permit))));
    client.fetch(permit.into_action().fetch, &authority).await
}

/// Allows the one request that was permitted.
struct Once(Mutex<Option<Passage>>);

impl Authority for Once {
    fn allow<'a>(
        &'a self,
        _: &'a Method,
        _: &'a FetchUrl,
    ) -> Later<'a, Result<Passage, NotAuthorised>> {
        let passage = lock(&self.0).take();
        Box::pin(async move { passage.ok_or_else(|| NotAuthorised::new("one request only")) })
    }
}

// T-NAT-011: the secret of a grant, which never enters the sandbox.
/// Returns what a permit adds to its request: secret headers, and private addresses.
fn passage(permit: &Permit<SendRequest>) -> Passage {
    Passage::new(permit.headers().expose(), permit.reaches_private_addresses())
}
