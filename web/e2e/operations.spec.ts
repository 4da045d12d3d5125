import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { Api } from './support/api'
import { livingRoom, roomOf, still } from './support/fleet'
import { beside } from './support/list'
import { expect, test } from './support/test'

test.use({ company: 'operations' })

/** Waits for more cards than so many: after the start of a server they come online one by one. */
async function waitForCards(page: Page, count: number) {
  await expect(async () => {
    await page.getByRole('button', { name: /^(刷新|Refresh)$/ }).click()
    await expect(page.locator('tr[data-row]').nth(count)).toBeVisible({ timeout: 2_000 })
  }).toPass({ timeout: 60_000 })
}

/** Selects the first cards of the list. */
async function select(page: Page, count: number) {
  await waitForCards(page, count)
  for (let at = 0; at < count; at += 1) await page.locator('tr[data-row]').nth(at).getByRole('checkbox').check()
}

/** Opens the dialog that begins an operation on what is selected: by its own button, or out of a menu. */
async function begin(page: Page, what: string, menu = /批量操作/) {
  const alone = page.getByRole('button', { name: what, exact: true })
  if (await alone.isVisible()) {
    await alone.click()
    return page.getByRole('dialog')
  }
  await page.getByRole('button', { name: menu }).click()
  await page.getByRole('menuitem', { name: what, exact: true }).click()
  return page.getByRole('dialog')
}

test('a script runs on selected cards, and each says what it printed', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  await page.goto(`/device/management?roomId=${room}&networkStatus=1&sort=id`)
  await select(page, 3)
  const dialog = await begin(page, '执行脚本')
  await expect(dialog.getByText('将在 3 张卡上执行')).toBeVisible()
  await dialog.getByLabel('脚本').fill('echo seen by a card')
  await dialog.getByRole('button', { name: '执行脚本' }).click()

  await expect(page).toHaveURL(/\/device\/operations\/\d+/)
  const detail = page.getByRole('region', { name: '执行脚本 #' })
  await expect(detail.getByText('已完成', { exact: true })).toBeVisible({ timeout: 30_000 })
  const results = detail.getByRole('table', { name: '结果', exact: true })
  await expect(results.getByText('seen by a card')).toHaveCount(3)
  await expect(detail.getByRole('button', { name: '成功 3' })).toBeVisible()
})

test('what failed is grouped by its reason, and tried again alone', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  await page.goto(`/device/management?roomId=${room}&networkStatus=1&sort=id`)
  await select(page, 2)
  const dialog = await begin(page, '执行脚本')
  await dialog.getByLabel('脚本').fill('exit 3')
  await dialog.getByRole('button', { name: '执行脚本' }).click()
  const detail = page.getByRole('region', { name: '执行脚本 #' })
  await expect(detail.getByText('全部失败')).toBeVisible({ timeout: 30_000 })
  const reasons = detail.getByRole('region', { name: '未成功的原因' })
  await expect(reasons.getByText('命令返回了非零退出码')).toBeVisible()
  await reasons.getByRole('button', { name: '重试这 2 个' }).click()
  const question = page.getByRole('dialog').filter({ hasText: '只重试失败的任务' })
  await expect(question.getByText('其中 2 个可能已在设备上执行过')).toBeVisible()
  await question.getByLabel('可能已执行过的也重试').click()
  await question.getByRole('button', { name: '重试这 2 个' }).click()
  await expect(question).toBeHidden()
  await expect(detail.getByText('第 2 次').first()).toBeVisible({ timeout: 30_000 })
})

test('what one operator may not start alone is not retried alone either', async ({ page, enter, server, staff }) => {
  const { username, password } = await staff.operator()
  const second = await new Api(server.base).signIn(username, password)
  const settings = '/api/fleet/v1/settings'
  const kept = Object.entries(await second.call<object>('GET', settings))
  const usual = Object.fromEntries(kept.filter(([name]) => !/^(secrets|updated.*)$/.test(name)))
  await second.call('PUT', settings, { ...usual, approvalAbove: 1 })
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  await page.goto(`/device/management?roomId=${room}&networkStatus=1&sort=id`)
  await select(page, 2)
  const dialog = await begin(page, '执行脚本')
  await expect(dialog.getByText('需要另一位操作员批准后才会开始')).toBeVisible()
  await dialog.getByLabel('脚本').fill('exit 3')
  await dialog.getByRole('button', { name: '执行脚本' }).click()
  const detail = page.getByRole('region', { name: '执行脚本 #' })
  await expect(detail.getByText('待审批')).toBeVisible()
  const { pathname } = new URL(page.url())
  const approve = () =>
    second.call('POST', `/api/operation/v1/operations/${pathname.split('/').at(-1)}/approve`, { approved: true })
  await approve()

  await expect(detail.getByText('全部失败')).toBeVisible({ timeout: 30_000 })
  await detail.getByRole('button', { name: '重试失败或过期任务' }).click()
  const question = page.getByRole('dialog').filter({ hasText: '只重试失败的任务' })
  await question.getByLabel('可能已执行过的也重试').click()
  // It is certain once all of them are meant.
  await expect(question.getByText('需要另一位操作员批准后才会重试')).toBeVisible()
  await question.getByRole('button', { name: '重试失败或过期任务' }).click()
  await expect(detail.getByText('申请重试 2 个任务')).toBeVisible()
  await expect(detail.getByText('待审批')).toBeVisible()
  await approve()
  await expect(detail.getByText('第 2 次').first()).toBeVisible({ timeout: 30_000 })
  const { version } = await second.call<{ version: number }>('GET', settings)
  await second.call('PUT', settings, { ...usual, version })
})

test('a reboot of a whole filter wants a reason and says what it leaves out', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  await page.goto(`/device/management?networkStatus=3&roomId=${await roomOf(page, still)}`)
  await expect(page.locator('tr[data-row]').first()).toBeVisible()
  await page.getByRole('checkbox').first().check()
  const dialog = await begin(page, '重启')
  await expect(dialog.getByText('没有可以执行的卡')).toBeVisible()
  await expect(dialog.getByText('设备离线，未执行')).toBeVisible()
  await dialog.getByRole('button', { name: '重启' }).click()
  await expect(
    dialog
      .getByText('不能为空')
      .or(dialog.getByText(/必填|请填写|请输入/))
      .first(),
  ).toBeVisible()
  await dialog.getByRole('button', { name: '取消' }).click()
})

test('a selection is drained and returned in the books', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  for (const [what, asks] of [
    ['排空', true],
    ['恢复使用', false],
  ] as const) {
    await page.goto(`/device/management?roomId=${room}&sort=id&order=desc`)
    await select(page, 2)
    const dialog = await begin(page, what, /维护与调配/)
    await expect(dialog.getByText('将在 2 张卡上执行')).toBeVisible()
    if (asks) await dialog.getByLabel('原因').fill('换硬盘')
    await dialog.getByRole('button', { name: what }).click()
    const detail = page.getByRole('region', { name: `${what} #` })
    await expect(detail.getByText('已完成', { exact: true })).toBeVisible({ timeout: 30_000 })
    await expect(detail.getByRole('button', { name: '成功 2' })).toBeVisible()
  }
})

test('a file is pushed to cards, and a card says where it is', async ({ page, enter }) => {
  await enter(undefined, 'en', '/device/panel')
  const room = await livingRoom(page)
  await page.goto(`/device/management?roomId=${room}&networkStatus=1&sort=id`)
  await select(page, 2)
  await page.getByRole('button', { name: /Operations/ }).click()
  await page.getByRole('menuitem', { name: 'Push a file', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const file = { name: 'save.txt', mimeType: 'text/plain', buffer: Buffer.from('kept by a card') }
  await dialog.locator('input[type=file]').setInputFiles(file)
  await expect(dialog.getByText(/save\.txt \(14/)).toBeVisible()
  await dialog.getByLabel('Path on the card').fill('/sdcard/save.txt')
  await dialog.getByRole('button', { name: 'Push a file' }).click()
  const pushed = page.getByRole('region', { name: 'Push a file #' })
  await expect(pushed.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(pushed.getByRole('button', { name: 'Succeeded 2' })).toBeVisible()
})

test('the screens of a selection stand side by side, and a card shows its own', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  await page.goto(`/device/management?roomId=${room}&networkStatus=1&sort=id`)
  await select(page, 3)
  const dialog = await begin(page, '截图')
  await dialog.getByRole('button', { name: '截图' }).click()
  const wall = page.getByRole('region', { name: '截图 #' })
  await wall.getByRole('tab', { name: '截图墙' }).click()
  await expect(wall.locator('img')).toHaveCount(3, { timeout: 30_000 })
  await wall.locator('.operation-wall a').first().click()
  const card = beside(page)
  await card.getByRole('tab', { name: '画面' }).click()
  await expect(card.getByRole('tabpanel', { name: '画面' }).locator('img')).toBeVisible()
  await card.getByRole('tab', { name: '任务' }).click()
  await expect(card.getByRole('link', { name: '截图' }).first()).toBeVisible()
})

test('a file goes to a card and comes back, and its folder shows it', async ({ page, enter, complaints }) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  await page.goto(`/device/management?roomId=${room}&networkStatus=1&sort=id&order=desc`)
  await waitForCards(page, 10)
  await page.locator('tr[data-row]').nth(6).getByRole('link').first().click()
  const card = beside(page)
  await card.getByRole('tab', { name: '文件' }).click()
  await card.getByRole('button', { name: 'Download/' }).click()
  const name = `存档 ${Date.now()}.txt`
  await card.getByRole('button', { name: '上传到此目录' }).click()
  const upload = page.getByRole('dialog').filter({ hasText: '文件将写入 /sdcard/Download' })
  const content = Buffer.from('as it was')
  await upload.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: content })
  await expect(upload.getByText(`${name} (9 B)`)).toBeVisible()
  await upload.getByRole('button', { name: '上传到此目录' }).click()
  const row = card.getByRole('row', { name: new RegExp(name) })
  await expect(row).toBeVisible({ timeout: 30_000 })
  await expect(row).toContainText('9 B')

  const arrives = page.waitForEvent('download')
  await row.getByRole('button', { name: '下载' }).click()
  const file = await arrives
  expect(file.suggestedFilename()).toContain(name)
  expect(await readFile(await file.path(), 'utf8')).toBe('as it was')
  const transfers = card.getByRole('region', { name: '最近的传输' })
  await expect(transfers.getByText('拉取文件').first()).toBeVisible()

  complaints.expect(/404/)
  await card.getByRole('textbox', { name: '目录' }).fill('/nowhere')
  await card.getByRole('button', { name: '前往' }).click()
  await expect(card.getByText('设备上没有该路径')).toBeVisible()
})

test('an operation is a page in a tab of its own: a count filters all of it, and a link shows the same', async ({
  page,
  enter,
}) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  await page.goto(`/device/management?roomId=${room}&networkStatus=1&sort=id`)
  await select(page, 3)
  const dialog = await begin(page, '执行脚本')
  await dialog.getByLabel('脚本').fill('case $(getprop ro.serialno) in *1) exit 7;; esac; echo well')
  await dialog.getByRole('button', { name: '执行脚本' }).click()
  const detail = page.getByRole('region', { name: '执行脚本 #' })
  await expect(detail.getByRole('button', { name: '失败 1' })).toBeVisible({ timeout: 30_000 })
  const tab = page.getByRole('navigation', { name: '已打开的页面' }).getByRole('button', { name: /^执行脚本 #\d+$/ })
  await expect(tab).toHaveAttribute('aria-current', 'page')
  await expect(page.getByRole('link', { name: '批量操作' }).first()).toHaveAttribute('aria-current', 'page')

  await detail.getByRole('button', { name: '失败 1' }).click()
  await expect(page).toHaveURL(/state=4/)
  const rows = detail.getByRole('table', { name: '结果', exact: true }).locator('tr[data-row]')
  await expect(rows).toHaveCount(1)
  await expect(detail.getByRole('region', { name: '结果流' }).getByRole('listitem')).toHaveCount(1)

  await page.reload()
  await expect(rows).toHaveCount(1)
  await detail.getByRole('button', { name: '全部 3' }).click()
  await expect(rows).toHaveCount(3)
  await detail.getByRole('tab', { name: '按位置' }).click()
  await expect(detail.getByRole('region', { name: /S01：已完成 3 \/ 3，失败 1/ })).toBeVisible()

  await detail.getByRole('link', { name: '批量操作' }).click()
  await expect(page).toHaveURL(/\/device\/operations$/)
  await expect(tab).toBeVisible()
})

test('an operation that is not there says so', async ({ page, enter, complaints }) => {
  complaints.expect(/404/)
  await enter(undefined, 'en', '/device/operations/999999')
  await expect(page.getByText('No such operation')).toBeVisible()
  await page.getByRole('main').getByRole('link', { name: 'Operations' }).click()
  await expect(page).toHaveURL(/\/device\/operations$/)
})
