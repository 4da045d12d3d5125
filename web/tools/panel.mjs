// How a room's panel draws, pans, and follows its cards. Called by `make bench`. Prints lines of JSON: first one with
// the times of drawing and panning in milliseconds, then one for each change of the first card's colour.
//   SKYRACK_ADMIN_PASSWORD=... node web/tools/panel.mjs http://127.0.0.1:8080 ROOM
import { frames, fresh, median, signIn } from './browser.mjs'

const [base, room] = process.argv.slice(2)
const path = `/device/panel?room=${room}`
/** A point on the first position of the first frame, above its sign (features/device/panel/layout.ts). */
const [x, y] = [100, 18]

const state = await signIn(base)

/** Draws the panel in a fresh browser: from the press on the room, and from the arrival of its cards. */
async function drawn() {
  const { browser, page } = await fresh(state)
  await page.goto(`${base}/device/panel`)
  const tile = page.locator(`a[href$="room=${room}"]`)
  await tile.waitFor()
  await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => undefined)
  await page.evaluate(
    ([x, y]) => {
      const look = () => {
        const context = document.querySelector('.panel-canvas canvas')?.getContext('2d')
        if (context?.getImageData(x, y, 1, 1).data[3]) window.drawnAt = performance.now()
        else requestAnimationFrame(look)
      }
      document.addEventListener('click', () => {
        window.pressedAt = performance.now()
        requestAnimationFrame(look)
      })
    },
    [x, y],
  )
  await tile.click()
  await page.waitForFunction(() => window.drawnAt !== undefined)
  const times = await page.evaluate(() => {
    const cards = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/fleet/v1/cells'))
    const tree = performance.getEntriesByType('resource').filter(({ name }) => name.includes('whole=true'))
    const there = Math.max(cards.at(-1)?.responseEnd ?? 0, tree.at(-1)?.responseEnd ?? 0)
    return { pressed: window.drawnAt - window.pressedAt, data: window.drawnAt - there }
  })
  await browser.close()
  return times
}

const draws = []
for (let round = 0; round < 5; round += 1) draws.push(await drawn())

const { page } = await fresh(state)
await page.goto(base + path)
const canvas = page.locator('.panel-canvas canvas').first()
await canvas.waitFor()
await page.waitForTimeout(1000)
await page.mouse.move(700, 600)
const before = await canvas.boundingBox()
const pan = await frames(page, async () => {
  for (let step = 0; step < 120; step += 1) await page.mouse.wheel(0, step % 60 < 40 ? 120 : -120)
})
const box = await canvas.boundingBox()
if (box.y === before.y) throw new Error('the wheel moved nothing')
const drag = await frames(page, async () => {
  await page.mouse.move(box.x + 5, 300)
  await page.mouse.down()
  for (let step = 0; step < 120; step += 1) await page.mouse.move(box.x + 5 + step * 6, 300 + step * 4)
  await page.mouse.up()
})
await page.locator('.panel-selection:not([data-empty])').waitFor({ timeout: 5000 })
await page.evaluate(() => document.querySelector('.panel-canvas').focus())
await page.keyboard.press('Escape')
console.log(
  JSON.stringify({
    drawn: median(draws.map(({ data }) => data)),
    pressed: median(draws.map(({ pressed }) => pressed)),
    pan,
    drag,
  }),
)

await page.exposeFunction('tell', (at) => console.log(JSON.stringify({ at })))
await page.evaluate(
  ([x, y]) => {
    let before
    const look = () => {
      const context = document.querySelector('.panel-canvas canvas')?.getContext('2d')
      const now = context?.getImageData(x, y, 1, 1).data.join()
      if (before !== undefined && now !== before) window.tell(performance.timeOrigin + performance.now())
      before = now
      requestAnimationFrame(look)
    }
    look()
  },
  [x, y],
)
