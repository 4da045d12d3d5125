import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { addresses, screens, walks } from './support/screens'
import { Shell } from './support/shell'
import { expect, type Language, test } from './support/test'
import { coming } from './support/views'

const pictures = resolve(import.meta.dirname, '../../target/screenshots')

/** A key that nobody translated: words joined by dots, as in `clientUser.fields.name`. */
const rawKey = /\b[a-z][A-Za-z]+(\.[a-z][A-Za-z]+){1,4}\b/
/** What looks like one and is none: files, domains, versions of programs. */
const notAKey = /\.(com|cn|net|org|io|apk|xlsx|csv|js|json|zip|log|db|example)\b|@|\/\/|www\./

/** The words of the console itself. Data may be in any language, labels may not. */
const labels = 'h1, h2, h3, label, th, button, [role=tab], [role=columnheader], [role=menuitem]'

/** Waits until a page has what it shows. Not until the network is silent: live screens keep a stream open. */
async function settle(shell: Shell) {
  await expect(shell.main.locator('.page:visible')).not.toBeEmpty()
  await expect(shell.main.locator('.page:visible').locator(coming)).toHaveCount(0)
}

/** What axe finds in a part of the page, as far as it keeps somebody out. */
async function hardToUse(page: Page, part: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    // One page without frames: no need for another window to add up in.
    .setLegacyMode()
    // What is right need not be told.
    .options({ resultTypes: ['violations'] })
    .include(part)
    .exclude('[aria-hidden=true]')
    // The rows of a table are all made alike; the first ones stand for the others.
    .exclude('tbody tr:nth-child(n + 4)')
    .analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

test('the walks leave out no screen of the menu', async ({ staff }) => {
  expect(screens.map(({ path }) => path).sort()).toEqual(addresses(await staff.tree()).sort())
})

for (const who of ['full', 'limited'] as const) {
  for (const language of ['zh', 'en'] as Language[]) {
    for (const walk of walks) {
      const [first, last] = [walk[0]?.code, walk.at(-1)?.code]
      test(`screens as the ${who} operator, in ${language}: ${first} to ${last}`, async ({
        page,
        onlooker,
        enter,
        complaints,
      }) => {
        mkdirSync(pictures, { recursive: true })
        await enter(who === 'limited' ? onlooker : undefined, language)
        const shell = new Shell(page)
        for (const { path, code, title } of walk) {
          await test.step(path, async () => {
            await shell.follow(path)
            await expect(page, 'the screen that was asked for').toHaveTitle(
              `${title[language === 'zh' ? 0 : 1]} - Skyrack`,
            )
            await settle(shell)
            await expect.soft(shell.main.locator('.page-broken'), `${path} is there`).toHaveCount(0)
            await page.screenshot({ path: resolve(pictures, `${who}-${language}-${code}.jpg`), quality: 80 })

            const text = await page.locator('body').innerText()
            const raw = text.split('\n').filter((line) => rawKey.test(line) && !notAKey.test(line))
            expect.soft(raw, `${path} shows keys`).toEqual([])
            if (language === 'en') {
              const chinese = (await page.locator(labels).allInnerTexts()).filter((label) =>
                /\p{Script=Han}/u.test(label),
              )
              const own = chinese.filter((label) => label !== '中文')
              expect.soft(own, `${path} has Chinese labels`).toEqual([])
            }
            // Once a screen: who has all buttons has what the others see, and both languages have the same structure.
            if (who === 'full' && language === 'zh') {
              // The frame around the pages is the same everywhere: it is looked at once.
              const told = await hardToUse(page, path === screens[0]?.path ? 'body' : 'main')
              expect.soft(told, `${path} is hard to use for some`).toEqual([])
            }
            expect.soft(complaints.unexpected(), `${path} complains on the console`).toEqual([])
            const failed = page.getByRole('alert').filter({ hasText: /^(失败|Failed)/ })
            await expect.soft(failed, `${path} fails`).toHaveCount(0)
          })
        }
      })
    }
  }
}
