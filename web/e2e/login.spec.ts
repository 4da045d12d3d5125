import { constants, createHash, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import type { Page } from '@playwright/test'
import { Shell } from './support/shell'
import { expect, fillSignIn, type Language, passwordField, signInButton, test, usernameField } from './support/test'

const texts = {
  zh: { nameMissing: '请输入用户名', passwordMissing: '请输入密码', short: '6', other: 'Switch to English' },
  en: { nameMissing: 'Enter your username', passwordMissing: 'Enter your password', short: '6', other: '切换到中文' },
}

for (const language of ['zh', 'en'] as Language[]) {
  test.describe(`the login page, in ${language}`, () => {
    test.beforeEach(async ({ page, speak }) => {
      await speak(language)
      await page.goto('/login')
    })

    test('tells at each field what is missing or too long', async ({ page }) => {
      await signInButton(page).click()
      await expect(page.getByText(texts[language].nameMissing)).toBeVisible()
      await expect(page.getByText(texts[language].passwordMissing)).toBeVisible()
      await fillSignIn(page, 'somebody', 'five5')
      await expect(page.getByText(/6/)).toBeVisible()
      await fillSignIn(page, 'a'.repeat(33), 'b'.repeat(33))
      await expect(page.getByText(/32/)).toHaveCount(2)
      await expect(page).toHaveURL(/\/login/)
    })

    test('says that a sign-in failed, and not why', async ({ page, staff }) => {
      const operator = await staff.operator()
      await fillSignIn(page, operator.username, 'Wrong_2026pw')
      const said = await page.getByRole('alert').first().textContent()
      await page.reload()
      await fillSignIn(page, `${operator.username}x`, 'Wrong_2026pw')
      await expect(page.getByRole('alert').first()).toHaveText(said ?? '')
    })

    test('switches the language', async ({ page }) => {
      await page.getByRole('button', { name: texts[language].other }).click()
      await expect(page.locator('html')).toHaveAttribute('lang', language === 'zh' ? 'en' : 'zh-CN')
      await signInButton(page).click()
      await expect(page.getByText(texts[language === 'zh' ? 'en' : 'zh'].nameMissing)).toBeVisible()
    })
  })
}

test('what goes over the wire is what the specification says', async ({ page, staff }) => {
  const operator = await staff.operator()
  // A key of our own, so that the test can look into what was encrypted.
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const given = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  await page.route('**/getPbKey', (route) =>
    route.fulfill({ json: { status: 0, msg: '', success: true, data: { publicKey: given } } }),
  )
  await page.goto('/login')
  const sending = page.waitForRequest('**/api/user/v1/designjet/login')
  await fillSignIn(page, `  ${operator.username} `, operator.password)
  const body = (await sending).postDataJSON() as Record<string, string>
  expect(Object.keys(body).sort()).toEqual(['authCode', 'diskName', 'ipAddr', 'password', 'username'])
  expect(Buffer.from(body.username ?? '', 'base64').toString()).toBe(operator.username)
  expect(body.diskName).toContain('谷歌')
  const encrypted = Buffer.from(body.password ?? '', 'base64')
  // Padding by hand: this Node refuses to take PKCS#1 v1.5 off.
  const block = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, encrypted)
  const sent = block.subarray(block.indexOf(0, 2) + 1).toString()
  expect(sent).toBe(createHash('md5').update(operator.password).digest('hex'))
})

/** Fills the three fields of the change-password dialog and sends it. */
async function changePassword(page: Page, old: string, password: string, again = password) {
  const dialog = page.getByRole('dialog')
  const fields = dialog.locator('input')
  await expect(fields).toHaveCount(3)
  for (const [at, text] of [old, password, again].entries()) await fields.nth(at).fill(text)
  await dialog.locator('button[type=submit]').click()
}

test('a newcomer has to choose a password, and signs in again with it', async ({ page, staff }) => {
  const operator = await staff.newcomer()
  await page.goto('/login')
  await fillSignIn(page, operator.username, operator.password)
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(dialog, 'it cannot be put off').toBeVisible()
  await changePassword(page, operator.password, 'Chosen_2026pw')
  await expect(signInButton(page)).toBeVisible()
  await fillSignIn(page, operator.username, 'Chosen_2026pw')
  await expect(page).toHaveURL(/\/clientUser$/)
})

test('changing the own password signs out', async ({ page, signIn }) => {
  const operator = await signIn()
  await page.getByRole('button', { name: '修改密码' }).click()
  await changePassword(page, operator.password, 'Changed_2026pw', 'Other_2026pw')
  await expect(page.getByRole('dialog').getByText(/一致|不同/)).toBeVisible()
  await changePassword(page, operator.password, 'Changed_2026pw')
  await expect(signInButton(page)).toBeVisible()
  expect(await page.evaluate(() => localStorage.length)).toBe(0)
  await fillSignIn(page, operator.username, 'Changed_2026pw')
  await expect(page).toHaveURL(/\/clientUser$/)
})

test('after repeated failures a picture is asked for', async ({ page, staff }) => {
  const operator = await staff.operator()
  await page.goto('/login')
  const code = page.getByLabel('图形验证码', { exact: true })
  for (let tries = 0; tries < 6 && (await code.count()) === 0; tries++) {
    await usernameField(page).fill(operator.username)
    await passwordField(page).fill('Wrong_2026pw')
    const answer = page.waitForResponse('**/designjet/login')
    await signInButton(page).click()
    await answer
    await expect(signInButton(page)).toBeEnabled()
  }
  await expect(code).toBeVisible()
  const picture = page.getByRole('button', { name: /图形验证码图片/ }).locator('img')
  await expect(picture).toHaveJSProperty('complete', true)
  const first = await picture.getAttribute('src')
  await picture.click()
  await expect(picture).not.toHaveAttribute('src', first ?? '')
  await passwordField(page).fill(operator.password)
  await code.fill('0000')
  await signInButton(page).click()
  await expect(page).toHaveURL(/\/login/)
  await expect(code).toBeVisible()
})

test('signing out by the person is told to the server', async ({ page, signIn }) => {
  await signIn()
  const told = page.waitForRequest('**/api/user/v1/designjet/logout')
  await (await new Shell(page).askToLogOut()).getByRole('button', { name: '确定', exact: true }).click()
  expect((await told).headers().authorization).toBeTruthy()
})
