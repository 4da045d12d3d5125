import { expect, type Locator, type Page } from '@playwright/test'
import { measure } from './measure'
import { faultsOfLists } from './measure-lists'

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

/** Shows another address inside the running console, as the buttons of the browser do: nothing is loaded again. */
const goTo = (page: Page, address: string) =>
  page.evaluate((to) => {
    history.replaceState(history.state, '', to)
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
  }, address)

/**
 * Switches on every column of the list that is shown, as the link of somebody does who ticked them all, and waits until
 * each is there. Answers how to get the usual ones back; nothing where the page has no list, or all of it is in view.
 */
async function showAllColumns(page: Page, shown: Locator): Promise<(() => Promise<void>) | undefined> {
  const button = shown.getByRole('button', { name: /^(列|Columns)$/ })
  if ((await button.count()) === 0) return undefined
  await button.click()
  const boxes = page.locator('.kit-column-choice:visible input[name]')
  await expect(boxes.first()).toBeAttached()
  const all = await boxes.evaluateAll((inputs) =>
    inputs.map((input) => ({ name: input.getAttribute('name') ?? '', isOn: input.matches(':checked') })),
  )
  await button.click()
  await expect(boxes).toHaveCount(0)
  await page.mouse.move(0, 0)
  if (all.every(({ isOn }) => isOn)) return undefined
  const headings = shown.locator('th[title]:visible')
  const usual = await headings.count()
  const added = all.filter(({ isOn }) => !isOn).length
  const before = await page.evaluate(() => location.href)
  const address = new URL(before)
  address.searchParams.set('cols', all.map(({ name }) => name).join(' '))
  await goTo(page, address.href)
  // Or more: a usual one that had no room is shown where all are asked for.
  await expect.poll(() => headings.count(), 'every column that is switched on').toBeGreaterThanOrEqual(usual + added)
  const shownThen = await headings.count()
  return async () => {
    await goTo(page, before)
    // How many have room may be another number by now: the page was drawn in the other language meanwhile.
    await expect.poll(() => headings.count()).toBeLessThan(shownThen)
  }
}

/**
 * Measures what the page shows in every window and both languages, without loading it again. In the first window it does
 * so once more, dark, since a colour is the same in all, and with every column of a list, which may scroll sideways for
 * that, but cut nothing. The page stands as it stood, in the last of the `windows`, when all is done.
 */
export async function expectToFit(page: Page, what: string, shown: Locator, windows: readonly Size[] = sizes) {
  for (const size of windows) {
    await page.setViewportSize(size)
    for (const theme of size === windows[0] ? ['light', 'dark'] : ['light']) {
      await drawn(page)
      await expect(shown.locator(coming)).toHaveCount(0)
      const showUsual = theme === 'dark' ? await showAllColumns(page, shown) : undefined
      for (let words = 0; words < 2; words += 1) {
        await drawn(page)
        await expect(shown.locator(coming)).toHaveCount(0)
        const language = await page.locator('html').getAttribute('lang')
        const where = `${what} at ${size.width}x${size.height}, ${language}, ${theme}${showUsual ? ', all columns' : ''}`
        const measured = await measure(page)
        const wide = measured.wide.filter((part) => !(showUsual && part.startsWith('table ')))
        expect.soft({ ...measured, wide }, where).toEqual(nothing)
        expect.soft(await faultsOfLists(shown), where).toEqual([])
        await press(page, languageButton)
      }
      await showUsual?.()
      if (size === windows[0]) await press(page, themeButton)
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
