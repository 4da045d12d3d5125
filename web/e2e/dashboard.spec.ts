import { expect, test } from './support/test'

test('an operator arranges the dashboard, and finds it so the next time', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/dashboard')
  const titles = () => page.locator('[data-section]').evaluateAll((all) => all.map((each) => each.ariaLabel))
  await expect(page.getByRole('region', { name: '机房健康' })).toBeVisible()
  // The figures of the fleet come with their answer; before it their section is not there to be arranged.
  await expect(page.getByRole('region', { name: '设备', exact: true })).toBeVisible()
  const before = await titles()
  expect(before.slice(0, 2)).toEqual(['需要处理', '机房健康'])

  await page.getByRole('button', { name: '调整布局' }).click()
  const drawer = page.getByRole('dialog', { name: '调整布局' })
  await drawer.getByRole('checkbox', { name: '客户端用户' }).uncheck()
  await drawer.locator('li').nth(1).getByRole('button').nth(1).click()
  const after = ['机房健康', '需要处理', ...before.slice(2).filter((title) => title !== '客户端用户')]
  await expect.poll(titles).toEqual(after)
  await page.reload()
  await expect(page.getByRole('region', { name: '机房健康' })).toBeVisible()
  await expect.poll(titles).toEqual(after)

  await page.getByRole('button', { name: '调整布局' }).click()
  await page.getByRole('button', { name: '恢复默认布局' }).click()
  await expect.poll(titles).toEqual(before)
})
