//! The calls of a settings document: it is shown, saved, and its earlier versions are listed.

use axum::routing::{get, put};
use kernel::page::Page;
use utoipa::IntoParams as _;
use utoipa::openapi::HttpMethod;
use utoipa::openapi::path::ParameterIn;

use super::{SettingsDoc, SettingsInput, SettingsVersion, SettingsView, history, save, view};
use crate::app::App;
use crate::http::described::{Described, Shape};
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, DomainRouter, Need, PageInput, Params, Valid, reply};

/// Where the calls of a document are, and what they need.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// The path: shown by GET, saved by PUT; `/history` under it has the earlier versions.
    pub path: &'static str,
    /// The heading in the API document.
    pub tag: &'static str,
    /// The operations are called `<name>_get`, `<name>_update` and `<name>_history`.
    pub name: &'static str,
    /// What the API document calls it, such as "the sign-in settings".
    pub what: &'static str,
    /// What whoever sees it needs.
    pub get: Need,
    /// What whoever saves it needs.
    pub update: Need,
    /// What else has to happen once it was saved, if anything.
    pub saved: fn(&App),
}

impl Calls {
    /// The access table of the document `D`. Its last call is the one that saves, so that `.step_up()` may follow.
    #[must_use]
    pub fn routes<D: SettingsDoc>(self) -> DomainRouter {
        let Self { path, tag, name, what, get: see, update, saved } = self;
        let view = Shape::of::<D>().within::<SettingsView<D>>();
        let shown = Described::new(tag, format!("{name}_get"), format!("Returns {what}.")).answer(view.clone()).at(
            HttpMethod::Get,
            path,
            get(shown::<D>),
        );
        let listed = format!("Lists earlier versions of {what}, newest first.");
        let listed = Described::new(tag, format!("{name}_history"), listed)
            .params(PageInput::into_params(|| Some(ParameterIn::Query)))
            .answer(Shape::of::<D>().within::<SettingsVersion<D>>().within::<Page<()>>())
            .at(HttpMethod::Get, &format!("{path}/history"), get(listed_versions::<D>));
        let changed = format!("Updates {what}; they take effect immediately.");
        let changed = Described::new(tag, format!("{name}_update"), changed)
            .body("application/json", Shape::of::<D>().within::<SettingsInput<D>>())
            .answer(view)
            .at(HttpMethod::Put, path, put(move |ctx: OpCtx, input| changed_to::<D>(ctx, input, saved)));
        DomainRouter::new().view(see, shown).view(see, listed).act(update, changed)
    }
}

async fn shown<D: SettingsDoc>(ctx: OpCtx) -> ApiResult<SettingsView<D>> {
    reply(view(&ctx).await?)
}

async fn listed_versions<D: SettingsDoc>(
    ctx: OpCtx,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<SettingsVersion<D>>> {
    reply(history(&ctx, page.get()?).await?)
}

async fn changed_to<D: SettingsDoc>(
    ctx: OpCtx,
    Valid(input): Valid<SettingsInput<D>>,
    saved: fn(&App),
) -> ApiResult<SettingsView<D>> {
    let view = save(&ctx, input).await?;
    saved(&ctx.app);
    reply(view)
}
