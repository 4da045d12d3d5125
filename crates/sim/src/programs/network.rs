//! `nc`, `tc` and what is there only to be called.

use std::sync::Arc;

use super::proc::{Outcome, Proc};
use crate::shell::fd::Stop;
use crate::shell::pipe::{Reader, Writer};

/// Programs that do nothing here.
pub async fn nothing(_proc: Proc) -> Outcome {
    Ok(0)
}

/// `nc HOST PORT`: talks to a port of the card, which `adb reverse` may lead to the host.
pub async fn nc(proc: Proc) -> Outcome {
    let args: Vec<&String> = proc.args().iter().filter(|arg| !arg.starts_with('-')).collect();
    let port = args.get(1).and_then(|port| port.parse::<u16>().ok());
    let Some(port) = port else { return proc.fail("Needs 2 arguments").await };
    let Some((to, from)) = proc.card.dial(port) else {
        return proc.fail(&format!("connect: {}", "Connection refused")).await;
    };
    let (sends, takes) = (send(&proc, to), take(&proc, from));
    tokio::pin!(sends);
    tokio::pin!(takes);
    // It ends with the other side; the end of its own input is told there.
    tokio::select! {
        done = &mut takes => done,
        sent = &mut sends => {
            sent?;
            takes.await
        }
    }
}

async fn send(proc: &Proc, to: Writer) -> Result<(), Stop> {
    let mut input = proc.stdin();
    loop {
        let bytes = input.chunk().await?;
        if bytes.is_empty() {
            return Ok(());
        }
        to.write(&bytes).await?;
    }
}

async fn take(proc: &Proc, from: Arc<Reader>) -> Outcome {
    loop {
        let bytes = from.read(64 * 1024).await;
        if bytes.is_empty() {
            return Ok(0);
        }
        proc.out(&bytes).await?;
    }
}

/// `tc qdisc add dev eth0 root tbf rate 10mbit ...`: remembered as a property, to be looked at.
pub async fn tc(proc: Proc) -> Outcome {
    let card = &proc.card;
    match proc.texts().as_slice() {
        ["qdisc", "add" | "replace" | "change", rest @ ..] => {
            let rate = rest.iter().skip_while(|word| **word != "rate").nth(1).copied().unwrap_or("none");
            card.count("speed_limit");
            card.state().props.insert("sim.speed_limit".into(), rate.into());
            Ok(0)
        }
        ["qdisc", "del", ..] => {
            let had = card.state().props.remove("sim.speed_limit").is_some();
            if !had {
                proc.fds[2].write(b"Error: Cannot delete qdisc with handle of zero.\n").await?;
                return Ok(2);
            }
            card.count("speed_limit");
            Ok(0)
        }
        ["qdisc", "show", ..] => {
            let limit = super::system::prop(card, "sim.speed_limit");
            let text = match limit {
                None => "qdisc fq_codel 0: root\n".into(),
                Some(rate) => format!("qdisc tbf 8001: root rate {rate}\n"),
            };
            proc.out(text).await?;
            Ok(0)
        }
        _ => {
            proc.fds[2].write(b"Usage: tc qdisc { add | replace | del | show } ...\n").await?;
            Ok(255)
        }
    }
}
