//! The frame around every page, the person who looks at it, and pages for refusals.

use askama::Template;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use super::words;
use crate::identity::Approver;
use crate::problem::Problem;
use crate::server::Server;

/// The frame around a page.
pub(super) struct Frame {
    pub(super) title: String,
    pub(super) page: Page,
    /// Name of the approver; `None` before signing in.
    pub(super) person: Option<String>,
    /// Number of questions that wait.
    pub(super) waiting: usize,
    /// True if grave decisions need a passkey.
    pub(super) has_passkeys: bool,
    /// Result of the form that led here.
    pub(super) notice: Option<&'static str>,
}

/// A page of the console, as the navigation names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Page {
    Inbox,
    Request,
    Runs,
    Run,
    Sandboxes,
    Tools,
    Grants,
    Audit,
    Passkeys,
    Login,
    Refused,
}

impl Page {
    /// Returns the word for the page, which the script reads.
    pub(super) fn name(self) -> &'static str {
        match self {
            Page::Inbox => "inbox",
            Page::Request => "request",
            Page::Runs => "runs",
            Page::Run => "run",
            Page::Sandboxes => "sandboxes",
            Page::Tools => "tools",
            Page::Grants => "grants",
            Page::Audit => "audit",
            Page::Passkeys => "passkeys",
            Page::Login => "login",
            Page::Refused => "refused",
        }
    }
}

/// One entry of the navigation.
pub(super) struct Entry {
    pub(super) path: &'static str,
    pub(super) name: &'static str,
    pub(super) is_here: bool,
}

impl Frame {
    /// Creates the frame of a page.
    pub(super) fn new(server: &Server, person: &Person, page: Page, title: &str) -> Self {
        Frame {
            title: title.to_owned(),
            page,
            person: Some(words::text(&person.0.name)),
            waiting: server.board().open().len(),
            has_passkeys: server.settings().passkeys,
            notice: None,
        }
    }

    /// Creates the frame of a page for somebody who is not signed in.
    pub(super) fn outside(page: Page, title: &str) -> Self {
        Frame {
            title: title.to_owned(),
            page,
            person: None,
            waiting: 0,
            has_passkeys: false,
            notice: None,
        }
    }

    /// Adds the result of the form that led here, by its word in the address.
    pub(super) fn said(mut self, word: Option<&str>) -> Self {
        self.notice = match word {
            Some("allowed") => Some("Allowed. The run goes on."),
            Some("denied") => Some("Denied. The agent was told."),
            Some("kept") => Some("Allowed from the next run on."),
            Some("revoked") => Some("Revoked. The next check finds nothing."),
            Some("removed") => Some("Removed, with all versions."),
            Some("cancelled") => Some("The run was told to stop."),
            Some("out") => Some("You are signed out."),
            Some(_) | None => None,
        };
        self
    }

    /// Returns the entries of the navigation.
    pub(super) fn entries(&self) -> [Entry; 6] {
        let entry =
            |path, name, pages: &[Page]| Entry { path, name, is_here: pages.contains(&self.page) };
        [
            entry("/", "Inbox", &[Page::Inbox, Page::Request]),
            entry("/runs", "Runs", &[Page::Runs, Page::Run]),
            entry("/sandboxes", "Sandboxes", &[Page::Sandboxes]),
            entry("/tools", "Tools", &[Page::Tools]),
            entry("/grants", "Grants", &[Page::Grants]),
            entry("/audit", "Audit", &[Page::Audit]),
        ]
    }
}

/// Renders a page.
pub(super) fn page(template: &impl Template) -> Response {
    match template.render() {
        Ok(html) => {
            let media = HeaderValue::from_static("text/html; charset=utf-8");
            ([(header::CONTENT_TYPE, media)], html).into_response()
        }
        Err(error) => Problem::internal(error).into_response(),
    }
}

/// An approver who looks at a page. Anybody else is shown how to sign in.
pub(super) struct Person(pub(super) Approver);

impl FromRequestParts<Server> for Person {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Response> {
        let problem = match Approver::from_request_parts(parts, server).await {
            Ok(approver) => return Ok(Person(approver)),
            Err(problem) => problem,
        };
        let is_reading = matches!(parts.method, Method::GET | Method::HEAD);
        if is_reading && problem.status() == StatusCode::UNAUTHORIZED {
            let path = parts.uri.path();
            let to = match path {
                "/" => "/login".to_owned(),
                path => format!("/login?to={}", words::encoded(path)),
            };
            return Err(Redirect::to(&to).into_response());
        }
        Err(Refused::from(problem).into_response())
    }
}

/// A refusal, as a page.
pub(super) struct Refused {
    problem: Box<Problem>,
    /// Page to go on with.
    back: &'static str,
}

impl<E: Into<Problem>> From<E> for Refused {
    fn from(problem: E) -> Self {
        Refused { problem: Box::new(problem.into()), back: "/" }
    }
}

impl Refused {
    /// Sets the page to go on with.
    pub(super) fn back(mut self, path: &'static str) -> Self {
        self.back = path;
        self
    }
}

#[derive(Template)]
#[template(path = "refused.html")]
struct RefusedPage<'a> {
    frame: Frame,
    title: &'a str,
    detail: String,
    back: &'static str,
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = self.problem.status();
        let title = match status {
            StatusCode::NOT_FOUND => "Not here",
            StatusCode::CONFLICT => "Not decided",
            StatusCode::UNAUTHORIZED => "Sign in first",
            StatusCode::FORBIDDEN => "Refused",
            _ => "That did not work",
        };
        let frame = Frame::outside(Page::Refused, title);
        let detail = words::sentence(self.problem.detail());
        let mut response = page(&RefusedPage { frame, title, detail, back: self.back });
        *response.status_mut() = status;
        response
    }
}
