// What a browser loads and how soon a person sees something. Called by `make bench`; prints one line of JSON.
//   SKYRACK_ADMIN_PASSWORD=... node web/tools/first-load.mjs http://127.0.0.1:8080
import { fresh, median, signIn } from './browser.mjs'

const base = process.argv[2]

/** Bytes of the scripts that this page load needed, compressed as they came; those from the cache cost nothing. */
const scriptBytes = (page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name, transferSize }) => name.endsWith('.js') && transferSize > 0)
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  )

let loginBytes = 0
const state = await signIn(base, async (page) => {
  loginBytes = await scriptBytes(page)
})

/** From a click on an entry of the menu, which the pointer came to before, to the rows of its page. */
async function click(page, path) {
  const entry = page.locator(`nav a[href="${path}"]`)
  await entry.hover()
  await page.waitForTimeout(150)
  return entry.evaluate((link) => {
    const shown = () => [...document.querySelectorAll('.page')].filter((page) => page.offsetParent !== null)
    const before = shown()
    const start = performance.now()
    link.click()
    return new Promise((done) => {
      const look = () => {
        const isThere = shown().some((page) => !before.includes(page) && page.querySelector('tbody tr[data-row]'))
        if (isThere) done(performance.now() - start)
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
  })
}

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
  const bytes = await scriptBytes(cold.page)
  await cold.page.reload({ waitUntil: 'commit' })
  await cold.page.waitForFunction(() => window.firstRow !== undefined)
  const reload = await cold.page.evaluate(() => window.firstRow)
  await cold.page.waitForLoadState('networkidle').catch(() => undefined)
  rounds.push({ ...seen, bytes, reload, click: await click(cold.page, '/clientUser/records') })
  if (round === 4) {
    // What each other screen adds to what is there already.
    const paths = await cold.page.evaluate(() =>
      [...document.querySelectorAll('nav a, aside a')].map((a) => a.pathname),
    )
    let moreBytes = 0
    for (const path of new Set(paths)) {
      await cold.page.goto(base + path, { waitUntil: 'networkidle', timeout: 5000 }).catch(() => undefined)
      moreBytes = Math.max(moreBytes, await scriptBytes(cold.page))
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
    reload: median(rounds.map((round) => round.reload)),
    click: median(rounds.map((round) => round.click)),
  }),
)
