//! Fair scheduling: operations take turns, and so do the hosts of each, so that an operation whose places are full
//! never blocks the others.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::{FrameId, HostId, OperationId, OperationTaskId, RoomId};
use sea_orm::{DbBackend, FromQueryResult, Value};

use super::place::{InHand, Spot};
use super::store::WAITING;

/// How many times as many tasks of each host are read when those before could not be taken.
const DEEPER: usize = 16;
/// Tasks claimed in one transaction.
pub const GIVEN: u32 = 2_000;
/// Places in frames that are read together. A narrow operation has a place or two in each frame of a room: read one by
/// one they would cost a statement for each.
const TOGETHER: usize = 100;

/// The waiting tasks of one operation in a room, read a few frames at a time and only while places are free: the cost
/// depends on the number of frames and hosts, not of tasks.
struct Queue {
    room: RoomId,
    operation: OperationId,
    /// Approximately how often it was its turn: it continues where it stopped.
    turn: usize,
    /// Frames not yet read; none before they were queried.
    frames: Option<VecDeque<i64>>,
    /// The tasks read last, frame by frame, alternating between the hosts of each.
    spots: VecDeque<Spot>,
    /// Those of the frames whose hosts have more than were read, and how many of each were.
    deeper: VecDeque<(i64, usize)>,
}

/// Frames that are read together.
#[derive(Default)]
struct Part {
    frames: Vec<i64>,
    /// How many tasks of each of their hosts.
    each: usize,
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
    let queue = |operation| Queue {
        room,
        operation,
        turn: turn / count,
        frames: None,
        spots: VecDeque::new(),
        deeper: VecDeque::new(),
    };
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
            let part = self.next_part(app, in_hand).await?;
            if part.frames.is_empty() {
                return Ok(None);
            }
            self.read(app, in_hand, part).await?;
        }
    }

    /// What is to be read next; no frames if nothing is left.
    async fn next_part(&mut self, app: &App, in_hand: &InHand) -> Outcome<Part> {
        while let Some((frame, each)) = self.deeper.pop_front() {
            if in_hand.takes(self.operation, frame_of(frame)) {
                return Ok(Part { frames: vec![frame], each: each * DEEPER });
            }
        }
        let mut frames = match self.frames.take() {
            Some(frames) => frames,
            None => self.frames_of(app).await?,
        };
        let mut part = Part::default();
        while let Some(frame) = frames.front().copied() {
            let places = in_hand.places(self.operation, frame_of(frame)).min(GIVEN as usize);
            let each = part.each.max(places);
            if !part.frames.is_empty() && (part.frames.len() + 1) * each > TOGETHER {
                break;
            }
            frames.pop_front();
            if places > 0 {
                part.frames.push(frame);
                part.each = each;
            }
        }
        self.frames = Some(frames);
        Ok(part)
    }

    /// The frames in which it has waiting tasks. Each costs one step in the index, however many wait there.
    async fn frames_of(&mut self, app: &App) -> Outcome<VecDeque<i64>> {
        let some = format!("SELECT COALESCE(frame_id, 0) {}", there());
        let by_frame = "ORDER BY COALESCE(frame_id, 0) LIMIT 1";
        let text = format!(
            "WITH RECURSIVE place (frame) AS (SELECT ({some} {by_frame}) UNION ALL SELECT ({some} \
             AND COALESCE(frame_id, 0) > place.frame {by_frame}) FROM place WHERE place.frame IS NOT NULL) \
             SELECT frame FROM place WHERE frame IS NOT NULL"
        );
        let whose: [Value; 2] = [self.room.0.into(), self.operation.0.into()];
        let statement = sql::statement(app.db.backend(), text, whose);
        let found = Frame::find_by_statement(statement).all(app.db.read()).await?;
        let mut frames: VecDeque<i64> = found.into_iter().map(|found| found.frame).collect();
        let count = frames.len().max(1);
        frames.rotate_left(self.turn % count);
        // The next frame each time, and the next host of each when it is the same frame again.
        self.turn /= count;
        Ok(frames)
    }

    /// Reads the waiting tasks in a few frames, except on hosts that are full: so many of each host, for a narrow
    /// operation takes few of many. Each host costs one step in the index, and each task that is read.
    async fn read(&mut self, app: &App, in_hand: &InHand, part: Part) -> Outcome<()> {
        let Part { frames, each } = part;
        let full: HashSet<HostId> =
            frames.iter().flat_map(|frame| in_hand.full_hosts(self.operation, frame_of(*frame))).collect();
        let text = tasks_of_hosts(app.db.backend(), frames.len(), full.len());
        let number = |count: usize| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
        let most = GIVEN as usize + in_hand.busy_cards();
        let head = [self.room.0.into(), self.operation.0.into(), number(each), number(most)];
        let values = head.into_iter().chain(frames.iter().map(|frame| Value::from(*frame)));
        let values = values.chain(full.into_iter().map(|host| Value::from(host.0)));
        let statement = sql::statement(app.db.backend(), text, values);
        let found = Spot::find_by_statement(statement).all(app.db.read()).await?;
        let is_cut = found.len() >= most;
        let mut there: HashMap<i64, Vec<Spot>> = HashMap::new();
        for spot in found {
            there.entry(spot.frame_id.map_or(0, |frame| frame.0)).or_default().push(spot);
        }
        for frame in frames {
            match there.remove(&frame) {
                Some(spots) => {
                    let mut hosts: HashMap<Option<HostId>, usize> = HashMap::new();
                    for spot in &spots {
                        *hosts.entry(spot.host_id).or_default() += 1;
                    }
                    if hosts.values().any(|count| *count >= each) {
                        self.deeper.push_back((frame, each));
                    }
                    self.spots.extend(in_turn(spots, self.turn));
                }
                // There was no more space for what waits in it.
                None if is_cut => self.frames.get_or_insert_default().push_back(frame),
                None => {}
            }
        }
        Ok(())
    }
}

/// The waiting tasks of the operation `$2` in the room `$1`, as in the index `operation_task_waiting`, the only one that this
/// fits: PostgreSQL chooses by what it has counted last, and that was before these tasks were written down.
fn there() -> String {
    format!("FROM operation_task WHERE {WAITING} AND room_id = $1 AND operation_id + 0 = $2")
}

/// The statement for the first tasks of each host in so many frames, but for so many hosts: `$1` the room, `$2` the
/// operation, `$3` how many of each host, `$4` how many at all, then the frames and the hosts.
fn tasks_of_hosts(backend: DbBackend, frames: usize, full: usize) -> String {
    let wanted: Vec<String> = (5..5 + frames).map(|at| format!("(${at})")).collect();
    let there = there();
    let host = format!("SELECT COALESCE(host_id, 0) {there} AND COALESCE(frame_id, 0)");
    let by_host = "ORDER BY COALESCE(host_id, 0) LIMIT 1";
    let hosts = format!(
        "SELECT wanted.column1, ({host} = wanted.column1 {by_host}) FROM (VALUES {}) AS wanted \
         UNION ALL SELECT place.frame, ({host} = place.frame AND COALESCE(host_id, 0) > place.host {by_host}) \
         FROM place WHERE place.host IS NOT NULL",
        wanted.join(", ")
    );
    let first = |columns: &str| {
        format!(
            "SELECT {columns} {there} AND COALESCE(frame_id, 0) = place.frame \
             AND COALESCE(host_id, 0) = place.host ORDER BY id LIMIT $3"
        )
    };
    // SQLite has no LATERAL, and PostgreSQL would execute what stands in an IN once for each task.
    let tasks = if backend == DbBackend::Sqlite {
        format!("CROSS JOIN operation_task AS task ON task.id IN ({})", first("id"))
    } else {
        format!("CROSS JOIN LATERAL ({}) AS task", first("id, operation_id, target_id, frame_id, host_id"))
    };
    let not_full = if full == 0 {
        String::new()
    } else {
        format!(" AND place.host NOT IN ({})", sql::placeholders(5 + frames, full))
    };
    format!(
        "WITH RECURSIVE place (frame, host) AS ({hosts}) \
         SELECT task.id, task.operation_id, task.target_id, task.frame_id, task.host_id FROM place {tasks} \
         WHERE place.host IS NOT NULL{not_full} ORDER BY place.frame, place.host, task.id LIMIT $4"
    )
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
