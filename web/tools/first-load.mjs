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

/** In the page: tells when something has been painted, and what rows are shown. */
function helpers() {
  const shown = () => [...document.querySelectorAll('.page')].find((page) => page.offsetParent !== null)
  const rows = () => [...(shown()?.querySelectorAll('tbody tr[data-row]') ?? [])].map((row) => row.innerText).join()
  const painted = (isThere) =>
    new Promise((done) => {
      const look = () => {
        if (!isThere()) return requestAnimationFrame(look)
        // The frame of this callback is painted before the message is heard.
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => done(performance.now())
        port2.postMessage(null)
      }
      requestAnimationFrame(look)
    })
  const isThere = {
    rows: (before) => rows() !== '' && rows() !== before,
    detail: () => document.querySelector('[role=dialog] [role=tab], .kit-beside [role=tab]') !== null,
  }
  /** Begins to wait for what follows the next click or key. */
  const begin = (what) => {
    const before = rows()
    let start
    const note = () => {
      start ??= performance.now()
    }
    for (const type of ['click', 'keydown']) addEventListener(type, note, { capture: true, once: true })
    window.measured = painted(() => start !== undefined && isThere[what](before)).then((at) => at - start)
  }
  window.bench = { begin }
  painted(() => isThere.rows('')).then((at) => {
    const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    window.firstRow = { at, requests: all.filter(({ startTime }) => startTime < at).length }
  })
}

/** Milliseconds from a click or a key to the paint of what it leads to. */
async function after(page, what, act) {
  await page.evaluate((what) => window.bench.begin(what), what)
  await act()
  const never = page.waitForTimeout(10_000).then(() => Promise.reject(new Error(`no ${what} after ${act}`)))
  never.catch(() => undefined)
  return Promise.race([page.evaluate(() => window.measured), never])
}

/** Clicks as a person does, whose pointer is there a moment before. */
async function click(locator) {
  await locator.hover()
  await locator.page().waitForTimeout(150)
  await locator.click()
}

/** The link to the detail of a row in the list that is shown. */
const record = (page, row) => page.locator('.page:visible tbody tr[data-row]').nth(row).locator('td a').first()

async function detail(page, row) {
  const time = await after(page, 'detail', () => click(record(page, row)))
  await page.keyboard.press('Escape')
  await page.locator('[role=dialog], .kit-beside').waitFor({ state: 'hidden' })
  return time
}

/** The addresses of all screens in the menu, of which one group is open at a time. */
async function menuPaths(page) {
  const paths = new Set()
  const groups = page.locator('.sidebar button[aria-expanded]')
  for (let at = 0; at < (await groups.count()); at += 1) {
    if ((await groups.nth(at).getAttribute('aria-expanded')) === 'false') await groups.nth(at).click()
    for (const link of await page.locator('.sidebar a').all())
      paths.add(new URL(await link.getAttribute('href'), base).pathname)
  }
  return paths
}

const quiet = (page) => page.waitForLoadState('networkidle').catch(() => undefined)

/** What a person waits for in a list, in the order in which it is done. */
async function uses(page) {
  const found = { detail: await detail(page, 0), detailOther: await detail(page, 1) }
  const pages = page.locator('.page:visible .ant-pagination-item')
  found.page2 = await after(page, 'rows', () => click(page.locator('.page:visible .ant-pagination-item-2')))
  found.lastPage = await after(page, 'rows', () => click(pages.last()))
  await after(page, 'rows', () => click(pages.first()))
  await quiet(page)
  // Beside the box and the number.
  const name = await page.locator('.page:visible tbody tr[data-row]').first().locator('td').nth(2).innerText()
  await page.locator('.page:visible input[type=search]').fill(name)
  found.search = await after(page, 'rows', () => page.keyboard.press('Enter'))
  await quiet(page)
  found.click = await after(page, 'rows', () => click(page.locator('nav a[href="/clientUser/records"]')))
  return found
}

/** The list in a browser that has nothing of it, so many milliseconds after the browser was started. */
async function firstVisit(wait) {
  const cold = await fresh(state)
  const { page } = cold
  await page.addInitScript(helpers)
  await page.waitForTimeout(wait)
  await page.goto(`${base}/clientUser`)
  await page.waitForFunction(() => window.firstRow !== undefined)
  const seen = await page.evaluate(() => ({
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    firstRow: window.firstRow.at,
    requests: window.firstRow.requests,
  }))
  return { ...cold, seen }
}

const rounds = []
let moreBytes = 0
for (let round = 0; round < 5; round += 1) {
  // A browser is at its own start for a second or so, and takes a processor for it: once with that, once after it.
  const started = await firstVisit(0)
  await started.browser.close()
  const { page, browser, seen } = await firstVisit(2_000)
  await quiet(page)
  const listBytes = await scriptBytes(page)
  await page.reload({ waitUntil: 'commit' })
  await page.waitForFunction(() => window.firstRow !== undefined)
  const reload = await page.evaluate(() => window.firstRow.at)
  await quiet(page)
  rounds.push({ ...seen, firstRowAtStart: started.seen.firstRow, listBytes, reload, ...(await uses(page)) })
  if (round === 4) {
    // What each other screen adds to what is there already.
    for (const path of await menuPaths(page)) {
      await page.goto(base + path, { waitUntil: 'networkidle', timeout: 5000 }).catch(() => undefined)
      moreBytes = Math.max(moreBytes, await scriptBytes(page))
    }
  }
  await browser.close()
}

const medians = Object.keys(rounds[0]).map((name) => [name, median(rounds.map((round) => round[name]))])
console.log(JSON.stringify({ loginBytes, moreBytes, ...Object.fromEntries(medians) }))
