//! Starting processes that end with this one.

use std::io;
use std::sync::LazyLock;
use std::sync::mpsc::{self, Sender};

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

type Start = Box<dyn FnOnce() + Send>;

/// A thread that lives as long as the program: the system ends such a process with the thread that started it, and the
/// runtime's own threads come and go.
static STARTER: LazyLock<Sender<Start>> = LazyLock::new(|| {
    let (sender, starts) = mpsc::channel::<Start>();
    std::thread::spawn(move || starts.into_iter().for_each(|start| start()));
    sender
});

/// Starts a process.
///
/// # Errors
/// When the system refuses.
pub(super) async fn start(mut command: Command) -> io::Result<Child> {
    let (sender, started) = oneshot::channel();
    let runtime = Handle::current();
    let start = move || {
        let _inside = runtime.enter();
        // If nobody waits any more, it is dropped, and killed by that.
        drop(sender.send(command.spawn()));
    };
    STARTER.send(Box::new(start)).map_err(|_| io::Error::other("no process can be started"))?;
    started.await.map_err(io::Error::other)?
}
