// What a browser loads and how soon a person sees something. Called by `make bench`; prints one line of JSON.
//   SKYRACK_ADMIN_PASSWORD=... node web/tools/first-load.mjs http://127.0.0.1:8080
import { chromium } from 'playwright-core'

const base = process.argv[2]
const password = process.env.SKYRACK_ADMIN_PASSWORD
const switches = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync']
const quiet = ['--disable-background-networking', '--disable-component-update']

/** A browser that has never been here, and a count of the script bytes that come over the wire. */
async function fresh(state) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [...switches, ...quiet],
  })
  const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const wire = await context.newCDPSession(page)
  const scripts = new Set()
  const bytes = { total: 0 }
  await wire.send('Network.enable')
  wire.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type === 'Script' && !response.fromDiskCache) scripts.add(requestId)
  })
  wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes.total += encodedDataLength
  })
  return { browser, context, page, bytes }
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]

const login = await fresh()
await login.page.goto(`${base}/login`, { waitUntil: 'networkidle' })
const loginBytes = login.bytes.total
await login.page.locator('input').nth(0).fill('admin')
await login.page.locator('input[type=password]').fill(password)
await login.page.keyboard.press('Enter')
await login.page.waitForURL('**/clientUser')
await login.page.locator('tbody tr[data-row]').first().waitFor()
const state = await login.context.storageState()
await login.browser.close()

const rounds = []
for (let round = 0; round < 5; round += 1) {
  const cold = await fresh(state)
  await cold.page.addInitScript(() => {
    const look = () => {
      if (document.querySelector('tbody tr[data-row]')) window.firstRow = performance.now()
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  await cold.page.goto(`${base}/clientUser`)
  await cold.page.waitForFunction(() => window.firstRow !== undefined)
  const seen = await cold.page.evaluate(() => ({
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    row: window.firstRow,
  }))
  await cold.page.waitForLoadState('networkidle').catch(() => undefined)
  rounds.push({ ...seen, bytes: cold.bytes.total })
  if (round === 4) {
    // What each other screen adds to what is there already.
    const paths = await cold.page.evaluate(() =>
      [...document.querySelectorAll('nav a, aside a')].map((a) => a.pathname),
    )
    let moreBytes = 0
    for (const path of new Set(paths)) {
      const before = cold.bytes.total
      await cold.page.goto(base + path)
      await cold.page.waitForTimeout(1500)
      moreBytes = Math.max(moreBytes, cold.bytes.total - before)
    }
    rounds.moreBytes = moreBytes
  }
  await cold.browser.close()
}

console.log(
  JSON.stringify({
    loginBytes,
    listBytes: median(rounds.map((round) => round.bytes)),
    moreBytes: rounds.moreBytes,
    firstPaint: median(rounds.map((round) => round.paint)),
    firstRow: median(rounds.map((round) => round.row)),
  }),
)
