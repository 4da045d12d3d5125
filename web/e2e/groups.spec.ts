import type { Locator, Page } from '@playwright/test'
import { unique } from './support/api'
import { confirm, dismiss, row, rowAct, search } from './support/list'
import { Shell, titles } from './support/shell'
import { expect, fillSignIn, test } from './support/test'

const list = '/user/groups'
const find = (page: Page, name: string) => search(page, '搜索权限组名称', name)

/** The row of a screen in the tree of permissions: its own box first, then those of its buttons. */
const boxes = (editor: Locator, section: string) => editor.getByRole('region', { name: section, exact: true })

/** Saves what was turned, after reading what will change. */
async function save(page: Page, expected: RegExp) {
  await page.getByRole('button', { name: '保存权限' }).click()
  const question = page.getByRole('dialog', { name: '保存权限' })
  await expect(question).toContainText(expected)
  await question.getByRole('button', { name: '保存权限' }).click()
  await expect(question).toBeHidden()
  await expect(page.getByRole('button', { name: '保存权限' })).toHaveCount(0)
}

test('a group is created, given screens and buttons, and its members see exactly these', async ({
  page,
  staff,
  enter,
  elsewhere,
}) => {
  await enter(undefined, 'zh', list)
  const name = unique('客服一组')
  await page.getByRole('button', { name: '新建权限组' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('组名称').fill('五个字的组')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.getByText(/6/).first()).toBeVisible()
  await form.getByLabel('组名称').fill(name)
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()

  await find(page, name)
  await rowAct(page, name, '分配')
  const editor = page.getByRole('dialog')
  const users = boxes(editor, '客户端用户')
  // The first row of the section is its first screen, whose name it shares.
  await users.locator('.rights-screen').first().getByRole('checkbox', { name: '查看列表' }).check()
  await expect(editor.getByText(/已分配 1 \//)).toBeVisible()
  await save(page, /新增：查看列表/)
  await dismiss(page, editor)
  // Nobody is in it yet, so that the one is the number of its rights.
  await expect(row(page, name).getByRole('cell', { name: '1', exact: true })).toHaveCount(1)

  const member = await staff.operator(await staff.groupId(name))
  const his = await elsewhere()
  await fillSignIn(his, member.username, member.password)
  const shell = new Shell(his)
  await expect(shell.main.getByText(/共 [\d,]+ 条/)).toBeVisible()
  await expect(shell.sidebar.getByRole('link', { name: titles.zh.clientUser, exact: true })).toBeVisible()
  await expect(shell.sidebar.getByText(titles.zh.log)).toHaveCount(0)
  await expect(shell.main.getByRole('button', { name: '新建客户端用户' })).toHaveCount(0)

  // One more button and one more screen: there at his next request, without signing in again.
  await rowAct(page, name, '分配')
  await users.locator('.rights-screen').first().getByRole('checkbox', { name: '新增' }).check()
  await boxes(editor, '用户管理').locator('.rights-screen').last().getByRole('checkbox').first().check()
  await save(page, /新增/)
  await his.reload()
  await expect(shell.main.getByRole('button', { name: '新建客户端用户' })).toBeVisible()
  await expect(shell.sidebar.getByText(titles.zh.log).first()).toBeAttached()

  // What is taken away is gone at the next request, for the server as well.
  await users.locator('.rights-screen').first().getByRole('checkbox', { name: '新增' }).uncheck()
  await save(page, /移除：新增/)
  await his.reload()
  await expect(shell.main.getByText(/共 [\d,]+ 条/)).toBeVisible()
  await expect(shell.main.getByRole('button', { name: '新建客户端用户' })).toHaveCount(0)
})

test('the group of the administrators can not be changed or deleted', async ({ page, staff, enter }) => {
  const name = await staff.groupName(staff.admin.groupId)
  await enter(undefined, 'zh', list)
  await find(page, name)
  await rowAct(page, name, '分配')
  const editor = page.getByRole('dialog')
  await expect(editor.getByText('内置权限组始终拥有全部权限')).toBeVisible()
  await expect(editor.getByRole('checkbox').first()).toBeDisabled()
  await dismiss(page, editor)
  await row(page, name)
    .getByRole('button', { name: /更多操作/ })
    .click()
  await expect(page.getByRole('menuitem', { name: /删除/ })).toHaveAttribute('aria-disabled', 'true')
})

test('changes that were not saved are asked about, and can be taken back', async ({ page, staff, enter }) => {
  const name = await staff.groupName(await staff.group((screen) => screen.code === 'clientUser'))
  await enter(undefined, 'zh', list)
  await find(page, name)
  await rowAct(page, name, '分配')
  const editor = page.getByRole('dialog')
  const box = boxes(editor, '用户管理').getByRole('checkbox').first()
  await box.check()
  await expect(editor.getByText(/未保存：新增/)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByText('有未保存的修改')).toBeVisible()
  await page.getByRole('button', { name: '继续编辑' }).click()
  await editor.getByRole('button', { name: '还原' }).click()
  await expect(box).not.toBeChecked()
})

test('a group is copied, compared and deleted', async ({ page, staff, enter }) => {
  const name = await staff.groupName(await staff.group((screen) => screen.code === 'clientUserRecords'))
  await enter(undefined, 'zh', list)
  await find(page, name)
  await rowAct(page, name, '复制')
  const form = page.getByRole('dialog')
  const copy = unique('copied')
  await form.getByLabel('组名称').fill(copy)
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
  await find(page, copy)
  await rowAct(page, copy, '删除')
  await confirm(page, '删除', copy)
  await expect(page.getByText('没有符合条件的数据')).toBeVisible()
})
