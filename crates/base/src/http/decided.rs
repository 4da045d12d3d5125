//! Calls whose body decides which permission they need: one of the cases that their route declares.

use axum::extract::{FromRequest, Request};
use kernel::rules::Check;
use serde::de::DeserializeOwned;

use super::body::{Validate, json};
use super::ops::OpCtx;
use crate::access::need::Case;
use crate::fault::Fault;

/// A body that is one of several cases.
pub trait Decides {
    /// Which.
    fn case(&self) -> Case;
}

/// A request that the guard let in and whose permission is still to be checked: no handler gets an [`OpCtx`] from it but
/// through [`Decided`].
#[derive(Clone, Debug)]
pub(super) struct Undecided {
    pub ctx: OpCtx,
    pub cases: &'static [Case],
}

/// A valid JSON body, sent by somebody with the permission of its case; the context acts under the case's name. The
/// permission is checked first: whoever lacks it learns nothing of what the body is checked against.
#[derive(Debug)]
pub struct Decided<T>(pub OpCtx, pub T);

impl<S, T> FromRequest<S> for Decided<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Validate + Decides + Send,
{
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Fault> {
        let missing = || Fault::Internal(anyhow::anyhow!("a handler asks for Decided on a route without cases"));
        let Undecided { mut ctx, cases } = request.extensions().get::<Undecided>().cloned().ok_or_else(missing)?;
        let read = json::<S, T>(request, state).await;
        let case = match &read {
            Ok(input) => Some(input.case()),
            // An unreadable body asks for nothing: what is wrong with it is for those who may send a readable one. Who
            // may send none was refused by the guard.
            Err(_) => cases.iter().find(|case| ctx.may(case.code)).copied(),
        };
        let undeclared = || Fault::Internal(anyhow::anyhow!("a body asks for a case that its route does not declare"));
        let case = case.filter(|case| cases.contains(case)).ok_or_else(undeclared)?;
        ctx.action = case.action;
        ctx.require(case.code).await?;
        let input = read?;
        let mut check = Check::new();
        input.check(&mut check);
        check.finish()?;
        Ok(Self(ctx, input))
    }
}
