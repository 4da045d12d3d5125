//! `date` and `uptime`.

use super::moments::{format, parse};
use super::proc::{Outcome, Proc};
use crate::files::Moment;

/// `date`.
pub async fn date(proc: Proc) -> Outcome {
    let Some(options) = proc.options("ud:r:D:s:R", &[("date", 'd'), ("reference", 'r')]).await else { return Ok(1) };
    let moment = match (options.value('d'), options.value('r')) {
        (Some(text), _) => parse(text),
        (_, Some(path)) => proc.inode(path, true).ok().map(|inode| inode.meta().modified),
        _ => Some(Moment::now()),
    };
    let Some(moment) = moment else {
        return proc.fail(&format!("bad date '{}'", options.value('d').unwrap_or_default())).await;
    };
    let wanted = options.rest.iter().find_map(|word| word.strip_prefix('+')).unwrap_or("%a %b %e %H:%M:%S %Z %Y");
    proc.out(format(wanted, moment) + "\n").await?;
    Ok(0)
}

/// `uptime`.
pub async fn uptime(proc: Proc) -> Outcome {
    let up = proc.card.uptime();
    proc.out(format!(" up {up:.0} seconds,  0 users,  load average: 1.20, 1.10, 1.00\n")).await?;
    Ok(0)
}
