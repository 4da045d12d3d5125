import type { Page } from '@playwright/test'
import { unique } from './support/api'
import { living, livingRoom } from './support/fleet'
import { beside, row, rowAct, search } from './support/list'
import { expect, test } from './support/test'

test.use({ company: 'devices' })

async function choose(page: Page, field: string, option: string) {
  await page.getByRole('dialog').getByRole('combobox', { name: field }).click()
  const options = page.locator('.ant-select-dropdown:not(.ant-select-dropdown-hidden) .ant-select-item-option')
  await options.filter({ hasText: option }).first().click()
}

test('the cards of a living room come online by themselves, and one answers in a shell', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  await page.goto(`/device/management?roomId=${room}&networkStatus=1&sort=id`)
  await expect(page.locator('tr[data-row]').first()).toBeVisible({ timeout: 60_000 })
  const first = page.locator('tr[data-row]').first()
  await first.getByRole('button', { name: 'Shell' }).click()
  const shell = page.getByRole('dialog')
  // Whether a customer's phone is on it by then nobody knows.
  const reason = shell.getByLabel('原因')
  await expect(reason.or(shell.getByText('已连接'))).toBeVisible()
  if (await reason.isVisible()) {
    await reason.fill('客户报障')
    await shell.getByRole('button', { name: '打开终端' }).click()
  }
  await expect(shell.getByText('已连接')).toBeVisible()
  await page.keyboard.type('effect seen\n')
  await expect(shell.locator('.xterm-rows')).toContainText('seen')
  await page.keyboard.type('exit\n')
  await expect(shell.getByText('终端已退出，退出码 0')).toBeVisible()
  await shell
    .getByRole('button', { name: /Close|关闭/ })
    .first()
    .click()

  await page.goto('/user/operationLog')
  await page.getByRole('link', { name: '结束设备终端' }).first().click()
  await page.getByRole('tab', { name: '终端输入' }).click()
  await expect(page.getByRole('region', { name: '本页输入' })).toContainText('effect seen')
})

test('a card is drained and returned, and its timeline says so', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  await page.goto(`/device/management?roomId=${room}&maintenance=1&sort=-id`)
  const first = page.locator('tr[data-row]').first()
  await expect(first).toBeVisible()
  const address = (await first.locator('a').first().innerText()).trim()
  await rowAct(page, address, '排空')
  const question = page.getByRole('dialog')
  await question.getByLabel('原因').fill('更换散热')
  await question.getByRole('button', { name: '排空' }).click()
  await expect(question).toBeHidden()

  await page.goto(`/device/management?roomId=${room}&maintenance=2`)
  await row(page, address).getByRole('link', { name: address, exact: true }).click()
  const detail = beside(page)
  await detail.getByRole('tab', { name: '时间线' }).click()
  await expect(detail.getByText('更换散热').first()).toBeVisible()
  await detail.getByRole('button', { name: /^维护/ }).click()
  await page.getByRole('menuitem', { name: '恢复使用' }).click()
  const back = page.getByRole('dialog').filter({ hasText: '恢复后可以重新分配' })
  await back.getByRole('button', { name: '恢复使用' }).click()
  await expect(back).toBeHidden()
  await detail.getByRole('button', { name: /^维护/ }).click()
  await expect(page.getByRole('menuitem', { name: '排空' })).toBeVisible()
})

test('a room is built: room, frame, host, addresses, cards', async ({ page, enter, complaints }) => {
  // A plan whose ends do not fit is refused in its preview.
  complaints.expect(/400/)
  await enter(undefined, 'zh', '/device/address')
  const name = unique('机房')
  await page.getByRole('button', { name: '新建机房' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('名称', { exact: true }).fill(name)
  await form.getByLabel('城市').fill('苏州')
  await form.getByLabel('线路名称').fill('主线')
  await choose(page, '运营商', '中国电信')
  await form.getByLabel('带宽').fill('1000')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
  await search(page, '名称', name)
  await expect(row(page, name)).toContainText('主线')

  await page.getByRole('tab', { name: '机架' }).click()
  await page.getByRole('button', { name: '新建机架' }).click()
  await choose(page, '机房', name)
  await form.getByLabel('名称').fill('F-01')
  await form.getByLabel('槽位数').fill('2')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()

  await page.getByRole('tab', { name: '主机' }).click()
  await page.getByRole('button', { name: '新建主机' }).click()
  await choose(page, '机房', name)
  await choose(page, '机架', 'F-01')
  await form.getByLabel('槽位').fill('1')
  await form.getByLabel('名称').fill('H-01')
  await form.getByLabel('卡位数').fill('4')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()

  await page.goto('/device/networkAddress')
  await page.getByRole('button', { name: '新建地址段' }).click()
  await choose(page, '机房', name)
  await form.getByLabel('名称').fill('卡网段')
  await form.getByLabel('内网起始 IP').fill('10.99.0.1')
  await form.getByLabel('内网结束 IP').fill('10.99.0.4')
  await form.getByLabel('外网起始 IP').fill('198.51.100.7')
  await form.getByLabel('外网起始端口').fill('20001')
  await form.getByLabel('外网结束端口').fill('20003')
  await form.getByRole('button', { name: '展开预览' }).click()
  await expect(form.getByRole('note').or(form.getByRole('alert')).first()).toBeVisible()
  await form.getByLabel('外网结束端口').fill('20004')
  await form.getByRole('button', { name: '展开预览' }).click()
  await expect(form.getByText('共 4 张卡')).toBeVisible()
  await expect(form.getByText('10.99.0.4:5555 → 198.51.100.7:20004')).toBeVisible()
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()

  await page.goto('/device/management')
  await page.getByRole('button', { name: '批量新建' }).click()
  await choose(page, '机房', name)
  await choose(page, '地址段', '10.99.0.1')
  await form.getByLabel('数量').fill('4')
  await form.getByLabel('厂商').fill('瑞芯')
  await form.getByLabel('型号', { exact: true }).fill('RK')
  await form.getByLabel('板卡').fill('RK_3399')
  await choose(page, '机架', 'F-01')
  await form.getByRole('button', { name: '预览' }).click()
  await expect(form.getByText('新建 4 张卡')).toBeVisible()
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
  await search(page, 'IP 或序列号', '10.99.0.')
  await expect(page.locator('tr[data-row]')).toHaveCount(4)

  await page.goto('/device/panel')
  await page.getByRole('link', { name: new RegExp(name) }).click()
  const racks = page.getByRole('application', { name: new RegExp(name) })
  await racks.focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByText('F-01 H-01 卡位 1：未知')).toBeVisible()
  await page.keyboard.press('Space')
  await expect(page.getByText('已选 1 张卡')).toBeVisible()
  await page.keyboard.press('Enter')
  const detail = page.getByRole('complementary', { name: '详情' })
  await expect(detail.getByText('10.99.0.1:5555').first()).toBeVisible()
})

test('whoever searches and goes on to another part at once is not brought back', async ({ page, enter }) => {
  await page.clock.install()
  await enter(undefined, 'zh', '/device/address')
  await expect(page.getByRole('button', { name: '新建机房' })).toBeVisible()
  // The other part comes late, so that the list is still there when typing has paused.
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  await page.route('**/assets/frames-*.js', async (route) => {
    await given
    await route.continue()
  })
  await page.getByPlaceholder('名称或城市').fill('没有这样的机房')
  await page.getByRole('tab', { name: '机架' }).click()
  await page.clock.runFor(2_000)
  give()
  await expect(page.getByRole('button', { name: '新建机架' })).toBeVisible()
  await expect(page).toHaveURL(/tab=frames/)
})

test('a card that an agent found is registered', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/discovered')
  const found = page.locator('tr[data-row]').filter({ hasText: '新设备' })
  // The first sweep of the room comes half a minute after its agent.
  await expect(async () => {
    await page.getByRole('button', { name: '刷新' }).click()
    await expect(found.first()).toBeVisible({ timeout: 2_000 })
  }).toPass({ timeout: 90_000 })
  const serial = (await found.first().locator('td').nth(1).innerText()).trim()
  await rowAct(page, serial, '登记')
  const question = page.getByRole('dialog')
  await question.getByRole('button', { name: '登记' }).click()
  await expect(question).toBeHidden()
  await page.goto('/device/management')
  await search(page, 'IP 或序列号', serial)
  await expect(row(page, serial)).toHaveCount(1)
})

test('a join token is shown once, with the command that uses it', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/address?tab=tokens')
  await page.getByRole('button', { name: '签发令牌' }).click()
  const form = page.getByRole('dialog')
  await choose(page, '机房', living)
  await form.getByRole('button', { name: '签发令牌' }).click()
  await expect(page.getByText(/skyrack agent --console http.* --token skyjoin_/)).toBeVisible()
  await page.getByRole('button', { name: '我已保存' }).click()
  await expect(page.getByText(/skyjoin_/)).toHaveCount(0)
  await expect(page.locator('tr[data-row]').first()).toContainText('可用')
})

test('settings of devices are changed, and the change is in the history', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/settings')
  const field = page.getByLabel('温度阈值')
  const next = (await field.inputValue()) === '81' ? '82' : '81'
  await field.fill(next)
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText(/ 修改$/)).toBeVisible()
  await page.getByRole('button', { name: '修改历史' }).click()
  await expect(page.getByRole('dialog')).toContainText(/第 \d+ 版/)
})

test('a BMC is asked how it is, and powers a card', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/panel')
  const room = await livingRoom(page)
  await page.goto(`/device/bmcMapping?roomId=${room}`)
  await page.locator('tr[data-row]').first().getByRole('button', { name: '检测', exact: true }).click()
  const check = page.getByRole('dialog').filter({ hasText: '检测 BMC' })
  await expect(check.getByText(/连接与登录成功/)).toBeVisible()
  const slots = check.getByRole('table', { name: '槽位' })
  await expect(slots.getByText('通电').first()).toBeVisible()
  await check.getByRole('tab', { name: /^传感器/ }).click()
  await expect(check.getByRole('table', { name: '传感器' }).getByText(/°C$/).first()).toBeVisible()
  await check.getByRole('tab', { name: /^槽位/ }).click()

  // What has power is not offered to be powered on.
  const powered = slots.locator('tr[data-row]').filter({ hasText: '通电' }).first()
  await expect(powered.getByRole('button', { name: '上电', exact: true })).toHaveCount(0)
  await powered.getByRole('button', { name: '断电重启', exact: true }).click()
  const question = page.getByRole('dialog').filter({ hasText: '将在 1 张卡上执行' })
  await question.getByLabel('原因').fill('无响应')
  await question.getByRole('button', { name: '断电重启', exact: true }).click()
  await expect(page).toHaveURL(/\/device\/operations\/\d+/)
  const detail = page.getByRole('region', { name: /#\d+/ })
  await expect(detail.getByText('已完成', { exact: true })).toBeVisible({ timeout: 30_000 })
})

test('the map and the charts show the living room', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/map')
  const list = page.getByRole('listitem').filter({ hasText: living })
  await expect(list.getByText('1 个代理在线')).toBeVisible()
  await expect(page.getByRole('img', { name: '机房所在位置' }).locator('path').first()).toHaveAttribute('d', /^M/)
  await list.getByRole('link').click()
  await expect(page.getByRole('application')).toBeVisible()

  const room = new URL(page.url()).searchParams.get('room')
  await page.goto(`/device/monitoring?room=${room}&hours=1`)
  // Figures are kept at the end of each minute; this is the last test here, when most of one is over.
  await expect(page.getByRole('img', { name: '设备数量' })).toBeVisible({ timeout: 90_000 })
})
