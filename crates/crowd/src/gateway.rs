//! The gateways of a crowd: they redeem its tickets, say which streams go on, and do with them what they are told.
//!
//! A crowd is at whatever gateway it is sent to. No picture is streamed.

use std::collections::BTreeMap;
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::calls::Ticket;
use crate::client::{Client, Refused};
use crate::tally::Tally;
use crate::watcher::Watcher;

/// Streams of a call.
const MOST: usize = 500;
/// Streams that have ended are told of so often, together.
const PACE: Duration = Duration::from_secs(1);
/// The first heartbeat comes after this; the next one when it is asked for.
const BEAT: Duration = Duration::from_secs(10);

/// What a stream is ordered to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    End,
    /// End, and let the customer connect again.
    Again,
}

/// A stream, for whoever has it.
#[derive(Debug)]
pub struct Stream {
    pub id: String,
    pub order: oneshot::Receiver<Order>,
}

/// A stream, for its gateway.
#[derive(Debug)]
struct Open {
    phone: String,
    card: String,
    /// The card's.
    address: String,
    tell: oneshot::Sender<Order>,
}

#[derive(Debug, Default)]
struct Book {
    open: BTreeMap<String, Open>,
    /// Streams that have ended, of which the console does not know yet.
    ended: Vec<String>,
}

impl Book {
    /// Shuts the card for a stream.
    fn shut(&mut self, stream: &str) -> Option<Open> {
        let open = self.open.remove(stream)?;
        self.ended.push(stream.to_owned());
        Some(open)
    }

    /// A phone is used at a card: nobody else is there, and it is nowhere else. Answers what was shut for that.
    fn opens(&mut self, stream: String, new: Open) -> Vec<Open> {
        let in_the_way = self.open.iter().filter(|(_, open)| open.phone == new.phone || open.card == new.card);
        let before: Vec<String> = in_the_way.map(|(id, _)| id.clone()).collect();
        let shut = before.iter().filter_map(|id| self.shut(id)).collect();
        self.open.insert(stream, new);
        shut
    }
}

/// All gateways at once.
#[derive(Debug)]
pub struct Gateway {
    client: Arc<Client>,
    tally: Arc<Tally>,
    watcher: Option<Watcher>,
    book: Mutex<Book>,
}

impl Gateway {
    pub fn new(client: Arc<Client>, tally: Arc<Tally>, watcher: Option<Watcher>) -> Self {
        Self { client, tally, watcher, book: Mutex::default() }
    }

    /// Whether somebody uses a card from now on, for whoever watches that.
    fn tell(&self, card: &str, is_used: bool) {
        if let Some(watcher) = &self.watcher {
            watcher.tell(card, is_used);
        }
    }

    /// Lets somebody in with a ticket.
    ///
    /// # Errors
    /// It opens nothing.
    pub async fn open(&self, ticket: &Ticket) -> Result<Stream, Refused> {
        let told = self.client.redeem(ticket).await?;
        let (tell, order) = oneshot::channel();
        let id = told.stream_id;
        let address = told.card_address.clone();
        let new = Open { phone: told.phone_id.clone(), card: told.card_id, address, tell };
        let shut = self.book.lock().opens(id.clone(), new);
        for before in shut {
            self.tell(&before.address, false);
            if before.phone != told.phone_id {
                self.tally.shares();
            }
            // Whoever had it may have gone.
            _ = before.tell.send(Order::End);
        }
        self.tell(&told.card_address, true);
        Ok(Stream { id, order })
    }

    /// Somebody has gone.
    pub fn close(&self, stream: &str) {
        let shut = self.book.lock().shut(stream);
        if let Some(open) = shut {
            self.tell(&open.address, false);
        }
    }

    /// Speaks for its streams. It has no end.
    pub async fn run(&self) {
        let mut next = Instant::now() + BEAT;
        loop {
            sleep(PACE).await;
            self.tell_ended().await;
            if Instant::now() >= next {
                next = Instant::now() + self.beat().await;
            }
        }
    }

    /// Tells which streams have ended; those that nobody heard of are told next time.
    pub async fn tell_ended(&self) {
        let ended = take(&mut self.book.lock().ended);
        for part in ended.chunks(MOST) {
            if self.client.ended(part).await.is_err_and(|refused| refused.is_passing()) {
                self.book.lock().ended.extend_from_slice(part);
            }
        }
    }

    /// Says which streams go on, and does as it is told; answers when to speak again.
    async fn beat(&self) -> Duration {
        let streams: Vec<String> = self.book.lock().open.keys().cloned().collect();
        let mut pace = BEAT;
        for part in streams.chunks(MOST) {
            // One that fails ends nothing: it comes again.
            let Ok(told) = self.client.beat(part).await else { continue };
            pace = Duration::from_secs(told.next_seconds.max(1));
            for order in told.orders {
                self.obeys(&order.stream_id, &order.order, order.code.as_deref().unwrap_or_default());
            }
        }
        pace
    }

    fn obeys(&self, stream: &str, order: &str, code: &str) {
        let order = match order {
            "end" => Order::End,
            "reconnect" => Order::Again,
            // Nothing has to be done for a warning, and for nothing that is not known.
            _ => return self.tally.warns(),
        };
        // It may have ended by itself since.
        let Some(open) = self.book.lock().shut(stream) else { return };
        self.tally.orders(code);
        self.tell(&open.address, false);
        _ = open.tell.send(order);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::{Book, Open, Order};

    fn open(phone: &str, card: &str) -> (Open, oneshot::Receiver<Order>) {
        let (tell, order) = oneshot::channel();
        (Open { phone: phone.to_owned(), card: card.to_owned(), address: format!("10.1.0.{card}"), tell }, order)
    }

    #[test]
    fn a_phone_has_one_stream_and_a_card_one_phone() {
        let mut book = Book::default();
        let phones = |shut: Vec<Open>| shut.into_iter().map(|open| open.phone).collect::<Vec<_>>();
        assert!(book.opens("1.1".to_owned(), open("1", "7").0).is_empty());
        assert!(book.opens("2.1".to_owned(), open("2", "8").0).is_empty());
        assert_eq!(phones(book.opens("1.2".to_owned(), open("1", "7").0)), ["1"], "the same phone again");
        assert_eq!(phones(book.opens("3.1".to_owned(), open("3", "8").0)), ["2"], "another phone on its card");
        assert_eq!(
            phones(book.opens("3.2".to_owned(), open("3", "7").0)),
            ["1", "3"],
            "and one that moved to another's"
        );
        assert_eq!(book.open.keys().collect::<Vec<_>>(), ["3.2"]);
        assert_eq!(book.ended, ["1.1", "2.1", "1.2", "3.1"]);
        assert!(book.shut("3.2").is_some() && book.shut("3.2").is_none(), "it ends once");
    }
}
