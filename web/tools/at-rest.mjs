// How much of a core the dashboard, the panel of all rooms and a room take in a browser, and how many frames a second
// they draw. Whoever calls it lets cards report, and change or not. Prints two lines of JSON: shares of a core over 20
// seconds, then frames a second over 5 seconds.
//   SKYRACK_ADMIN_PASSWORD=... node web/tools/at-rest.mjs http://127.0.0.1:8080 ROOM
import { frames, fresh, signIn } from './browser.mjs'

const [base, room] = process.argv.slice(2)
const { browser, page } = await fresh(await signIn(base))

/** Time over which the work of a page is counted, in milliseconds. */
const rest = 20_000
const pages = { dashboard: '/dashboard', overview: '/device/panel', room: `/device/panel?room=${room}` }
const devtools = await page.context().newCDPSession(page)
await devtools.send('Performance.enable')
/** Seconds that the page's main thread has worked. */
const worked = async () => {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration').value
}

/** Opens a page and gives it time to draw what it has. */
async function settle(where) {
  await page.goto(base + where)
  await page.waitForTimeout(6_000)
}

const idle = {}
for (const [name, where] of Object.entries(pages)) {
  await settle(where)
  const before = await worked()
  await page.waitForTimeout(rest)
  idle[name] = ((await worked()) - before) / (rest / 1000)
}
console.log(JSON.stringify({ idle }))

const live = {}
for (const [name, where] of Object.entries(pages)) {
  await settle(where)
  live[name] = await frames(page, () => page.waitForTimeout(5_000))
}
console.log(JSON.stringify({ live }))
await browser.close()
