import { readFileSync } from 'node:fs'
import { unique } from './support/api'
import { home, option } from './support/counted'
import { expect, test } from './support/test'

/*
 * The operator's minute among people: who disabled this user and why, an operator with a group, an import with bad
 * rows. Each from the home page, in no more interactions than the limit.
 */

test('who disabled this customer and why: 2', async ({ page, enter, staff }) => {
  const name = unique('客户')
  const phone = `139${String(Date.now()).slice(-8)}`
  const made = await staff.admin.call<{ id: number }>('POST', '/api/user/v1/client-users', { name, phone })
  const also = await staff.admin.call<{ id: number }>('POST', '/api/user/v1/client-users', {
    name: unique('另一个'),
    phone: `138${String(Date.now()).slice(-8)}`,
  })
  // Together with another: the history of each has it.
  await staff.admin.call('POST', '/api/user/v1/client-users/status', {
    selection: { ids: [made.id, also.id] },
    status: 2,
    reason: '恶意退款',
  })
  await enter(undefined, 'zh', '/dashboard')
  for (const known of [name, phone]) {
    const does = await home(page, 2)
    await does.find(known)
    await expect(option(page, new RegExp(name))).toContainText(
      /已禁用 · admin · \d{4}-\d\d-\d\d \d\d:\d\d:\d\d · 恶意退款/,
    )
  }
  // And so has its history, in words.
  await page.goto(`/clientUser?detail=${made.id}&part=log`)
  const line = page.getByRole('row').filter({ hasText: '禁用客户端用户' })
  await expect(line).toContainText('admin')
  await expect(line).toContainText('恶意退款 · 2 条')
})

test('who disabled this operator and why: 2', async ({ page, enter, staff }) => {
  const { id, username } = await staff.operator()
  await staff.admin.call('POST', `/api/user/v1/operators/${id}/disable`, { reason: '离职' })
  await enter(undefined, 'zh', '/dashboard')
  const does = await home(page, 2)
  await does.find(username)
  await expect(option(page, new RegExp(username))).toContainText(/已禁用 · admin · .* · 离职/)
})

test('an operator with a group: 8', async ({ page, enter, staff }) => {
  const group = await staff.groupName(await staff.group((screen) => screen.code === 'clientUser'))
  const username = unique('new_')
  await enter(undefined, 'zh', '/dashboard')
  const does = await home(page, 8)
  const menu = page.getByRole('navigation', { name: '主导航' })
  await does.click(menu.getByText('用户管理', { exact: true }))
  await does.click(menu.getByRole('link', { name: '用户管理' }))
  await does.click(page.getByRole('button', { name: '新建操作员' }))
  const form = page.getByRole('dialog')
  await does.fill(form.getByLabel('用户名'), username)
  await does.fill(form.getByLabel('初始密码'), 'First_2026pw')
  const groups = form.getByLabel('权限组')
  // A long list is searched, a short one opened: one either way.
  if (await groups.isEditable()) await does.fill(groups, group)
  else await does.click(groups)
  await does.click(page.getByTitle(group, { exact: true }))
  await does.click(form.getByRole('button', { name: '保存' }))
  await expect(form).toBeHidden()
  await page.goto(`/user/management?keyWord=${username}`)
  await expect(page.locator('tr[data-row]').filter({ hasText: username })).toContainText(group)
})

test('an import with bad rows, which are had as a file: 4', async ({ page, enter }) => {
  const good = unique('导入')
  const lines = [
    '姓名,手机号,邮箱,备注',
    `${good},137${String(Date.now()).slice(-8)},,第一行`,
    ',13900000002,,没有姓名',
    '赵六,139,not mail,两处错误',
  ]
  await enter(undefined, 'zh', '/dashboard')
  const does = await home(page, 4)
  await does.click(page.getByRole('main').getByRole('link', { name: /^正常账号/ }))
  await does.click(page.getByRole('button', { name: '导入', exact: true }))
  const drawer = page.getByRole('dialog')
  await does.choose(drawer.locator('input[type=file]'), {
    name: '客户.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(lines.join('\r\n')),
  })
  await expect(drawer.getByText('1 行可以导入，2 行有问题，将被跳过')).toBeVisible()
  const problems = drawer.getByRole('table', { name: '有问题的行' })
  await expect(problems.getByRole('row').filter({ hasText: 'not mail' })).toContainText('4')
  // As a file, each with its reason: to be put right and sent again.
  const coming = page.waitForEvent('download')
  await does.click(drawer.getByRole('button', { name: '下载问题行' }))
  const file = readFileSync(await (await coming).path())
  expect(file.toString('latin1', 0, 2)).toBe('PK')
})
