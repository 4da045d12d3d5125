// Browsers for what `make bench` measures.
import { chromium } from 'playwright-core'

const switches = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync']
const quiet = ['--disable-background-networking', '--disable-component-update']

/** A browser that has never been here; `state` has it signed in. */
export async function fresh(state) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [...switches, ...quiet],
  })
  const context = await browser.newContext({ storageState: state, viewport: { width: 1440, height: 900 } })
  return { browser, context, page: await context.newPage() }
}

/** Signs in as `admin` and answers what a browser then remembers. `onForm` sees the page before. */
export async function signIn(base, onForm = () => undefined) {
  const { browser, context, page } = await fresh()
  await page.goto(`${base}/login`, { waitUntil: 'networkidle' })
  await onForm(page)
  await page.locator('input').nth(0).fill('admin')
  await page.locator('input[type=password]').fill(process.env.SKYRACK_ADMIN_PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => !url.pathname.startsWith('/login'))
  await page.locator('nav a, aside a').first().waitFor()
  const state = await context.storageState()
  await browser.close()
  return state
}

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** The times between frames while `move` is at work, in milliseconds. */
export async function frames(page, move) {
  await page.evaluate(() => {
    const seen = []
    window.frames = seen
    const tick = (now) => {
      seen.push(now)
      if (window.frames === seen) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  await move()
  return page.evaluate(() => {
    const seen = window.frames
    window.frames = undefined
    const times = seen.slice(1).map((at, n) => at - seen[n])
    times.sort((a, b) => a - b)
    const sum = times.reduce((all, each) => all + each, 0)
    return { perSecond: (times.length / sum) * 1000, p99: times[Math.floor(times.length * 0.99)] }
  })
}
