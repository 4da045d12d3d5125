import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { unique } from './support/api'
import { row, search } from './support/list'
import { refuseOnce, Shell } from './support/shell'
import { expect, test } from './support/test'

const find = (page: Page, text: string) => search(page, '姓名、手机号、邮箱、识别码', text)

async function create(page: Page, name: string, phone: string) {
  await page.getByRole('button', { name: '新建客户端用户' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('姓名').fill(name)
  await form.getByLabel('手机号').fill(phone)
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
}

test('the list shows the demo company, with an exact total and pages', async ({ page, enter }) => {
  await enter()
  const { main } = new Shell(page)
  await expect(main.getByText(/共 [\d,]+ 条/)).toBeVisible()
  expect(await main.getByRole('row').count()).toBeGreaterThan(10)
  const rows = main.locator('tr[data-row]')
  const ids = () => rows.evaluateAll((all) => all.map((each) => each.getAttribute('data-row')))
  const first = await ids()
  await main
    .getByRole('listitem', { name: '2', exact: true })
    .or(main.getByTitle('2', { exact: true }))
    .first()
    .click()
  await expect(main.locator(`tr[data-row="${first[0]}"]`)).toBeHidden()
  await expect(rows).toHaveCount(first.length)
  // A link reproduces the view.
  const second = await ids()
  await page.reload()
  await expect.poll(ids).toEqual(second)
})

test('a client user is created, found, edited, disabled and enabled', async ({ page, enter }) => {
  await enter()
  const name = unique('新用户')
  await create(page, name, '13912345678')
  await find(page, name)
  await expect(row(page, name)).toHaveCount(1)

  await row(page, name).getByRole('button', { name: '编辑' }).click()
  const form = page.getByRole('dialog')
  await expect(form.getByLabel('手机号')).toHaveValue('13912345678')
  await form.getByLabel('备注').fill('改过一次')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()

  for (const [act, state] of [
    ['禁用', '已禁用'],
    ['启用', '正常'],
  ] as const) {
    await row(page, name).getByRole('button', { name: act }).click()
    const question = page.getByRole('dialog').or(page.getByRole('alertdialog'))
    await expect(question, 'it says whom it hits').toContainText(name)
    // Without a reason nothing happens.
    await question.getByRole('button', { name: act }).click()
    await question.getByLabel('原因').fill(`测试${act}`)
    await question.getByRole('button', { name: act }).click()
    await expect(question).toBeHidden()
    await expect(row(page, name)).toContainText(state)
  }
})

test('a form tells at its field what is wrong, from the browser and from the server', async ({
  page,
  enter,
  complaints,
}) => {
  complaints.expect(/400/)
  await enter()
  await page.getByRole('button', { name: '新建客户端用户' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('姓名').fill('某人')
  await form.getByLabel('手机号').fill('123')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.getByText(/11/)).toBeVisible()
  await form.getByLabel('手机号').fill('13912345678')
  await refuseOnce(page, /\/client-users$/, 400, {
    status: 4000,
    msg: '提交的内容有误',
    errors: [{ field: 'email', code: 'taken', message: '服务器说不行' }],
  })
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.getByText('服务器说不行')).toBeVisible()
})

test('a form asks before it forgets what was typed', async ({ page, enter }) => {
  await enter()
  await page.getByRole('button', { name: '新建客户端用户' }).click()
  const form = page.getByRole('dialog').first()
  await form.getByLabel('姓名').fill('写到一半')
  await page.keyboard.press('Escape')
  await expect(page.getByText('有未保存的修改')).toBeVisible()
  await page.getByRole('button', { name: '继续编辑' }).click()
  await expect(form.getByLabel('姓名')).toHaveValue('写到一半')
})

test('a double press creates once', async ({ page, enter }) => {
  await enter()
  const name = unique('一次')
  await page.getByRole('button', { name: '新建客户端用户' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('姓名').fill(name)
  await form.getByRole('button', { name: '保存' }).dblclick()
  await expect(form).toBeHidden()
  await find(page, name)
  await expect(row(page, name)).toHaveCount(1)
})

test('the export is a spreadsheet of what the filter matches', async ({ page, enter }) => {
  await enter()
  const name = unique('导出')
  await create(page, name, '13987654321')
  await find(page, name)
  await expect(row(page, name)).toHaveCount(1)
  await page.getByRole('button', { name: '导出' }).click()
  const coming = page.waitForEvent('download')
  const xlsx = page.getByRole('menuitem', { name: /XLSX/ })
  await xlsx.click()
  const download = await coming
  expect(download.suggestedFilename()).toMatch(/用户信息.*\.xlsx$/)
  expect(
    readFileSync(await download.path())
      .subarray(0, 2)
      .toString(),
  ).toBe('PK')
})

test('nothing found says what to do next', async ({ page, enter }) => {
  await enter()
  await find(page, unique('没有这个人'))
  await expect(page.getByText('没有符合条件的数据')).toBeVisible()
})

test('a list that cannot be loaded says so and tries again', async ({ page, enter, complaints }) => {
  complaints.expect(/500/)
  await enter()
  // Only the question with the keyword is to fail: the first one has its answer before the route is there.
  await expect(page.locator('tr[data-row]').first()).toBeVisible()
  const broken = { status: 5000, msg: '服务器内部错误', data: null, success: false }
  await page.route(/getPageUserInfo/, (route) => route.fulfill({ status: 500, json: broken }))
  await find(page, unique('坏'))
  await expect(page.getByText('加载失败')).toBeVisible()
  await page.unroute(/getPageUserInfo/)
  await page.getByRole('button', { name: '重试' }).click()
  await expect(page.getByText('没有符合条件的数据')).toBeVisible()
})

test('who may only look sees no button that changes anything', async ({ page, staff, enter }) => {
  const group = await staff.group((screen, act) => screen.code === 'clientUser' && /:(list|get)$/.test(act.code ?? ''))
  await enter(await staff.operator(group))
  const { main } = new Shell(page)
  await expect(main.getByText(/共 [\d,]+ 条/)).toBeVisible()
  for (const act of ['新建客户端用户', '导入', '导出', '编辑', '禁用']) {
    await expect(main.getByRole('button', { name: act, exact: true }), act).toHaveCount(0)
  }
})
