//! Agents and approvers: who sent a request.
//!
//! The two never mix. A route takes an [`Agent`] or an [`Approver`], and a request that carries a
//! token cannot become an approver, whatever cookies it has.
//!
//! Meets T-SERVE-001.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use cofferdam::Capability;
use cofferdam::permissions::Timestamp;
use cofferdam_store::Credential;

use crate::problem::Problem;
use crate::secret;
use crate::server::Server;
use crate::settings::Settings;

/// Name of the cookie of approvers.
pub const COOKIE: &str = "cofferdam_approver";

/// A client that runs things and never decides.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Id of its token.
    pub id: Arc<str>,
    /// Name that a person gave it.
    pub name: Arc<str>,
    /// Capabilities that its sandboxes may begin with.
    pub capabilities: Arc<[Capability]>,
}

/// A person who decides. Made from a cookie, or where the operator allows it from a form.
#[derive(Debug, Clone)]
pub struct Approver {
    /// Name that decisions are recorded with.
    pub name: Arc<str>,
}

impl Approver {
    /// Returns the approver that a form in an agent's client stands for, if the operator allows
    /// forms. Its name marks the decision in the audit log and in grants.
    // T-MCP-003: nothing else makes an approver without a cookie.
    pub(crate) fn of_form(settings: &Settings, agent: &Agent) -> Option<Self> {
        let name = format!("a form in the client of {}", agent.name);
        settings.mcp_forms.then(|| Approver { name: name.into() })
    }
}

/// A client that may see something: an agent its own part, an approver everything.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each variant is its name")]
pub enum Caller {
    Agent(Agent),
    Approver(Approver),
}

impl Caller {
    /// Returns true if the caller may see what belongs to this agent.
    pub fn sees(&self, agent: &str) -> bool {
        match self {
            Caller::Agent(own) => &*own.id == agent,
            Caller::Approver(_) => true,
        }
    }
}

impl From<cofferdam_store::Agent> for Agent {
    fn from(agent: cofferdam_store::Agent) -> Self {
        Agent {
            id: agent.id.into(),
            name: agent.name.into(),
            capabilities: agent.capabilities.into(),
        }
    }
}

impl Server {
    /// Returns the agent with this token.
    pub fn agent(&self, token: &str) -> Result<Option<Agent>, Problem> {
        let found = self.store().agent_by_token(&secret::hash(token))?;
        Ok(found.map(Agent::from))
    }

    /// Returns the agent of a request by its `Authorization` header.
    pub fn agent_of(&self, headers: &HeaderMap) -> Result<Agent, Problem> {
        let Some(value) = headers.get(header::AUTHORIZATION) else {
            return Err(Problem::unauthorised(
                "no token; send Authorization: Bearer TOKEN (cofferdam token create --name NAME)",
            ));
        };
        let token = value.to_str().ok().and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        let token =
            token.ok_or_else(|| Problem::unauthorised("Authorization: not a bearer token"))?;
        self.agent(token)?.ok_or_else(|| Problem::unauthorised("the token is unknown or revoked"))
    }

    /// Returns the approver of a request by its cookie.
    pub fn approver_of(&self, headers: &HeaderMap) -> Result<Approver, Problem> {
        if headers.contains_key(header::AUTHORIZATION) {
            return Err(Problem::forbidden("an agent never decides; sign in to the console"));
        }
        let none = || Problem::unauthorised("sign in first: cofferdam login");
        let value = cookie(headers).ok_or_else(none)?;
        let hash = secret::hash(value);
        let found = self.store().credential(Credential::Cookie, &hash, Timestamp::now())?;
        let name = found.ok_or_else(none)?;
        Ok(Approver { name: name.into() })
    }
}

/// Returns the value of the approver's cookie.
pub fn cookie(headers: &HeaderMap) -> Option<&str> {
    let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = pairs.flat_map(|value| value.split(';')).map(str::trim);
    pairs.find_map(|pair| pair.strip_prefix(COOKIE)?.strip_prefix('='))
}

impl FromRequestParts<Server> for Agent {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Problem> {
        server.agent_of(&parts.headers)
    }
}

impl FromRequestParts<Server> for Approver {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Problem> {
        let approver = server.approver_of(&parts.headers)?;
        // `guard` has checked the value of Origin. A browser always sends it with a request that
        // changes something, so one without it does not come from the console.
        // T-SERVE-003: a page of another site that decides.
        let is_reading = matches!(parts.method, Method::GET | Method::HEAD);
        if !is_reading && !parts.headers.contains_key(header::ORIGIN) {
            return Err(Problem::forbidden("Origin: missing"));
        }
        Ok(approver)
    }
}

impl FromRequestParts<Server> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, server: &Server) -> Result<Self, Problem> {
        match parts.headers.contains_key(header::AUTHORIZATION) {
            true => Ok(Caller::Agent(server.agent_of(&parts.headers)?)),
            false => Ok(Caller::Approver(Approver::from_request_parts(parts, server).await?)),
        }
    }
}
