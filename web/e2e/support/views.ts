import { expect, type Locator, type Page } from '@playwright/test'
import { measure } from './measure'

/** The windows that everything has to fit. */
export const sizes = [
  { width: 1280, height: 720 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
] as const

type Size = (typeof sizes)[number]

/** What is not there yet: pages, rows, and the lines that stand in their place. */
export const coming = ':is([aria-busy=true], .page-loading, .sky-skeleton)'

export const nothing = { wide: [], cut: [], pale: [] }

const languageButton = /^(Switch to English|切换到中文)$/
const themeButton = /^(切换到(深|浅)色主题|Switch to the (dark|light) theme)$/

/** Presses a button of the header, past what may be open over it. */
const press = (page: Page, name: RegExp) =>
  page.getByRole('button', { name, includeHidden: true }).dispatchEvent('click')

/** Until what changed has been drawn; sizes are heard a frame later. */
export const drawn = (page: Page) =>
  page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(() => next(undefined)))))

/**
 * Measures what the page shows in every window and both languages, without loading it again; in the first window also
 * dark, since a colour is the same in all. The page stands as it stood, in the last of the `windows`, when all is done.
 */
export async function expectToFit(page: Page, what: string, shown: Locator, windows: readonly Size[] = sizes) {
  for (const size of windows) {
    await page.setViewportSize(size)
    for (let words = 0; words < 2; words += 1) {
      for (const theme of size === windows[0] ? ['light', 'dark'] : ['light']) {
        await drawn(page)
        await expect(shown.locator(coming)).toHaveCount(0)
        const language = await page.locator('html').getAttribute('lang')
        const where = `${what} at ${size.width}x${size.height}, ${language}, ${theme}`
        expect.soft(await measure(page), where).toEqual(nothing)
        if (size === windows[0]) await press(page, themeButton)
      }
      await press(page, languageButton)
    }
  }
}

/** Opens the tabs of something one by one, and calls back once each is there. Without tabs it calls once. */
export async function eachTab(shown: Locator, see: (tab: string) => Promise<void>) {
  const tabs = shown.getByRole('tab')
  const count = await tabs.count()
  if (count === 0) return see('')
  for (let at = 0; at < count; at += 1) {
    const tab = tabs.nth(at)
    await tab.click()
    await expect(tab).toHaveAttribute('aria-selected', 'true')
    await expect(shown.locator(coming)).toHaveCount(0)
    await see(`, tab ${at + 1}`)
  }
}
