//! Routes with their descriptions: the router and the OpenAPI document are made from one list, so
//! that they cannot differ.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, on};
use cofferdam_front::fields::{self, Field};
use serde_json::{Map, Value as Json, json};

use crate::server::Server;

/// The party that may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Everybody.
    Anyone,
    /// Agents, with a token.
    Agent,
    /// Approvers, with a cookie.
    Approver,
    /// Both; an agent sees its own part.
    Both,
}

/// Content of a request or of an answer.
#[derive(Debug, Clone, Copy)]
pub enum Content {
    /// Nothing.
    Nothing,
    /// A JSON object with these fields.
    Object(&'static [Field]),
    /// A JSON object whose fields are those of both lists.
    Objects(&'static [Field], &'static [Field]),
    /// Raw bytes.
    Bytes,
    /// Text.
    Text,
}

/// Description of a route.
#[derive(Debug, Clone)]
pub struct Described {
    method: Method,
    path: &'static str,
    about: &'static str,
    who: Who,
    query: &'static [Field],
    body: Content,
    answer: Content,
    status: u16,
    events: Option<&'static str>,
    most: Option<usize>,
}

/// Begins the description of a route that takes nothing and returns an object.
pub fn route(method: Method, path: &'static str, about: &'static str, who: Who) -> Described {
    let (query, events, most): (&[Field], _, _) = (&[], None, None);
    let (body, answer, status) = (Content::Nothing, Content::Object(&[]), 200);
    Described { method, path, about, who, query, body, answer, status, events, most }
}

impl Described {
    /// Sets the parameters in the query.
    pub fn query(mut self, query: &'static [Field]) -> Self {
        self.query = query;
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: Content) -> Self {
        self.body = body;
        self
    }

    /// Sets status and content of the answer.
    pub fn answer(mut self, status: u16, answer: Content) -> Self {
        (self.status, self.answer) = (status, answer);
        self
    }

    /// Says that the route returns a stream of these events, or does if it is asked to.
    pub fn events(mut self, names: &'static str) -> Self {
        self.events = Some(names);
        self
    }

    /// Sets the longest body, if it is not that of all routes.
    pub fn most(mut self, bytes: usize) -> Self {
        self.most = Some(bytes);
        self
    }

    fn to_json(&self) -> Json {
        let media = |content: Content| match content {
            Content::Nothing => None,
            Content::Object(fields) => Some(("application/json", pointed(fields::object(fields)))),
            Content::Objects(one, other) => {
                let both: Vec<Field> = one.iter().chain(other).copied().collect();
                Some(("application/json", pointed(fields::object(&both))))
            }
            Content::Bytes => {
                Some(("application/octet-stream", json!({ "type": "string", "format": "binary" })))
            }
            Content::Text => Some(("text/plain", json!({ "type": "string" }))),
        };
        let mut answer = Map::new();
        if let Some((media, schema)) = media(self.answer) {
            answer.insert(media.into(), json!({ "schema": schema }));
        }
        if let Some(names) = self.events {
            let schema = json!({ "type": "string", "description": format!("events: {names}") });
            answer.insert("text/event-stream".into(), json!({ "schema": schema }));
        }
        let mut object = json!({
            "summary": self.about,
            "operationId": self.operation(),
            "responses": {
                self.status.to_string(): { "description": self.about, "content": answer },
                "default": { "$ref": "#/components/responses/Problem" },
            },
        });
        let in_path = self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        let mut parameters: Vec<Json> = in_path
            .map(|name| {
                let name = name.trim_start_matches('*');
                json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
            })
            .collect();
        parameters.extend(self.query.iter().map(|(name, schema, _)| {
            json!({ "name": name, "in": "query", "schema": fields::parse(schema) })
        }));
        if !parameters.is_empty() {
            object["parameters"] = parameters.into();
        }
        if let Some((media, schema)) = media(self.body) {
            object["requestBody"] = json!({ "content": { media: { "schema": schema } } });
        }
        let schemes: &[&str] = match self.who {
            Who::Anyone => &[],
            Who::Agent => &["agent"],
            Who::Approver => &["approver"],
            Who::Both => &["agent", "approver"],
        };
        object["security"] =
            schemes.iter().map(|scheme| json!({ *scheme: [] })).collect::<Vec<_>>().into();
        object
    }

    /// Returns a name for the route: `post_v1_runs_id`.
    fn operation(&self) -> String {
        let path = self.path.replace(['{', '}', '*'], "").replace('/', "_");
        format!("{}{path}", self.method.as_str().to_ascii_lowercase())
    }
}

/// Points references to shared types at their place in the document.
fn pointed(schema: Json) -> Json {
    let text = schema.to_string().replace("#/$defs/", "#/components/schemas/");
    serde_json::from_str(&text).unwrap_or(schema)
}

/// Routes and their descriptions.
#[derive(Default)]
pub struct Routes {
    router: Router<Server>,
    described: Vec<Described>,
}

impl Routes {
    /// Adds a route.
    pub fn add<H, T>(mut self, described: Described, handler: H) -> Self
    where
        H: Handler<T, Server>,
        T: 'static,
    {
        // Every method of a description has a filter.
        let filter =
            MethodFilter::try_from(described.method.clone()).unwrap_or(MethodFilter::TRACE);
        let mut handlers = on(filter, handler);
        if let Some(most) = described.most {
            handlers = handlers.layer(DefaultBodyLimit::max(most));
        }
        self.router = self.router.route(described.path, handlers);
        self.described.push(described);
        self
    }

    /// Adds the routes of another list.
    pub fn merge(mut self, other: Routes) -> Self {
        self.router = self.router.merge(other.router);
        self.described.extend(other.described);
        self
    }

    /// Returns the router and the OpenAPI document.
    pub fn split(self) -> (Router<Server>, Json) {
        let document = document(&self.described);
        (self.router, document)
    }
}

/// Returns the shared types, and the outcome of a run.
fn schemas() -> Json {
    let mut schemas = pointed(fields::parse(fields::DEFINITIONS));
    schemas["Outcome"] = pointed(fields::object(fields::OUTCOME));
    schemas
}

fn document(described: &[Described]) -> Json {
    let mut paths = Map::new();
    for one in described {
        let path = one.path.replace("{*", "{");
        let entry = paths.entry(path).or_insert_with(|| json!({}));
        entry[one.method.as_str().to_ascii_lowercase()] = one.to_json();
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Cofferdam",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Runs untrusted code; a person decides what it may do.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {
                "agent": { "type": "http", "scheme": "bearer" },
                "approver": { "type": "apiKey", "in": "cookie", "name": crate::identity::COOKIE },
            },
            "responses": {
                "Problem": {
                    "description": "The request was refused or failed.",
                    "content": { "application/problem+json": { "schema": {
                        "type": "object",
                        "properties": {
                            "type": { "type": "string" },
                            "title": { "type": "string" },
                            "status": { "type": "integer" },
                            "code": { "type": "string" },
                            "detail": { "type": "string" },
                        },
                        "required": ["type", "title", "status", "code", "detail"],
                    } } },
                },
            },
        },
    })
}
