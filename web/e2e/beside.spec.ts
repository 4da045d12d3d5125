import type { Page } from '@playwright/test'
import { beside } from './support/list'
import { expect, test } from './support/test'

const addressOf = async (page: Page, nth: number) =>
  (await page.locator('tr[data-row]').nth(nth).locator('a').first().innerText()).trim()

test('a detail stands beside the list, which keeps its rows and main columns and is walked by keys', async ({
  page,
  enter,
}) => {
  await enter(undefined, 'zh', '/device/management')
  const rows = page.locator('tr[data-row]')
  const heading = (name: string) => page.getByRole('columnheader', { name, exact: true })
  await expect(rows.nth(5)).toBeVisible()
  const before = await rows.nth(2).boundingBox()
  const [third, fourth, sixth] = [await addressOf(page, 2), await addressOf(page, 3), await addressOf(page, 5)]

  await page.getByRole('link', { name: third, exact: true }).click()
  await expect(beside(page)).toContainText(third)
  await expect(beside(page).getByRole('list', { name: '健康状态' }).getByRole('listitem')).toHaveCount(9)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  for (const name of ['内网 IP', '运行状态', '网络状态']) await expect(heading(name)).toBeVisible()
  await expect(heading('操作')).toBeHidden()
  // What was clicked is where it was, and nothing of the list is under the detail.
  const after = await rows.nth(2).boundingBox()
  expect(after?.y).toBe(before?.y)
  const detail = await beside(page).boundingBox()
  expect((after?.x ?? 0) + (after?.width ?? 0)).toBeLessThanOrEqual(detail?.x ?? 0)
  expect(detail?.width).toBe(800)
  const table = page.locator('.sky-table-scroll')
  expect(await table.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0)

  await page.keyboard.press('ArrowDown')
  await expect(beside(page)).toContainText(fourth)
  await page.keyboard.press('k')
  await expect(beside(page)).toContainText(third)
  await beside(page).getByRole('tab', { name: '连通性' }).click()
  await page.getByRole('link', { name: sixth, exact: true }).click()
  await expect(beside(page)).toContainText(sixth)
  await expect(beside(page).getByRole('tab', { name: '连通性' })).toHaveAttribute('aria-selected', 'true')
  await page.reload()
  await expect(beside(page).getByRole('tab', { name: '连通性' })).toHaveAttribute('aria-selected', 'true')

  await page.keyboard.press('Escape')
  await expect(beside(page)).toHaveCount(0)
  await expect(heading('操作')).toBeVisible()
})

test('a window with no room for both has the detail over the list', async ({ page, enter }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await enter(undefined, 'zh', '/device/management')
  const address = await addressOf(page, 1)
  await page.getByRole('link', { name: address, exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText(address)
  await expect(beside(page)).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})
