//! Confirming one's identity while signed in: by password or one-time code. Every such check goes through the limiter
//! of signing in, so that a stolen session can guess no faster than an unauthenticated client.

use base::fault::{Fault, Outcome};
use base::http::ops::{Audit, OpCtx};
use entity::operator;
use kernel::rules::Violation;
use sea_orm::ConnectionTrait;
use tokio::sync::MutexGuard;

use super::keys::or_random;
use super::one_time::{self, Used};
use super::throttle::{Failure, Subject};
use crate::auth::memory::Auth;

/// The operator's turn at the limiter. Failures of other requests wait until it is dropped.
#[derive(Debug)]
pub struct Turn<'a> {
    ctx: &'a OpCtx,
    subject: Subject,
    _turn: MutexGuard<'a, ()>,
}

/// A correct one-time code that is not used up yet.
#[derive(Debug)]
pub struct CodeProof<'a> {
    turn: Turn<'a>,
    used: Used,
}

impl<'a> Turn<'a> {
    /// Waits for the operator's turn.
    ///
    /// # Errors
    /// While they have to wait because of earlier failures.
    pub async fn of(ctx: &'a OpCtx) -> Outcome<Self> {
        let subject = Subject::signed_in(ctx.operator());
        let turn = ctx.app.part::<Auth>().turns.of(&subject).await;
        subject.standing(ctx.read(), ctx.now()).await?.admit(ctx.now())?;
        Ok(Self { ctx, subject, _turn: turn })
    }

    /// Checks an encrypted password against the operator's own.
    ///
    /// # Errors
    /// `password.wrong` at `field`.
    pub async fn password(&self, who: &operator::Model, encrypted: &str, field: &str) -> Outcome<()> {
        let now = self.ctx.now();
        self.ctx.app.part::<Auth>().keys.refresh(&self.ctx.app.clock).await?;
        let md5_hex = or_random(self.ctx.app.part::<Auth>().keys.decrypted(encrypted, self.ctx.operator(), now)?);
        if !self.ctx.app.part::<Auth>().hasher.verify(md5_hex, Some(&who.password_hash)).await? {
            return self.refuse(Failure::Password, field, Violation::new("password.wrong")).await;
        }
        if self.subject.standing(self.ctx.read(), now).await?.has_failures() {
            let tx = self.ctx.app.db.begin_write().await?;
            self.subject.password_was_right(&*tx).await?;
            tx.commit().await?;
        }
        Ok(())
    }

    /// Checks a one-time code or a recovery code.
    ///
    /// # Errors
    /// `totpWrong` at `code`.
    pub async fn code(self, who: &operator::Model, code: &str) -> Outcome<CodeProof<'a>> {
        self.admit_code().await?;
        match one_time::check(&self.ctx.app, who, code.trim(), self.ctx.now()).await? {
            Some(used) => Ok(CodeProof { turn: self, used }),
            None => self.refuse(Failure::Code, "code", Violation::new("totpWrong")).await,
        }
    }

    /// Checks the code that confirms a new seed: only the authenticator can provide it.
    ///
    /// # Errors
    /// `totpWrong` at `code`.
    pub async fn first_code(self, who: &operator::Model, code: &str) -> Outcome<CodeProof<'a>> {
        self.admit_code().await?;
        match one_time::step_of(&self.ctx.app.vault, who, code.trim(), self.ctx.now())? {
            Some(step) => Ok(CodeProof { turn: self, used: Used::Step(step) }),
            None => self.refuse(Failure::Code, "code", Violation::new("totpWrong")).await,
        }
    }

    async fn admit_code(&self) -> Outcome<()> {
        self.subject.standing(self.ctx.read(), self.ctx.now()).await?.admit_code(self.ctx.now())
    }

    async fn refuse<T>(&self, failure: Failure, field: &str, violation: Violation) -> Outcome<T> {
        let mut tx = self.ctx.app.db.begin_write().await?;
        self.subject.failed(&*tx, failure, self.ctx.now()).await?;
        self.ctx.app.part::<Auth>().keys.save_spent(&*tx, self.ctx.now()).await?;
        let audit =
            Audit::of("operator").id(self.ctx.operator()).name(self.ctx.session.username.as_str()).note(violation.code);
        tx.record(db::journal::Entry { status: 4000, ..audit.fill(self.ctx.entry()) });
        tx.commit().await?;
        Err(Fault::field(field, violation))
    }
}

impl CodeProof<'_> {
    /// Uses the code up in the transaction that it allows.
    ///
    /// # Errors
    /// `totpWrong` when the same code was used in the meantime.
    pub async fn spend(&self, tx: &impl ConnectionTrait) -> Outcome<()> {
        let ctx = self.turn.ctx;
        if !self.used.spend(tx, ctx.operator(), ctx.now()).await? {
            return Err(Fault::field("code", Violation::new("totpWrong")));
        }
        self.turn.subject.succeeded(tx).await?;
        Ok(())
    }
}
