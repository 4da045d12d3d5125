import type { Page } from '@playwright/test'
import { client } from './support/provider'
import { expect, test } from './support/test'
import { totp } from './support/totp'

/** Presses what opens the provider's window, and consents there. */
async function consent(page: Page, press: () => Promise<void>) {
  const opening = page.waitForEvent('popup')
  await press()
  const popup = await opening
  await popup.getByRole('link', { name: 'Continue as Zhang' }).click()
  return popup
}

test('an account at a provider is linked, signs in, and is taken away again', async ({ page, server, signIn }) => {
  expect(server.issuer, 'a server that was started elsewhere (E2E_BASE) knows no provider').toBeTruthy()
  const operator = await signIn()
  await page.goto('/user/systemInfo')
  const row = page.getByRole('region', { name: '第三方账号' })
  await expect(row.getByText('未绑定')).toBeVisible()
  await row.getByRole('button', { name: '绑定' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(client.name)).toBeVisible()
  await dialog.getByLabel('登录密码').fill(operator.password)
  const popup = await consent(page, () => dialog.getByRole('button', { name: '打开登录窗口' }).click())
  await expect(row.getByText(`已绑定 ${client.name}`)).toBeVisible()
  await expect.poll(() => popup.isClosed()).toBe(true)

  // A browser that forgot who it was.
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
  await page.getByRole('button', { name: '第三方登录' }).click()
  await consent(page, () => page.getByRole('button', { name: client.name }).click())
  await expect(page).not.toHaveURL(/\/login/)
  await expect(page.getByRole('banner')).toContainText(operator.username)

  await page.goto('/user/systemInfo')
  await row.getByRole('button', { name: '解除绑定' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '解除绑定' }).click()
  await expect(row.getByText('未绑定')).toBeVisible()
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
  await page.getByRole('button', { name: '第三方登录' }).click()
  await consent(page, () => page.getByRole('button', { name: client.name }).click())
  await expect(page.getByText(/未绑定/)).toBeVisible()
  await expect(page).toHaveURL(/\/login/)
})

test('who has a second factor enters the code after the provider, which proved none', async ({
  page,
  staff,
  signIn,
  complaints,
}) => {
  // The provider knows one account, and a wrong code is tried.
  complaints.expect(/40[01]/)
  const operator = await signIn()
  await page.goto('/user/systemInfo')
  await page.getByRole('region', { name: '两步验证' }).getByRole('button', { name: '开启两步验证' }).click()
  const enrolling = page.getByRole('dialog')
  await enrolling.getByRole('button', { name: '下一步' }).click()
  const secret = (await enrolling.locator('.own-secret .sky-mono').textContent()) ?? ''
  await enrolling.getByLabel('6 位动态码').fill(totp(secret))
  await enrolling.getByRole('button', { name: '开启' }).click()
  const codes = page.getByRole('dialog').filter({ hasText: '恢复码' })
  await expect(codes.getByRole('listitem').first()).toBeVisible()
  const recovery = await codes.getByRole('listitem').allTextContents()

  // An administrator links him: his session ends.
  const link = `/api/user/v1/operators/${operator.id}/openid`
  await staff.admin.call('PUT', link, { providerId: client.provider, subject: 'zhang' })
  await page.evaluate(() => localStorage.clear())
  await page.goto('/login')
  await page.getByRole('button', { name: '第三方登录' }).click()
  await consent(page, () => page.getByRole('button', { name: client.name }).click())
  const code = page.getByRole('dialog').getByLabel('动态验证码')
  await expect(code).toBeFocused()
  await code.fill('aaaa-bbbb-cccc-dddd')
  await page.keyboard.press('Enter')
  await expect(code).toHaveAttribute('aria-invalid', 'true')
  await code.fill(recovery[0] ?? '')
  await page.keyboard.press('Enter')
  await expect(page).not.toHaveURL(/\/login/)
  await expect(page.getByRole('banner')).toContainText(operator.username)

  // He is told of it, and reads it.
  const bell = page.getByRole('banner').getByRole('button', { name: /账号通知/ })
  await expect(bell).toHaveAccessibleName(/条未读/)
  await bell.click()
  const notices = page.getByRole('dialog')
  await expect(notices.getByRole('listitem').filter({ hasText: '绑定了第三方账号' })).toContainText('admin')
  await notices.getByRole('button', { name: '全部标为已读' }).click()
  await expect(notices.getByText('未读', { exact: true })).toHaveCount(0)
  await notices.getByRole('button', { name: '关闭' }).click()
  await expect(bell).toHaveAccessibleName('账号通知')
  await staff.admin.call('PUT', link, {})
})
