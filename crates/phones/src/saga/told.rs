//! What others hear of a transaction over sagas once it is committed.

use base::app::App;
use base::fault::Outcome;
use base::topic::Topic;
use db::WriteTx;
use entity::phone_session::SessionEnd;
use entity::saga::{SagaKind, SagaState};
use entity::{BackupId, OperationId, PhoneId, RoomAgentId, RoomId};
use fleet::operation::{self, Operations};
use fleet::{Connections, Fleet, Written};
use wire::Key;

use super::counted;
use crate::backup::topic;
use crate::screens::perm;

/// What becomes of sagas.
pub const TOPIC: Topic = Topic {
    name: "saga",
    about: "Streams what is done to phones: events `phone` with the id of a phone whose saga has gone on.",
    need: perm::PHONE_LIST,
};

/// What has to be told once it is committed.
#[derive(Debug, Default)]
#[must_use = "cards in memory, agents and open pages have to hear of it after the commit"]
pub struct Told {
    pub(super) written: Vec<Written>,
    pub(super) rooms: Vec<RoomId>,
    pub(super) phones: Vec<PhoneId>,
    pub(super) copies: Vec<BackupId>,
    pub(super) operations: Vec<OperationId>,
    /// What is over, how, and for which rule a phone was taken off.
    pub(super) ended: Vec<(SagaKind, SagaState, Option<SessionEnd>)>,
    /// Tries that agents are told to end.
    pub(super) called_off: Vec<(RoomId, RoomAgentId, Key)>,
}

impl Told {
    /// Commits what is to be told, and tells it.
    ///
    /// # Errors
    /// When the commit fails: then nothing is told.
    pub async fn commit(self, app: &App, tx: WriteTx) -> Outcome<()> {
        tx.commit().await?;
        self.tell(app);
        Ok(())
    }

    /// After the commit.
    pub fn tell(self, app: &App) {
        for written in self.written {
            app.part::<Fleet>().committed(&app.events, written);
        }
        app.part::<Operations>().wake(self.rooms);
        operation::tell(app, self.operations);
        for (room, agent, key) in self.called_off {
            app.part::<Connections>().call_off(room, agent, vec![key]);
        }
        for (kind, state, cause) in self.ended {
            counted::ended(kind, state, cause);
        }
        for copy in self.copies {
            topic::tell(app, copy);
        }
        for phone in self.phones {
            app.events.publish(
                TOPIC,
                "phone",
                &serde_json::json!({ "id": phone }),
                base::http::events::Audience { code: Some(perm::PHONE_LIST.code()), operator: None },
            );
        }
    }
}
