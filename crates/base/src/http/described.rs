//! Calls that many parts of the business have alike. Their handlers are generic, which `#[utoipa::path]` cannot
//! describe, so that they say here what they take and answer.

use axum::routing::MethodRouter;
use utoipa::openapi::path::{OperationBuilder, Parameter, PathItemBuilder, Paths};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::{
    ArrayBuilder, Content, ContentBuilder, HttpMethod, Ref, RefOr, Required, ResponseBuilder, Schema,
};
// What the derived schemas of generic types are made with; there is no public way to name a parameter's schema.
use utoipa::__dev::ComposeSchema;
use utoipa::{IntoResponses, ToSchema};
use utoipa_axum::router::UtoipaMethodRouter;

use super::envelope::Reply;

/// A type, as the document shows it.
#[derive(Clone)]
pub struct Shape {
    name: String,
    schema: RefOr<Schema>,
    /// The types that its fields refer to.
    parts: Vec<(String, RefOr<Schema>)>,
}

impl Shape {
    /// The type `T`, which has no parameters.
    #[must_use]
    pub fn of<T: ToSchema>() -> Self {
        let mut parts = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut parts);
        Self { name: T::name().into_owned(), schema: T::schema(), parts }
    }

    /// A list of it.
    #[must_use]
    pub fn many(self) -> Self {
        let schema = ArrayBuilder::new().items(self.schema).build().into();
        Self { name: format!("Vec_{}", self.name), schema, parts: self.parts }
    }

    /// The type `W`, of which this is the parameter.
    #[must_use]
    pub fn within<W: ToSchema + ComposeSchema>(mut self) -> Self {
        W::schemas(&mut self.parts);
        Self { name: format!("{}_{}", W::name(), self.name), schema: W::compose(vec![self.schema]), parts: self.parts }
    }
}

/// A call and its documentation; [`Described::at`] makes a route of it.
pub struct Described {
    schemas: Vec<(String, RefOr<Schema>)>,
    operation: OperationBuilder,
}

impl Described {
    /// The operation `id` under the heading `tag`; `summary` is one sentence.
    #[must_use]
    pub fn new(tag: &str, id: impl Into<String>, summary: impl Into<String>) -> Self {
        let operation = OperationBuilder::new().tag(tag).operation_id(Some(id)).summary(Some(summary));
        Self { schemas: Vec::new(), operation }
    }

    /// What stands in its address.
    #[must_use]
    pub fn params(mut self, params: Vec<Parameter>) -> Self {
        self.operation = self.operation.parameters(Some(params));
        self
    }

    /// Its body, of this content type.
    #[must_use]
    pub fn body(mut self, content_type: &str, shape: Shape) -> Self {
        let body = RequestBodyBuilder::new().content(content_type, self.content(shape)).required(Some(Required::True));
        self.operation = self.operation.request_body(Some(body.build()));
        self
    }

    /// What a successful answer has in its envelope.
    #[must_use]
    pub fn answer(mut self, shape: Shape) -> Self {
        let content = self.content(shape.within::<Reply<()>>());
        self.operation =
            self.operation.response("200", ResponseBuilder::new().content("application/json", content).build());
        self
    }

    /// Answers that are no JSON.
    #[must_use]
    pub fn answers<T: IntoResponses>(mut self) -> Self {
        for (status, answer) in T::responses() {
            self.operation = self.operation.response(status, answer);
        }
        self
    }

    /// The route: `handler`, which serves `method`, at `path`.
    pub fn at(self, method: HttpMethod, path: &str, handler: MethodRouter) -> UtoipaMethodRouter {
        let mut paths = Paths::new();
        paths.paths.insert(path.to_owned(), PathItemBuilder::new().operation(method, self.operation).build());
        (self.schemas, paths, handler)
    }

    fn content(&mut self, shape: Shape) -> Content {
        let Shape { name, schema, parts } = shape;
        self.schemas.extend(parts);
        self.schemas.push((name.clone(), schema));
        ContentBuilder::new().schema(Some(Ref::from_schema_name(name))).build()
    }
}
