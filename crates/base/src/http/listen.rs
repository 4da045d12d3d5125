//! The call by which a browser listens to a topic.

use std::collections::BTreeMap;

use axum::routing::get;
use http::HeaderMap;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{ContentBuilder, HttpMethod, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, PartialSchema as _};

use super::DomainRouter;
use super::described::Described;
use super::events::stream;
use super::ops::OpCtx;
use crate::topic::Topic;

/// The access table of the stream of `topic`.
#[must_use]
pub fn routes(topic: Topic) -> DomainRouter {
    let Topic { name, about, need } = topic;
    let listen = move |ctx: OpCtx, headers: HeaderMap| async move { stream(ctx, topic, &headers) };
    let call = Described::new(name, format!("{name}_events"), about)
        .params(vec![last_event()])
        .answers::<EventStream>()
        .at(HttpMethod::Get, &format!("/api/{name}/v1/events"), get(listen));
    DomainRouter::new().view(need, call)
}

fn last_event() -> Parameter {
    ParameterBuilder::new()
        .name("Last-Event-ID")
        .parameter_in(ParameterIn::Header)
        .description(Some("The last event that was seen"))
        .schema(Some(String::schema()))
        .build()
}

/// What a stream answers, for its documentation.
struct EventStream;

impl IntoResponses for EventStream {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let content = ContentBuilder::new().schema(Some(String::schema())).build();
        [("200".to_owned(), ResponseBuilder::new().content("text/event-stream", content).build().into())].into()
    }
}
