import type { Page } from '@playwright/test'
import { client } from './support/provider'
import { expect, test } from './support/test'

/** Presses what opens the provider's window, and consents there. */
async function consent(page: Page, press: () => Promise<void>) {
  const opening = page.waitForEvent('popup')
  await press()
  const popup = await opening
  await popup.getByRole('link', { name: 'Continue as Zhang' }).click()
  return popup
}

test('an account at a provider is linked, signs in, and is taken away again', async ({ page, signIn }) => {
  expect(process.env.E2E_PROVIDER, 'a server that was started elsewhere (E2E_BASE) knows no provider').toBeTruthy()
  const operator = await signIn()
  await page.goto('/user/systemInfo')
  const row = page.getByRole('region', { name: '第三方账号' })
  await expect(row.getByText('未绑定')).toBeVisible()
  await row.getByRole('button', { name: '绑定' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText(client.name)).toBeVisible()
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
