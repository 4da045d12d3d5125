import { readFileSync } from 'node:fs'
import { unique } from './support/api'
import { expect, test } from './support/test'

const list = '/user/operationLog'
const searchFor = '操作员、IP、对象、请求编号'

test('a change is there with what was before and after, and the filter finds it', async ({ page, staff, enter }) => {
  const operator = await staff.operator()
  const remark = unique('remark')
  await staff.admin.call('PUT', '/api/user/v1/designjet/user', {
    ...{ id: operator.id, username: operator.username, groupId: operator.groupId, accountType: 'developer' },
    ...{ email: '', phone: '', remark, enabled: true },
  })
  await enter(undefined, 'zh', list)
  await page.getByPlaceholder(searchFor).fill(operator.username)
  await expect(page).toHaveURL(/keyWord=/)
  // Made, password changed by himself, edited; whatever else is in the log is not his.
  const rows = page.getByRole('row').filter({ hasText: operator.username })
  await expect(rows.first()).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount((await rows.count()) + 1)
  const edited = rows
    .filter({ hasText: /修改|编辑|更新/ })
    .filter({ hasText: 'admin' })
    .first()
  await edited.getByRole('link').first().click()
  const detail = page.getByRole('dialog')
  await expect(detail.getByText('admin', { exact: true }).first()).toBeVisible()
  await detail.getByRole('tab', { name: '变更内容' }).click()
  await expect(detail.locator('del', { hasText: '普通用户' })).toBeVisible()
  await expect(detail.locator('ins', { hasText: '开发者' })).toBeVisible()
  await expect(detail.locator('ins', { hasText: remark })).toBeVisible()
  // The line has an address of its own.
  await page.reload()
  await expect(page.getByRole('dialog').getByRole('tab', { name: '变更内容' })).toBeVisible()
})

test('the export says 导出成功! and gives a spreadsheet of operation records', async ({ page, enter }) => {
  await enter(undefined, 'zh', list)
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  await page.getByRole('button', { name: '导出' }).click()
  const coming = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: /XLSX/ }).click()
  const download = await coming
  await expect(page.getByText('导出成功!')).toBeVisible()
  expect(download.suggestedFilename()).toMatch(/操作记录.*\.xlsx$/)
  expect(readFileSync(await download.path()).toString('latin1', 0, 2)).toBe('PK')
})

test('an export that is answered with status 1 shows the message of the server', async ({ page, enter }) => {
  await enter(undefined, 'zh', list)
  await page.route(/operation\/log\/export/, (route) =>
    route.fulfill({ json: { status: 1, msg: '没有可以导出的记录', data: null, success: false } }),
  )
  await page.getByRole('button', { name: '导出' }).click()
  await page.getByRole('menuitem', { name: /XLSX/ }).click()
  await expect(page.getByRole('alert').filter({ hasText: '没有可以导出的记录' })).toBeVisible()
  await expect(page.getByText('导出成功!')).toHaveCount(0)
})

test('the chain of the log is checked on demand', async ({ page, enter }) => {
  await enter(undefined, 'zh', list)
  await page.getByRole('button', { name: '校验完整性' }).click()
  await expect(page.getByText(/日志完整，共 [\d,]+ 行/)).toBeVisible()
  await expect(page.locator('tr[data-row]').first()).toBeVisible()
})
