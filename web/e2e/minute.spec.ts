import type { Page } from '@playwright/test'
import { unique } from './support/api'
import { home, option } from './support/counted'
import { livingRoom } from './support/fleet'
import { expect, test } from './support/test'

test.use({ company: 'minute' })

/** The living room has one name for its first frame; another room may have it too. */
async function frameOf(page: Page): Promise<{ name: string; room: string }> {
  const room = await livingRoom(page)
  await page.goto(`/device/address?tab=frames&roomId=${room}`)
  const first = page.locator('tr[data-row]').first()
  await expect(first).toBeVisible()
  return { name: (await first.getByRole('cell').first().innerText()).trim(), room: '上海演示机房' }
}

async function cardOf(page: Page): Promise<string> {
  const room = await livingRoom(page)
  await page.goto(`/device/management?roomId=${room}&networkStatus=1&sort=id`)
  const first = page.locator('tr[data-row]').first()
  await expect(first).toBeVisible({ timeout: 60_000 })
  return (await first.locator('a').first().innerText()).trim()
}

test('a card by its address: 3', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const address = await cardOf(page)
  const does = await home(page, 3)
  await does.find(address)
  await expect(option(page, new RegExp(address.replaceAll('.', '\\.')))).toBeVisible()
  await does.press('Enter')
  await expect(page).toHaveURL(/\/device\/management\?.*detail=\d+/)
  await expect(page.getByText(`${address}:`).first()).toBeVisible()
})

test('a shell on a card: 3', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const address = await cardOf(page)
  const does = await home(page, 3)
  await does.find(address)
  await does.click(option(page, /^打开终端/))
  await expect(page.getByRole('dialog').getByText('已连接')).toBeVisible()
})

test('a frame is power-cycled: 4', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const { name, room } = await frameOf(page)
  const does = await home(page, 4)
  await does.find(name)
  await does.click(option(page, new RegExp(`^断电重启.*${name}.*${room}`)))
  const question = page.getByRole('dialog')
  await expect(question).toContainText(name)
  await expect(question.getByLabel('原因')).not.toHaveValue('')
  await does.click(question.getByRole('button', { name: '断电重启' }))
  await expect(page).toHaveURL(/\/device\/operations\/\d+/)
})

test('a frame goes into maintenance: 4', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const { name, room } = await frameOf(page)
  const does = await home(page, 4)
  await does.find(name)
  await does.click(option(page, new RegExp(`^进入维护.*${name}.*${room}`)))
  const question = page.getByRole('dialog')
  // The question names the room and the frame, and counts what it takes along.
  await expect(question).toContainText(new RegExp(`${room}.* · ${name}：\\d+ 张卡，\\d+ 个客户端用户使用中`))
  await does.click(question.getByRole('button', { name: '进入维护' }))
  await expect(question).toBeHidden()
  await page.goto(`/device/address?tab=frames&keyWord=${name}&maintenance=3`)
  await expect(page.locator('tr[data-row]').filter({ hasText: room })).toBeVisible()
})

test('a rack is built with its hosts and positions: 8', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const name = unique('R')
  const does = await home(page, 8)
  await does.find('上海演示机房')
  await does.click(option(page, /^整架新建/))
  const form = page.getByRole('dialog')
  await does.fill(form.getByLabel('名称'), name)
  await does.fill(form.getByLabel('主机数'), '3')
  await does.fill(form.getByLabel('每台主机卡位数'), '10')
  await does.click(form.getByRole('button', { name: '下一步' }))
  await expect(form.getByText('将新建 1 个机架、3 台主机、30 个卡位')).toBeVisible()
  await does.click(form.getByRole('button', { name: '保存' }))
  await expect(form).toBeHidden()
  await page.goto(`/device/address?tab=frames&keyWord=${name}`)
  await expect(page.locator('tr[data-row]')).toHaveCount(1)
})

test('why an operation failed, and its failures of one reason again: 4', async ({ page, enter, staff }) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  const online = `/api/fleet/v1/cards?roomId=${room}&networkStatus=1&sort=id&pageNum=1&pageSize=2`
  // A frame of an earlier test may be starting again.
  let cards: { id: number }[] = []
  const found = async () => {
    cards = (await staff.admin.call<{ list: { id: number }[] }>('GET', online)).list
    return cards.length
  }
  await expect.poll(found, { timeout: 60_000 }).toBe(2)
  const { id } = await staff.admin.call<{ id: number }>('POST', '/api/operation/v1/operations', {
    selection: { ids: cards.map((card) => card.id) },
    act: { kind: 'shell', script: 'exit 3' },
    options: { stopAtPercent: 100 },
  })
  const address = `/api/operation/v1/operations/${id}`
  const state = async () => (await staff.admin.call<{ state: number }>('GET', address)).state
  await expect.poll(state, { timeout: 30_000 }).toBe(7)

  const does = await home(page, 4)
  const attention = page.getByRole('region', { name: '需要处理' })
  const concern = attention.getByRole('listitem').filter({ hasText: `操作 #${id} 执行脚本` })
  await does.click(concern.getByRole('link', { name: '按原因重试' }))
  const reasons = page.getByRole('region', { name: '未成功的原因' })
  await expect(reasons.getByText('命令返回了非零退出码')).toBeVisible()
  await expect(reasons.getByText(/集中在|分布在/)).toBeVisible()
  await does.click(reasons.getByRole('button', { name: '重试这 2 个' }))
  const question = page.getByRole('dialog')
  await does.click(question.getByLabel('可能已执行过的也重试'))
  await does.click(question.getByRole('button', { name: '重试这 2 个' }))
  await expect(question).toBeHidden()
})

test('what a filter matches is rebooted: 6', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  await cardOf(page)
  const does = await home(page, 6)
  await does.click(page.getByRole('main').getByRole('link', { name: /^空闲/ }))
  await expect(page.locator('tr[data-row]').first()).toBeVisible()
  await does.click(page.getByRole('checkbox').first())
  await does.click(page.getByRole('button', { name: /^选择筛选匹配的全部/ }))
  await does.click(page.getByRole('button', { name: '重启', exact: true }))
  const question = page.getByRole('dialog')
  await does.fill(question.getByLabel('原因'), '升级后重启')
  await does.click(question.getByRole('button', { name: '重启', exact: true }))
  await expect(page).toHaveURL(/\/device\/operations\/\d+/)
  await expect(page.getByText('对象').locator('..')).toContainText('运行状态 空闲')
})
