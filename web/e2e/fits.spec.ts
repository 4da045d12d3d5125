import { measure } from './support/measure'
import { walks } from './support/screens'
import { Shell } from './support/shell'
import { expect, fillSignIn, type Language, passwordField, signInButton, test, usernameField } from './support/test'

const sizes = [
  { width: 1280, height: 720 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
]

for (const walk of walks) {
  test(`nothing is cut, pale or too wide: ${walk[0]?.code} to ${walk.at(-1)?.code}`, async ({ page, enter }) => {
    await enter()
    const shell = new Shell(page)
    const language = page.getByRole('button', { name: /^(Switch to English|切换到中文)$/ })
    const theme = page.getByRole('button', { name: /^(切换到(深|浅)色主题|Switch to the (dark|light) theme)$/ })

    /** The screen in its size, with what it shows; a list may ask for more rows. */
    async function settled(size: (typeof sizes)[number]) {
      await page.setViewportSize(size)
      await page.evaluate(() => new Promise((next) => setTimeout(next, 120)))
      await expect(shell.main.locator('.page:visible')).not.toBeEmpty()
      await expect(shell.main.locator('.page:visible :is([aria-busy=true], .page-loading)')).toHaveCount(0)
    }

    for (const { path } of walk) {
      await shell.follow(path)
      for (const [at, dark] of [false, true].entries()) {
        for (const size of dark ? sizes.slice(0, 1) : sizes) {
          for (let words = 0; words < 2; words += 1) {
            await settled(size)
            const where = `${path} at ${size.width}x${size.height}, ${await page.locator('html').getAttribute('lang')}${at ? ', dark' : ''}`
            expect.soft(await measure(page), where).toEqual({ wide: [], cut: [], pale: [] })
            await language.click()
          }
        }
        await theme.click()
      }
    }
  })
}

for (const language of ['zh', 'en'] as Language[]) {
  test(`the sign-in page fits, in ${language}, and an error moves nothing`, async ({ page, speak }) => {
    await speak(language)
    await page.goto('/login')
    await expect(usernameField(page)).toBeFocused()
    for (const size of sizes) {
      await page.setViewportSize(size)
      expect.soft(await measure(page), `${size.width}x${size.height}`).toEqual({ wide: [], cut: [], pale: [] })
    }
    await page.getByRole('button', { name: /^(切换到深色主题|Switch to the dark theme)$/ }).click()
    expect.soft(await measure(page), 'dark').toEqual({ wide: [], cut: [], pale: [] })
    const before = await signInButton(page).boundingBox()
    await fillSignIn(page, 'nobody_here', 'Wrong_2026pw')
    await expect(page.getByRole('alert')).toBeVisible()
    expect(await signInButton(page).boundingBox()).toEqual(before)
    await expect(passwordField(page)).toBeFocused()
    expect.soft(await measure(page), 'with an error').toEqual({ wide: [], cut: [], pale: [] })
  })
}

test('with more tabs than fit, the opened one is in view and arrows lead to the others', async ({ page, enter }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await enter()
  const shell = new Shell(page)
  const opened = walks.flat().filter(({ path }) => !path.includes('/panel'))
  for (const { path } of opened.slice(0, 12)) {
    await shell.follow(path)
    await expect(shell.tabs.locator('.tab[data-active]')).toBeInViewport({ ratio: 0.95 })
  }
  const first = shell.tabs.locator('.tab').first()
  await expect(first).not.toBeInViewport()
  const before = page.getByRole('button', { name: '前面的页面' })
  await expect(async () => {
    await before.click()
    await expect(first).toBeInViewport({ ratio: 0.95, timeout: 300 })
  }).toPass()
})

test('a form begins in its first field, and its choices say what to do', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/networkAddress')
  await page.getByRole('button', { name: '新建地址段' }).first().click()
  const form = page.getByRole('dialog')
  await expect(form.locator('input').first()).toBeFocused()
  await expect(form.getByRole('button', { name: 'Increase Value' })).toHaveCount(0)
})
