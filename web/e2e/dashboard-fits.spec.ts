import { Shell } from './support/shell'
import { expect, test } from './support/test'

const sizes = [
  { width: 1280, height: 720 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
]

for (const language of ['zh', 'en'] as const) {
  test(`the usual arrangement fills the window and does not scroll, in ${language}`, async ({ page, enter }) => {
    await enter(undefined, language, '/dashboard')
    const last = page.locator('[data-section="running"]')
    await expect(page.locator('.dashboard-room').first()).toBeVisible()
    await expect(page.locator('[data-section="phones"] a')).toHaveCount(12)
    for (const size of sizes) {
      await page.setViewportSize(size)
      const said = `${size.width}x${size.height}`
      const main = new Shell(page).main
      await expect
        .poll(() => main.evaluate((element) => element.scrollHeight - element.clientHeight), said)
        .toBeLessThanOrEqual(0)
      const box = await last.boundingBox()
      expect(size.height - ((box?.y ?? 0) + (box?.height ?? 0)), `below, at ${said}`).toBeLessThanOrEqual(13)
    }
  })
}

test('the dashboard says when its figures stopped, and goes on when the network is back', async ({
  page,
  enter,
  complaints,
}) => {
  complaints.expect(/ERR_INTERNET_DISCONNECTED/)
  await enter(undefined, 'zh', '/dashboard')
  await expect(page.getByText(/^实时 · /)).toBeVisible()
  // Longer than the silence after which figures count as stopped: the server's beats keep them live.
  await page.evaluate(() => new Promise((next) => setTimeout(next, 12_000)))
  await expect(page.getByText(/^实时 · /)).toBeVisible()

  // Taking the browser offline leaves an open stream open, so it is served in pieces that end.
  let isCut = false
  await page.route(/\/(api\/|readyz)/, (route) => {
    if (isCut) return route.abort('internetdisconnected')
    if (!route.request().url().endsWith('/events')) return route.continue()
    return route.fulfill({ contentType: 'text/event-stream', body: ': beat\n\n' })
  })
  await page.reload()
  await expect(page.getByText(/^实时 · /)).toBeVisible()
  isCut = true
  await expect(page.getByText(/^数据停在 \d\d:\d\d:\d\d$/)).toBeVisible({ timeout: 30_000 })
  isCut = false
  await expect(page.getByText(/^实时 · /)).toBeVisible({ timeout: 40_000 })
})
