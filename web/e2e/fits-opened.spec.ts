import type { Locator, Page } from '@playwright/test'
import { walks } from './support/screens'
import { Shell } from './support/shell'
import { expect, test } from './support/test'
import { coming, drawn, eachTab, expectToFit, sizes } from './support/views'

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
  test(`nothing is cut or pale in what opens: ${walk[0]?.code} to ${walk.at(-1)?.code}`, async ({
    page,
    enter,
    complaints,
  }) => {
    test.slow()
    // Some cards are offline, and so are their files.
    complaints.expect(/status of 409/)
    await page.setViewportSize(sizes[0])
    await enter()
    const shell = new Shell(page)
    const shown = shell.main.locator('.page:visible')

    for (const { path, title } of walk) {
      await shell.follow(path)
      await expect(page).toHaveTitle(`${title[0]} - Skyrack`)
      await expect(shown).not.toBeEmpty()
      await expect(shown.locator(coming)).toHaveCount(0)
      for (const [what, opener] of openers) {
        const button = opener(shell.main, path)
        if (!(await button.isVisible()) || !(await button.isEnabled())) continue
        await button.click()
        const box = opened(page).last()
        await expect(box, `${path} ${what}`).toBeVisible()
        await expect(box.locator(coming)).toHaveCount(0)
        // What lies over the page has the same room in every window; what stands beside its list has not.
        await page.setViewportSize(sizes[1])
        await drawn(page)
        const windows = (await page.locator('.kit-beside').isVisible()) ? sizes : sizes.slice(0, 1)
        await page.setViewportSize(sizes[0])
        await eachTab(box, (tab) => expectToFit(page, `${path} ${what}${tab}`, opened(page).last(), windows))
        await page.setViewportSize(sizes[0])
        await page.keyboard.press('Escape')
        await expect(opened(page)).toHaveCount(0)
      }
    }
  })
}
