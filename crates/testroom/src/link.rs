//! The way between the agents of a room and their console: it can be cut, and lead to a console that has started again.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use crate::room::Console;

/// A way that agents take to whichever console is there. It ends with the value.
pub struct Link {
    /// Where agents find it.
    pub url: Url,
    to: watch::Sender<Option<SocketAddr>>,
    _stop: DropGuard,
}

impl Link {
    /// A way that leads to a console.
    pub async fn to(console: &Console) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let (to, stop) = (watch::Sender::new(Some(address(console))), CancellationToken::new());
        let (way, stopped) = (to.subscribe(), stop.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = stopped.cancelled() => {}
                () = carry(listener, way) => {}
            }
        });
        Self { url, to, _stop: stop.drop_guard() }
    }

    /// Whatever goes over it breaks off, without a word, and nobody gets through any more.
    pub fn cut(&self) {
        self.to.send_replace(None);
    }

    /// Leads to a console from now on.
    pub fn lead_to(&self, console: &Console) {
        self.to.send_replace(Some(address(console)));
    }
}

fn address(console: &Console) -> SocketAddr {
    console.url.socket_addrs(|| None).unwrap()[0]
}

async fn carry(listener: TcpListener, to: watch::Receiver<Option<SocketAddr>>) {
    loop {
        let (mut near, _) = listener.accept().await.unwrap();
        let mut to = to.clone();
        tokio::spawn(async move {
            let leads_to = *to.borrow_and_update();
            let Some(console) = leads_to else { return };
            let passed = async {
                let mut far = TcpStream::connect(console).await?;
                copy_bidirectional(&mut near, &mut far).await
            };
            // Until one of them hangs up, or the way is another one.
            tokio::select! {
                _ = passed => {}
                _ = to.changed() => {}
            }
        });
    }
}
