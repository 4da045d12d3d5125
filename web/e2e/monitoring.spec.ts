import { livingRoom } from './support/fleet'
import { Shell } from './support/shell'
import { expect, test } from './support/test'

const figures = { cpu: 40, memory: 60, storage: 20, temperature: 50, hottest: 61, latency: 9, loss: 0 }
const counts = { total: 144, online: 140, inUse: 60, fault: 2, offline: 2 }

test('all charts are in the window, and another range and room draw other ones', async ({ page, enter }) => {
  // The room reports once a minute, which is too long to wait for.
  await page.route(/\/fleet\/v1\/metrics/, (route) => {
    const place = Array.from({ length: 30 }, (_, back) => ({
      at: new Date(Date.now() - (30 - back) * 60_000).toISOString(),
      ...figures,
      ...counts,
    }))
    return route.fulfill({ json: { status: 0, msg: '', data: { place }, success: true } })
  })
  await enter(undefined, 'zh', '/device/monitoring')
  const main = new Shell(page).main
  const charts = main.locator('.device-charts section')
  await expect(charts).toHaveCount(5)
  for (const size of [
    { width: 1280, height: 720 },
    { width: 1440, height: 900 },
    { width: 1920, height: 1080 },
  ]) {
    await page.setViewportSize(size)
    const said = `${size.width}x${size.height}`
    await expect
      .poll(() => main.evaluate((element) => element.scrollHeight - element.clientHeight), said)
      .toBeLessThanOrEqual(0)
    const box = await charts.last().boundingBox()
    expect(size.height - ((box?.y ?? 0) + (box?.height ?? 0)), `below, at ${said}`).toBeLessThanOrEqual(13)
    // The picture is as wide as its place, also after a change of the window.
    await expect
      .poll(async () => {
        const [place, drawn] = await Promise.all([
          charts.first().boundingBox(),
          charts.first().locator('canvas').boundingBox(),
        ])
        return (place?.width ?? 0) - (drawn?.width ?? 0)
      }, said)
      .toBeLessThanOrEqual(30)
  }

  const answer = (hours: number, room?: number) =>
    page.waitForResponse((response) => {
      const asked = new URL(response.url())
      if (!asked.pathname.endsWith('/metrics')) return false
      const span =
        Date.parse(asked.searchParams.get('endTime') ?? '') - Date.parse(asked.searchParams.get('startTime') ?? '')
      return span === hours * 3_600_000 && (room === undefined || asked.searchParams.get('id') === String(room))
    })
  const week = answer(168)
  await page.getByRole('button', { name: '7 天' }).click()
  expect((await week).ok()).toBe(true)
  await expect(page).toHaveURL(/hours=168/)
  await expect(charts).toHaveCount(5)

  const room = await livingRoom(page)
  const other = answer(24, Number(room))
  await page.goto(`/device/monitoring?room=${room}&hours=24`)
  expect((await other).ok()).toBe(true)
  await expect(charts).toHaveCount(5)
  await expect(page.getByRole('button', { name: '24 小时' })).toHaveAttribute('aria-pressed', 'true')
})
