import type { Locator, Page } from '@playwright/test'
import { measure } from './support/measure'
import { walks } from './support/screens'
import { Shell } from './support/shell'
import { expect, test } from './support/test'

const nothing = { wide: [], cut: [], pale: [] }

/** What opens on a screen: the first button that makes something, the form of the first row, and its detail. */
const openers: readonly [what: string, opener: (main: Locator, path: string) => Locator][] = [
  [
    'create',
    (main) =>
      main
        .locator('.page:visible .kit-head')
        .getByRole('button', { name: /^(新建|新增|添加|上传|登记)/ })
        .first(),
  ],
  [
    'edit',
    (main) => main.locator('.page:visible tr[data-row]').first().getByRole('button', { name: '编辑', exact: true }),
  ],
  [
    'detail',
    (main, path) => main.locator(`.page:visible tr[data-row] td a[href^="${path}?"][href*="detail="]`).first(),
  ],
]

/** Drawers, dialogs, and the detail that stands beside its list. */
const opened = (page: Page) => page.locator('[role=dialog]:visible, .kit-beside:visible')

for (const walk of walks) {
  test(`nothing is cut or pale in what opens: ${walk[0]?.code} to ${walk.at(-1)?.code}`, async ({ page, enter }) => {
    await page.setViewportSize({ width: 1280, height: 720 })
    await enter()
    const shell = new Shell(page)
    // What is open lies over the header: its buttons are pressed past it.
    const press = (name: RegExp) => page.getByRole('button', { name, includeHidden: true }).dispatchEvent('click')

    for (const { path, title } of walk) {
      await shell.follow(path)
      await expect(page).toHaveTitle(`${title[0]} - Skyrack`)
      await expect(shell.main.locator('.page:visible')).not.toBeEmpty()
      await expect(shell.main.locator('.page:visible :is([aria-busy=true], .page-loading)')).toHaveCount(0)
      for (const [what, opener] of openers) {
        const button = opener(shell.main, path)
        if (!(await button.isVisible()) || !(await button.isEnabled())) continue
        await button.click()
        const box = opened(page).last()
        await expect(box, `${path} ${what}`).toBeVisible()
        await expect(box.locator(':is([aria-busy=true], .page-loading, .ant-skeleton)')).toHaveCount(0)
        for (const theme of ['light', 'dark']) {
          for (let words = 0; words < 2; words += 1) {
            await page.evaluate(() => new Promise((next) => setTimeout(next, 80)))
            const where = `${path} ${what}, ${await page.locator('html').getAttribute('lang')}, ${theme}`
            expect.soft(await measure(page), where).toEqual(nothing)
            await press(/^(Switch to English|切换到中文)$/)
          }
          await press(/^(切换到(深|浅)色主题|Switch to the (dark|light) theme)$/)
        }
        await page.keyboard.press('Escape')
        await expect(opened(page)).toHaveCount(0)
      }
    }
  })
}
