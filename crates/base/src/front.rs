//! The listener during standby, and how it is handed to the work.

use std::net::TcpListener as Listener;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::http::serve;
use crate::standby::{News, router};

/// Answers on the port while this console is on standby, until it is dropped.
#[derive(Debug)]
pub struct Front {
    /// What it answers.
    pub news: News,
    /// Whoever is to have the port.
    pub left: Left,
}

impl Front {
    /// Begins to answer on `listener`, which others may share.
    ///
    /// # Errors
    /// When the listener cannot be used.
    pub fn open(listener: Listener, config: &Config) -> std::io::Result<Self> {
        let (news, left) = (News::default(), Left::default());
        let (listener, router) = (TcpListener::from_std(listener)?, router(news.clone()));
        let (config, stop, gone) = (config.clone(), left.asked.clone(), left.done.clone().drop_guard());
        tokio::spawn(async move {
            match serve::serve_until(listener, router, &config, stop).await {
                Ok(remaining) => {
                    drop(gone);
                    remaining.finish().await;
                }
                Err(error) => tracing::error!(error = format!("{error:#}"), "the standby listener failed"),
            }
        });
        Ok(Self { news, left })
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.left.asked.cancel();
    }
}

/// How standby leaves the listener to the work. It accepts on the same socket: a connection that it still took from
/// there after the work has begun would be reset, although `/readyz` had said that this console serves.
#[derive(Clone, Debug, Default)]
pub struct Left {
    asked: CancellationToken,
    done: CancellationToken,
}

impl Left {
    /// Returns when standby accepts nothing any more.
    pub async fn leave(self) {
        self.asked.cancel();
        self.done.cancelled().await;
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener as Listener, TcpStream};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use tokio::net::TcpListener;
    use tokio::runtime::Builder;
    use tokio::time::timeout;

    use super::Front;
    use crate::config::Config;

    #[tokio::test]
    async fn who_connects_once_standby_has_left_reaches_the_work() {
        // Looks for new connections before each task, as a machine does that has been busy with something else.
        let standby = Builder::new_multi_thread().worker_threads(1).event_interval(1).enable_all().build();
        let standby = standby.expect("a runtime");
        for round in 0..20 {
            let port = Listener::bind("127.0.0.1:0").expect("a port is free");
            port.set_nonblocking(true).expect("it does not wait");
            let address = port.local_addr().expect("an address");
            let front = {
                let _inside = standby.enter();
                Front::open(port.try_clone().expect("a copy"), &Config::default()).expect("it listens")
            };
            assert!(TcpStream::connect(address).is_ok(), "round {round}: standby listens");
            let (busy, is_busy) = mpsc::channel();
            standby.spawn(async move {
                busy.send(()).expect("the test waits");
                thread::sleep(Duration::from_millis(20));
            });
            is_busy.recv().expect("it is busy");
            front.left.clone().leave().await;
            let work = TcpListener::from_std(port).expect("the work listens");
            let client = TcpStream::connect(address).expect("somebody listens");
            let ours = client.local_addr().expect("an address");
            // The work is busy for longer.
            thread::sleep(Duration::from_millis(40));
            let accepted = async { while work.accept().await.expect("it accepts").1 != ours {} };
            assert!(timeout(Duration::from_secs(5), accepted).await.is_ok(), "round {round}: standby has taken it");
        }
        standby.shutdown_background();
    }
}
