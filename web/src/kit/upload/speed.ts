/** How far back a speed looks. */
const span = 8_000
/** Before this, a speed says nothing. */
const least = 1_000

/** Hears how much has been sent by when, in milliseconds, and tells the bytes a second of the last moments. */
export function speedometer(): (sent: number, now: number) => number | undefined {
  let heard: { sent: number; at: number }[] = []
  return (sent, now) => {
    const last = heard.at(-1)
    // What was sent and did not come is sent again.
    if (last && sent < last.sent) heard = []
    heard.push({ sent, at: now })
    while (heard[1] && now - heard[1].at > span) heard.shift()
    const first = heard[0]
    if (!first || now - first.at < least) return undefined
    return ((sent - first.sent) / (now - first.at)) * 1_000
  }
}
