import type { Locator, Page } from '@playwright/test'
import { livingRoom } from './support/fleet'
import { expect, test } from './support/test'

test.use({ company: 'panel' })

const bar = (page: Page) => page.locator('.panel-selection')
/** The racks; they are an application for those who hear them. */
const racks = (page: Page) => page.getByRole('application')

/** Opens the living room; the first frame is where its first cards are. */
async function enterRoom(page: Page): Promise<Locator> {
  const room = await livingRoom(page)
  await page.goto(`/device/panel?room=${room}`)
  const frame = racks(page).locator('canvas').first()
  await expect(frame).toBeVisible()
  return frame
}

/** A point on a cell of the first frame: right of the names of the hosts, some rows down. */
async function pointOn(frame: Locator, right = 0.5) {
  const box = await frame.boundingBox()
  if (!box) throw new Error('no racks')
  return { x: Math.round(box.x + box.width * right), y: Math.round(box.y + 15 + 22 * 4 + 8) }
}

test('the first click moves nothing, and a double click opens the card that it was made on', async ({
  page,
  enter,
}) => {
  await enter(undefined, 'zh', '/device/panel')
  const frame = await enterRoom(page)
  const { x, y } = await pointOn(frame)
  const before = await frame.boundingBox()
  await page.mouse.move(x, y)
  const hover = page.getByRole('complementary', { name: '所指的卡' })
  await expect(hover).toContainText(/\d+\.\d+\.\d+\.\d+:\d+/)
  const address = (await hover.locator('.sky-mono').innerText()).trim()

  await page.mouse.click(x, y)
  await expect(bar(page)).toContainText('已选 1 张卡')
  expect(await frame.boundingBox()).toEqual(before)

  await page.keyboard.press('Escape')
  await expect(bar(page)).toContainText('单击选择')
  await page.mouse.dblclick(x, y)
  await expect(page.getByRole('complementary', { name: '详情' })).toContainText(address)
  expect(await frame.boundingBox()).toEqual(before)
  await expect(bar(page)).toContainText('已选 1 张卡')
})

test('in a narrow window the detail comes over the racks, and still nothing moves', async ({ page, enter }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await enter(undefined, 'zh', '/device/panel')
  const frame = await enterRoom(page)
  const before = await frame.boundingBox()
  const { x, y } = await pointOn(frame)
  await page.mouse.move(x, y)
  const address = (await page.getByRole('complementary', { name: '所指的卡' }).locator('.sky-mono').innerText()).trim()
  await page.mouse.dblclick(x, y)
  await expect(page.getByRole('dialog')).toContainText(address)
  expect(await frame.boundingBox()).toEqual(before)
})

test('cards are selected one by one, as a range, by host and by frame', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const frame = await enterRoom(page)
  const { x, y } = await pointOn(frame)
  await page.mouse.click(x, y)
  await page.keyboard.down('Control')
  await page.mouse.click(x, y + 44)
  await page.keyboard.up('Control')
  await expect(bar(page)).toContainText('已选 2 张卡')
  await page.mouse.click(x, y)
  await page.keyboard.down('Shift')
  await page.mouse.click(x, y + 22)
  await page.keyboard.up('Shift')
  // From a position to the same one of the next host: all of one host, and one.
  await expect(bar(page)).toContainText('已选 7 张卡')

  const box = await frame.boundingBox()
  await page.mouse.click((box?.x ?? 0) + 20, y)
  await expect(bar(page)).toContainText('已选 6 张卡')
  await racks(page).getByRole('button', { name: 'S01' }).click()
  await expect(bar(page)).toContainText('已选 72 张卡')
  await bar(page).getByRole('button', { name: '清除选择' }).click()

  await racks(page).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Shift+ArrowRight')
  await expect(bar(page)).toContainText(/已选 [34] 张卡/)
})

test('a status of the legend stands alone and its numbers stay', async ({ page, enter }) => {
  await enter(undefined, 'en', '/device/panel')
  const chip = page.getByRole('button', { name: /^Idle/ })
  // Cards live meanwhile, so that numbers move; those of what is not shown would be none.
  const other = page.getByRole('button', { name: /^In use/ })
  await expect(other).toContainText(/[1-9]/)
  await chip.click()
  await expect(chip).toHaveAttribute('aria-pressed', 'true')
  await expect(page).toHaveURL(/status=1/)
  await expect(other).toContainText(/[1-9]/)
  await chip.click()
  await expect(page).not.toHaveURL(/status=/)
})

/** Two clicks at one point, whatever is there at the second one: what the first one opens may be. */
async function dblclick(target: Locator) {
  // What is on the overview moves until the width of its tile is known.
  let last = ''
  const stands = async () => {
    const before = last
    last = JSON.stringify(await target.boundingBox())
    return last === before
  }
  await expect.poll(stands).toBe(true)
  const box = await target.boundingBox()
  if (!box) throw new Error('nothing to click on')
  await target.page().mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2)
}

test('a double click opens what it was made on, and acts on no other card', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  const open = page.getByRole('complementary', { name: '详情' })

  // A room, by its name and by its tile: its racks, with nothing selected and nothing opened.
  const name = page.locator(`.panel-name a[href$="room=${room}"]`)
  const tile = page.locator('.panel-card', { has: name })
  for (const target of [name, tile.locator('.panel-figures')]) {
    await page.goto('/device/panel')
    await dblclick(target)
    await expect(racks(page)).toBeVisible()
    await expect(page).toHaveURL(new RegExp(`room=${room}`))
    await expect(bar(page)).toContainText('单击选择')
    await expect(open).toHaveCount(0)
  }

  // A frame of the overview: its racks, and all of its cards.
  await page.goto('/device/panel')
  await dblclick(tile.locator('.panel-mini').first())
  await expect(racks(page)).toBeVisible()
  await expect(bar(page)).toContainText('已选 72 张卡')
  await expect(open).toHaveCount(0)

  const frame = await enterRoom(page)
  const { x, y } = await pointOn(frame)
  const box = await frame.boundingBox()
  // A host's name and a frame's title: their cards, selected as after one click.
  await page.mouse.dblclick((box?.x ?? 0) + 20, y)
  await expect(bar(page)).toContainText('已选 6 张卡')
  await expect(open).toHaveCount(0)
  await racks(page).getByRole('button', { name: 'S01' }).dblclick()
  await expect(bar(page)).toContainText('已选 72 张卡')
  await expect(open).toHaveCount(0)
  expect(await frame.boundingBox()).toEqual(box)

  // A card, on two places: that card and no other.
  for (const down of [0, 44]) {
    await page.mouse.move(x, y + down)
    const hover = page.getByRole('complementary', { name: '所指的卡' })
    await expect(hover).toContainText(/\d+\.\d+\.\d+\.\d+:\d+/)
    const address = (await hover.locator('.sky-mono').innerText()).trim()
    await page.mouse.dblclick(x, y + down)
    await expect(open).toContainText(address)
    await expect(bar(page)).toContainText('已选 1 张卡')
  }
})
