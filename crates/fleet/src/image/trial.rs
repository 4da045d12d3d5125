//! What only a real board can show of an image: untried until an operator says what came of it on a card.

use base::fault::Outcome;
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use entity::ImageId;
use entity::board_trial::{ActiveModel, BoardQuestion, Column, Entity, Model, TrialOutcome};
use kernel::rules::{Check, line};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait as _, EntityTrait as _, QueryFilter as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::known;

/// What is known of a question that only a board can show.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoardTrialView {
    pub image_id: ImageId,
    pub question: BoardQuestion,
    pub outcome: TrialOutcome,
    /// What was seen; empty while nobody has tried it.
    pub reason: String,
    /// When somebody last said what came of it; none while nobody has.
    pub tried_at: Option<UtcTime>,
    pub tried_by: String,
}

impl BoardTrialView {
    /// A question is untried until somebody says otherwise.
    fn of(image_id: ImageId, question: BoardQuestion, row: Option<Model>) -> Self {
        let Some(row) = row else {
            let (outcome, reason, tried_by) = (TrialOutcome::Untried, String::new(), String::new());
            return Self { image_id, question, outcome, reason, tried_at: None, tried_by };
        };
        let Model { id: _, image_id, question, outcome, reason, tried_at, tried_by } = row;
        Self { image_id, question, outcome, reason, tried_at: Some(tried_at), tried_by }
    }
}

async fn of(ctx: &OpCtx, image: ImageId) -> Outcome<Vec<BoardTrialView>> {
    let db = ctx.read();
    known::find(db, image).await?;
    let rows = Entity::find().filter(Column::ImageId.eq(image)).all(db).await?;
    let row = |question: BoardQuestion| rows.iter().find(|row| row.question == question).cloned();
    Ok(BoardQuestion::ALL.iter().map(|question| BoardTrialView::of(image, *question, row(*question))).collect())
}

/// What came of a question.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BoardTrialInput {
    pub question: BoardQuestion,
    /// Untried takes back what somebody has said.
    pub outcome: TrialOutcome,
    /// What was seen, or why it counts as untried again.
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for BoardTrialInput {
    fn check(&self, check: &mut Check) {
        check.field("reason", line(&self.reason, 256));
    }
}

async fn tell(ctx: &OpCtx, image: ImageId, input: BoardTrialInput) -> Outcome<BoardTrialView> {
    let BoardTrialInput { question, outcome, reason } = input;
    let tx = ctx.begin_write().await?;
    // One after the other: a question has one row.
    let its_image = known::locked(&*tx, image).await?;
    let found = Entity::find().filter(Column::ImageId.eq(image)).filter(Column::Question.eq(question));
    let before = found.one(&*tx).await?;
    let row = ActiveModel {
        id: before.as_ref().map_or(NotSet, |row| Set(row.id)),
        image_id: Set(image),
        question: Set(question),
        outcome: Set(outcome),
        reason: Set(reason),
        tried_at: Set(ctx.now()),
        tried_by: Set(ctx.session.username.clone()),
    };
    let row = match before {
        Some(_) => Entity::update(row).exec(&*tx).await?,
        None => Entity::insert(row).exec_with_returning(&*tx).await?,
    };
    let id = row.id;
    let [before, after] = [before, Some(row)].map(|row| BoardTrialView::of(image, question, row));
    tx.commit(Audit::of("boardTrial").id(id).name(its_image.name()).before(&before).after(&after)).await?;
    Ok(after)
}

/// What is known of the questions that only a board can show, for an image: which ones nobody has tried.
#[utoipa::path(get, path = "/api/fleet/v1/images/{id}/trials", tag = "fleet",
    params(("id" = i64, Path, description = "The image's id")),
    responses((status = 200, body = Reply<Vec<BoardTrialView>>)))]
pub async fn image_trials(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<Vec<BoardTrialView>> {
    reply(of(&ctx, ImageId(id)).await?)
}

/// Says what came of a question on a card of an image. Nothing else changes by that: it is a mark for people. What was said
/// before is in the operation log.
#[utoipa::path(post, path = "/api/fleet/v1/images/{id}/trials", tag = "fleet", request_body = BoardTrialInput,
    params(("id" = i64, Path, description = "The image's id")), responses((status = 200, body = Reply<BoardTrialView>)))]
pub async fn image_trial(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<BoardTrialInput>,
) -> ApiResult<BoardTrialView> {
    reply(tell(&ctx, ImageId(id), input).await?)
}
