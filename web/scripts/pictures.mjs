// Takes the pictures of the README anew, into docs/images, from a demo server of its own:
//   node web/scripts/pictures.mjs
// It needs target/debug/skyrack, web/dist and Debian's chromium-headless-shell (`make test` gets all three).
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium } from '@playwright/test'

const root = resolve(import.meta.dirname, '../..')
const address = `127.0.0.1:${process.env.PORT ?? 18765}`
const password = 'Rack_2026sky'
const folder = mkdtempSync(join(tmpdir(), 'skyrack-pictures-'))
const env = { ...process.env, SKYRACK_ADMIN_PASSWORD: password, SKYRACK_LOG: 'warn' }
const binary = process.env.TEST_BINARY ?? join(root, 'target/debug/skyrack')
const server = spawn(binary, ['serve', '--demo', '--data-dir', folder, '--listen', address], { env, stdio: 'inherit' })
const executablePath = process.env.CHROMIUM ?? '/usr/lib/chromium/chromium-headless-shell'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })

try {
  const context = await browser.newContext({
    baseURL: `http://${address}`,
    viewport: { width: 1440, height: 900 },
    timezoneId: 'Asia/Shanghai',
    reducedMotion: 'reduce',
  })
  await context.addCookies([{ name: 'language', value: 'en', url: `http://${address}` }])
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const isReady = () =>
    fetch(`http://${address}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
  while (!(await isReady())) await page.waitForTimeout(200)
  await page.goto('/login')
  await page.getByLabel(/^Username/).fill('admin')
  await page.getByLabel(/^Password/).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('banner').waitFor()
  // The agent of the simulated room looks at every card three times before a state is certain.
  await page.waitForTimeout(Number(process.env.SECONDS ?? 90) * 1000)
  for (const [name, path] of [
    ['dashboard', '/dashboard'],
    ['panel', '/device/panel'],
  ]) {
    await page.goto(path)
    await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined)
    // The panel begins with the list of rooms; this one lives.
    if (name === 'panel') await page.getByText('上海演示机房（仿真）').first().click()
    await page.waitForTimeout(3_000)
    const file = join(root, `docs/images/${name}.png`)
    await page.screenshot({ path: file })
    console.log(`${file}: ${Math.round(statSync(file).size / 1024)} KiB`)
  }
} finally {
  await browser.close()
  server.kill('SIGTERM')
  await new Promise((ended) => server.once('exit', ended))
  rmSync(folder, { recursive: true })
}
