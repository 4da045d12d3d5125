import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, fillSignIn, test } from './support/test'
import { totp } from './support/totp'

const own = '/user/systemInfo'

/** Signs out by forgetting, and in again as far as the question for a code. */
async function untilTheCode(page: Page, username: string, password: string) {
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
  await fillSignIn(page, username, password)
  return page.getByLabel('动态验证码')
}

test('the own profile is changed, and what was done is told', async ({ page, signIn }) => {
  await signIn()
  await page.goto(own)
  await page.getByRole('button', { name: '编辑资料' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('邮箱').fill('nobody')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form.locator('[aria-invalid=true]')).toHaveCount(1)
  await form.getByLabel('邮箱').fill('zhang@example.com')
  await form.getByLabel('手机号').fill('13800138000')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(form).toBeHidden()
  await expect(page.getByText('zhang@example.com')).toBeVisible()

  const activity = page.getByRole('region', { name: '会话与记录' })
  await expect(activity.getByText('本次会话')).toBeVisible()
  // A browser shows the other half of its session, so that the token alone is worth nothing.
  await expect(activity.getByText('未绑定')).toHaveCount(0)
  await activity.getByRole('tab', { name: '操作记录' }).click()
  await expect(activity.locator('tr', { hasText: '修改' }).first()).toBeVisible()
  await activity.getByRole('tab', { name: '登录记录' }).click()
  await expect(activity.getByRole('tabpanel').locator('tbody tr').first()).toBeVisible()
})

test('the second factor is turned on, asked for at the next sign-in, and turned off', async ({
  page,
  signIn,
  complaints,
}) => {
  // Wrong codes, and the sign-in that asks for one.
  complaints.expect(/40[01]/)
  const { username, password } = await signIn()
  await page.goto(own)
  const row = page.getByRole('region', { name: '两步验证' })
  await row.getByRole('button', { name: '开启两步验证' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: '下一步' }).click()
  await expect(dialog.getByRole('img', { name: '两步验证二维码' })).toBeVisible()
  const secret = (await dialog.locator('.own-secret .sky-mono').textContent()) ?? ''
  await dialog.getByLabel('6 位动态码').fill('000000')
  await dialog.getByRole('button', { name: '开启' }).click()
  await expect(dialog.locator('[aria-invalid=true]')).toBeVisible()
  await dialog.getByLabel('6 位动态码').fill(totp(secret))
  await dialog.getByRole('button', { name: '开启' }).click()
  const codes = page.getByRole('dialog').filter({ hasText: '恢复码' })
  await expect(codes.getByRole('listitem')).toHaveCount(10)
  const recovery = await codes.getByRole('listitem').allTextContents()
  const finish = codes.getByRole('button', { name: '完成' })
  await expect(finish).toBeDisabled()
  const arrives = page.waitForEvent('download')
  await codes.getByRole('button', { name: '下载' }).click()
  expect(await readFile(await (await arrives).path(), 'utf8')).toContain(recovery[0])
  await codes.getByRole('checkbox').check()
  await finish.click()
  await expect(row.getByText('剩余恢复码 10 个')).toBeVisible()

  const code = await untilTheCode(page, username, password)
  await code.fill('123456')
  await page.getByRole('button', { name: /^登录$/ }).click()
  await expect(code).toHaveAttribute('aria-invalid', 'true')
  await code.fill(recovery[0] ?? '')
  await page.getByRole('button', { name: /^登录$/ }).click()
  await expect(page).not.toHaveURL(/\/login/)

  await page.goto(own)
  await expect(row.getByText('剩余恢复码 9 个')).toBeVisible()
  await row.getByRole('button', { name: '关闭两步验证' }).click()
  const question = page.getByRole('dialog')
  await question.getByLabel('登录密码').fill(password)
  await question.getByLabel('动态码或恢复码').fill(recovery[1] ?? '')
  await question.getByRole('button', { name: '关闭两步验证' }).click()
  await expect(row.getByRole('button', { name: '开启两步验证' })).toBeVisible()
})

test('the session of another operator is ended, and his browser has to sign in', async ({
  page,
  staff,
  enter,
  elsewhere,
  complaints,
}) => {
  // The other browser hears of the end by its event stream or by its next call, whichever is first.
  complaints.expect(/401/)
  const operator = await staff.operator()
  const other = await elsewhere()
  await fillSignIn(other, operator.username, operator.password)
  await expect(other).not.toHaveURL(/\/login/)
  await enter(undefined, 'zh', `/user/management?keyWord=${operator.username}`)
  await page.locator('tr[data-row]').first().getByRole('link').first().click()
  const detail = page.getByRole('dialog')
  await detail.getByRole('tab', { name: /会话/ }).click()
  await detail.getByRole('button', { name: '结束' }).first().click()
  const question = page.getByRole('dialog').or(page.getByRole('alertdialog')).filter({ hasText: '需要重新登录' }).last()
  await question.getByRole('button', { name: '结束' }).click()
  await expect(detail.getByRole('button', { name: '结束' })).toHaveCount(0)
  await other.goto(own)
  await expect(other).toHaveURL(/\/login/)
})
