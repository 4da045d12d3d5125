//! Fair scheduling: operations take turns, and so do the hosts of each, so that an operation whose places are full
//! never blocks the others.

use std::collections::{BTreeMap, VecDeque};

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::{FrameId, OperationId, OperationTaskId, RoomId};
use sea_orm::{FromQueryResult, Value};

use super::place::{InHand, Spot};
use super::store::WAITING;

/// Tasks claimed in one transaction.
pub const GIVEN: u32 = 2_000;

/// The waiting tasks of one operation in a room, read frame by frame and only while places are free: the cost depends
/// on the number of frames, not of tasks.
struct Queue {
    room: RoomId,
    operation: OperationId,
    /// Approximately how often it was its turn: it continues where it stopped.
    turn: usize,
    /// Frames not yet read; none before they were queried.
    frames: Option<VecDeque<i64>>,
    /// The tasks read from the last frame, alternating between its hosts.
    spots: VecDeque<Spot>,
}

/// A frame with waiting tasks; 0 for cards in no frame.
#[derive(FromQueryResult)]
struct Frame {
    frame: i64,
}

/// The tasks to be claimed now. `turn` counts what the room was given before.
///
/// # Errors
/// When a read fails.
pub async fn pick(app: &App, room: RoomId, in_hand: &mut InHand, turn: usize) -> Outcome<Vec<OperationTaskId>> {
    let operations = in_hand.waiting.clone();
    let count = operations.len().max(1);
    let queue = |operation| Queue { room, operation, turn: turn / count, frames: None, spots: VecDeque::new() };
    let mut queues: VecDeque<Queue> = operations.into_iter().map(queue).collect();
    queues.rotate_left(turn % count);
    let mut chosen = Vec::new();
    while chosen.len() < GIVEN as usize && !in_hand.is_full() {
        let Some(mut queue) = queues.pop_front() else { break };
        if let Some(id) = queue.next(app, in_hand).await? {
            chosen.push(id);
            queues.push_back(queue);
        }
    }
    Ok(chosen)
}

impl Queue {
    /// The next task for which there is a place; the place is taken.
    async fn next(&mut self, app: &App, in_hand: &mut InHand) -> Outcome<Option<OperationTaskId>> {
        loop {
            while let Some(spot) = self.spots.pop_front() {
                if in_hand.take(&spot) {
                    return Ok(Some(spot.id));
                }
            }
            // Skips an operation that has reached its own limit in the room.
            if !in_hand.takes(self.operation, None) {
                return Ok(None);
            }
            let mut frames = match self.frames.take() {
                Some(frames) => frames,
                None => self.frames_of(app).await?,
            };
            let frame = frames.pop_front();
            self.frames = Some(frames);
            let Some(frame) = frame else { return Ok(None) };
            if in_hand.takes(self.operation, frame_of(frame)) {
                self.spots = self.read(app, in_hand, frame).await?;
            }
        }
    }

    /// The frames in which it has waiting tasks. Each costs one step in the index, however many wait there.
    async fn frames_of(&mut self, app: &App) -> Outcome<VecDeque<i64>> {
        let some = format!("SELECT COALESCE(frame_id, 0) FROM operation_task WHERE {WAITING}");
        let text = format!(
            "WITH RECURSIVE place (frame) AS (SELECT ({some} AND room_id = $1 AND operation_id = $2 \
             ORDER BY COALESCE(frame_id, 0) LIMIT 1) UNION ALL SELECT ({some} AND room_id = $3 AND operation_id = $4 \
             AND COALESCE(frame_id, 0) > place.frame ORDER BY COALESCE(frame_id, 0) LIMIT 1) FROM place \
             WHERE place.frame IS NOT NULL) SELECT frame FROM place WHERE frame IS NOT NULL"
        );
        let whose: [Value; 4] =
            [self.room.0.into(), self.operation.0.into(), self.room.0.into(), self.operation.0.into()];
        let statement = sql::statement(app.db.backend(), text, whose);
        let found = Frame::find_by_statement(statement).all(app.db.read()).await?;
        let mut frames: VecDeque<i64> = found.into_iter().map(|found| found.frame).collect();
        let count = frames.len().max(1);
        frames.rotate_left(self.turn % count);
        // The next frame each time, and the next host of each when it is the same frame again.
        self.turn /= count;
        Ok(frames)
    }

    /// The waiting tasks in a frame, except on hosts that are full.
    async fn read(&self, app: &App, in_hand: &InHand, frame: i64) -> Outcome<VecDeque<Spot>> {
        let full = in_hand.full_hosts(self.operation, frame_of(frame));
        let not_full = if full.is_empty() {
            String::new()
        } else {
            format!(" AND COALESCE(host_id, 0) NOT IN ({})", sql::placeholders(4, full.len()))
        };
        let text = format!(
            "SELECT id, operation_id, target_id, frame_id, host_id FROM operation_task WHERE {WAITING} AND room_id = $1 \
             AND operation_id = $2 AND COALESCE(frame_id, 0) = $3{not_full} ORDER BY COALESCE(host_id, 0), id LIMIT {}",
            GIVEN as usize + in_hand.busy_cards()
        );
        let head: [Value; 3] = [self.room.0.into(), self.operation.0.into(), frame.into()];
        let values = head.into_iter().chain(full.into_iter().map(|host| Value::from(host.0)));
        let statement = sql::statement(app.db.backend(), text, values);
        let found = Spot::find_by_statement(statement).all(app.db.read()).await?;
        Ok(in_turn(found, self.turn))
    }
}

const fn frame_of(frame: i64) -> Option<FrameId> {
    if frame == 0 { None } else { Some(FrameId(frame)) }
}

/// One task of each host, then the next of each, starting with another host each time.
fn in_turn(spots: Vec<Spot>, first: usize) -> VecDeque<Spot> {
    let mut hosts: BTreeMap<i64, VecDeque<Spot>> = BTreeMap::new();
    for spot in spots {
        hosts.entry(spot.host_id.map_or(0, |host| host.0)).or_default().push_back(spot);
    }
    let mut hosts: VecDeque<VecDeque<Spot>> = hosts.into_values().collect();
    hosts.rotate_left(first % hosts.len().max(1));
    let mut all = VecDeque::new();
    while let Some(mut host) = hosts.pop_front() {
        all.extend(host.pop_front());
        if !host.is_empty() {
            hosts.push_back(host);
        }
    }
    all
}
