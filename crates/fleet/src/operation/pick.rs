//! Fair scheduling: operations take turns, and so do the hosts of each, so that an operation whose places are full
//! never blocks the others.

use std::collections::{BTreeMap, HashMap, VecDeque};

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::{FrameId, HostId, OperationId, OperationTaskId, RoomId};
use sea_orm::{FromQueryResult, Value};

use super::place::{InHand, Spot};
use super::store::WAITING;

/// How many times as many tasks of each host are read when those before could not be taken.
const DEEPER: usize = 16;
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
    /// That frame, if some of its hosts have more than were read, and how many of each were.
    deeper: Option<(i64, usize)>,
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
    let queue =
        |operation| Queue { room, operation, turn: turn / count, frames: None, spots: VecDeque::new(), deeper: None };
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
            let (frame, each) = match self.deeper.take() {
                Some((frame, each)) => (frame, each * DEEPER),
                None => {
                    let Some(frame) = self.next_frame(app).await? else { return Ok(None) };
                    (frame, in_hand.places(self.operation, frame_of(frame)).min(GIVEN as usize))
                }
            };
            if in_hand.takes(self.operation, frame_of(frame)) {
                self.read(app, in_hand, frame, each).await?;
            }
        }
    }

    async fn next_frame(&mut self, app: &App) -> Outcome<Option<i64>> {
        let mut frames = match self.frames.take() {
            Some(frames) => frames,
            None => self.frames_of(app).await?,
        };
        let frame = frames.pop_front();
        self.frames = Some(frames);
        Ok(frame)
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

    /// Reads the waiting tasks in a frame, except on hosts that are full: so many of each host, for a narrow operation takes
    /// few of many.
    async fn read(&mut self, app: &App, in_hand: &InHand, frame: i64, each: usize) -> Outcome<()> {
        let full = in_hand.full_hosts(self.operation, frame_of(frame));
        let not_full = if full.is_empty() {
            String::new()
        } else {
            format!(" AND COALESCE(host_id, 0) NOT IN ({})", sql::placeholders(6, full.len()))
        };
        let text = format!(
            "SELECT id, operation_id, target_id, frame_id, host_id FROM (SELECT id, operation_id, target_id, frame_id, \
             host_id, ROW_NUMBER() OVER (PARTITION BY COALESCE(host_id, 0) ORDER BY id) AS nth FROM operation_task \
             WHERE {WAITING} AND room_id = $1 AND operation_id = $2 AND COALESCE(frame_id, 0) = $3{not_full}) AS there \
             WHERE nth <= $4 ORDER BY COALESCE(host_id, 0), id LIMIT $5"
        );
        let number = |count: usize| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
        let all = number(GIVEN as usize + in_hand.busy_cards());
        let head = [self.room.0.into(), self.operation.0.into(), frame.into(), number(each), all];
        let values = head.into_iter().chain(full.into_iter().map(|host| Value::from(host.0)));
        let statement = sql::statement(app.db.backend(), text, values);
        let found = Spot::find_by_statement(statement).all(app.db.read()).await?;
        let mut hosts: HashMap<Option<HostId>, usize> = HashMap::new();
        for spot in &found {
            *hosts.entry(spot.host_id).or_default() += 1;
        }
        self.deeper = hosts.values().any(|count| *count >= each).then_some((frame, each));
        self.spots = in_turn(found, self.turn);
        Ok(())
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
