import type { Page } from '@playwright/test'
import { unique } from './support/api'
import { confirm, row, rowAct, search } from './support/list'
import { expect, fillSignIn, signInButton, test } from './support/test'

const list = '/user/management'
const find = (page: Page, name: string) => search(page, '搜索用户名、邮箱、手机号、备注', name)

/** Chooses in a drop-down list as a person does. */
async function choose(page: Page, label: string, option: string) {
  const field = page.getByRole('dialog').getByLabel(label)
  await field.click()
  // A long list can be searched, and draws only the part that is looked at.
  if (await field.isEditable()) await field.fill(option)
  await page.getByTitle(option, { exact: true }).click()
}

/** Fills the dialog that asks an operator for a password of his own. */
async function choosePassword(page: Page, old: string, chosen: string) {
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  const fields = dialog.locator('input')
  for (const [at, text] of [old, chosen, chosen].entries()) await fields.nth(at).fill(text)
  await dialog.locator('button[type=submit]').click()
  await expect(signInButton(page)).toBeVisible()
}

test('an operator is created, signs in with the first password and has to change it', async ({
  page,
  staff,
  enter,
  elsewhere,
}) => {
  const groupName = await staff.groupName(await staff.group((screen) => screen.code === 'clientUser'))
  await enter(undefined, 'zh', list)
  const username = unique('new_')
  await page.getByRole('button', { name: '新建操作员' }).click()
  const form = page.getByRole('dialog')
  // The rules of the specification, in words.
  await form.getByLabel('用户名').fill('1abc')
  await form.getByLabel('初始密码').fill('letters')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.locator('[aria-invalid=true]')).toHaveCount(3)
  await form.getByLabel('用户名').fill(username)
  await form.getByLabel('初始密码').fill('First_2026pw')
  await choose(page, '权限组', groupName)
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
  await find(page, username)
  await expect(row(page, username)).toContainText(groupName)

  const newcomer = await elsewhere()
  await fillSignIn(newcomer, username, 'First_2026pw')
  await choosePassword(newcomer, 'First_2026pw', 'Chosen_2026pw')
  await fillSignIn(newcomer, username, 'Chosen_2026pw')
  await expect(newcomer).toHaveURL(/\/clientUser$/)
})

test('a reset password ends the sessions and is to be changed', async ({ page, staff, enter, elsewhere }) => {
  const operator = await staff.operator()
  await enter(undefined, 'zh', list)
  await find(page, operator.username)
  await rowAct(page, operator.username, '重置密码')
  const question = page.getByRole('dialog')
  await expect(question, 'it says whom it hits').toContainText(operator.username)
  await question.getByLabel('新密码').fill('Reset_2026pw')
  await question.getByLabel('确认密码').fill('Reset_2026px')
  await question.getByRole('button', { name: '重置密码' }).click()
  await expect(question.getByText(/不一致|不同/)).toBeVisible()
  await question.getByLabel('确认密码').fill('Reset_2026pw')
  await question.getByRole('button', { name: '重置密码' }).click()
  await expect(question).toBeHidden()

  const other = await elsewhere()
  await fillSignIn(other, operator.username, operator.password)
  await expect(other.getByRole('alert').first()).toBeVisible()
  await fillSignIn(other, operator.username, 'Reset_2026pw')
  await expect(other.getByRole('dialog').getByText('管理员重置了密码')).toBeVisible()
  await choosePassword(other, 'Reset_2026pw', 'Again_2026pw')
})

test('who is disabled is out at once, and comes in again when enabled', async ({
  page,
  staff,
  enter,
  elsewhere,
  complaints,
}) => {
  // He is told by the refusal of his next call.
  complaints.expect(/403/)
  const operator = await staff.operator()
  const his = await elsewhere()
  await fillSignIn(his, operator.username, operator.password)
  await expect(his.getByRole('banner')).toBeVisible()

  await enter(undefined, 'zh', list)
  await find(page, operator.username)
  await rowAct(page, operator.username, '禁用')
  await page.getByRole('dialog').getByLabel('原因').fill('离职')
  await confirm(page, '禁用', operator.username)
  await expect(row(page, operator.username)).toContainText('禁用')
  await his.reload()
  await expect(signInButton(his)).toBeVisible()
  await fillSignIn(his, operator.username, operator.password)
  await expect(his.getByRole('alert').first()).toBeVisible()

  await rowAct(page, operator.username, '启用')
  await confirm(page, '启用', operator.username)
  await fillSignIn(his, operator.username, operator.password)
  await expect(his).toHaveURL(/\/clientUser$/)
})

test('an operator is deleted after a question; oneself, and so the last administrator, is not', async ({
  page,
  staff,
  enter,
}) => {
  const operator = await staff.operator()
  const me = await enter(undefined, 'zh', list)
  await find(page, operator.username)
  await rowAct(page, operator.username, '删除')
  await confirm(page, '删除', operator.username)
  await expect(page.getByText('没有符合条件的数据')).toBeVisible()

  await find(page, me.username)
  await row(page, me.username)
    .getByRole('button', { name: /更多操作/ })
    .click()
  const remove = page.getByRole('menuitem', { name: /删除/ })
  await expect(remove).toHaveAttribute('aria-disabled', 'true')
  await expect(remove).toContainText('不能对自己执行此操作')
})

test('the server refuses to delete oneself, whatever the page says', async ({ staff }) => {
  const answer = await staff.admin.send('DELETE', '/api/user/v1/designjet/user', { idList: [staff.admin.id] })
  expect(answer.status).not.toBe(0)
  expect(answer.msg).toMatch(/yourself/)
})
