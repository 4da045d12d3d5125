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
  await page.waitForURL('**/clientUser')
  await page.locator('nav a, aside a').first().waitFor()
  const state = await context.storageState()
  await browser.close()
  return state
}

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
