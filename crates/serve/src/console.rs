//! The console: pages on which a person sees what agents ask for, and decides.
//!
//! Pages are rendered here and work without JavaScript; `assets/console.js` keeps them up to date.
//! Forms are taken on these routes only, and each needs the approver's cookie and an `Origin`.
//! Text from agents is escaped twice: [`words`] makes hidden characters visible, and the templates
//! escape markup.
//!
//! In reading order:
//!
//! - [`frame`]: the frame around every page, and pages for refusals
//! - [`words`]: times, texts and names for people
//! - [`asked`]: a question as a page shows it; [`earlier`]: decisions that came before
//! - [`inbox`]: questions that wait; [`answering`]: decisions on them
//! - [`runs`], [`sandboxes`], [`tools`], [`grants`], [`audit`]: one page each
//! - [`difference`]: lines that changed between two versions of a tool
//! - [`login`]: signing in and out; [`passkeys`]: adding a passkey
//! - [`assets`]: style, script and icon
//!
//! Meets T-SERVE-020.

mod answering;
mod asked;
mod assets;
mod audit;
mod difference;
mod earlier;
mod frame;
mod grants;
mod inbox;
mod login;
mod passkeys;
mod runs;
mod sandboxes;
mod tools;
mod words;

use axum::Router;
use axum::routing::{get, post};

use crate::server::Server;

/// Returns the routes of the console.
pub fn routes() -> Router<Server> {
    Router::new()
        .route("/", get(inbox::inbox))
        .route("/requests/{question}", get(inbox::request))
        .route("/answer", post(answering::answer))
        .route("/answer/challenge", post(answering::challenge))
        .route("/passkeys", get(passkeys::list).post(passkeys::add))
        .route("/passkeys/challenge", post(passkeys::challenge))
        .route("/earlier/{request}", post(answering::recorded))
        .route("/runs", get(runs::list))
        .route("/runs/{id}", get(runs::show))
        .route("/runs/{id}/cancel", post(runs::cancel))
        .route("/sandboxes", get(sandboxes::list))
        .route("/sandboxes/{id}/files", get(sandboxes::root))
        .route("/sandboxes/{id}/files/{*path}", get(sandboxes::files))
        .route("/tools", get(tools::list))
        .route("/tools/{owner}/{name}", get(tools::show))
        .route("/tools/{owner}/{name}/remove", post(tools::remove))
        .route("/grants", get(grants::list))
        .route("/grants/{id}/revoke", post(grants::revoke))
        .route("/audit", get(audit::list))
        .route("/login", get(login::form).post(login::sign_in))
        .route("/logout", post(login::sign_out))
        .merge(assets::routes())
}
