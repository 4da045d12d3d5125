import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import type { MenuEntry, Operator, Staff } from './support/api'
import { Shell } from './support/shell'
import { expect, type Language, test } from './support/test'

const pictures = resolve(import.meta.dirname, '../../target/screenshots')

/** A key that nobody translated: words joined by dots, as in `clientUser.fields.name`. */
const rawKey = /\b[a-z][A-Za-z]+(\.[a-z][A-Za-z]+){1,4}\b/
/** What looks like one and is none: files, domains, versions of programs. */
const notAKey = /\.(com|cn|net|org|io|apk|xlsx|csv|js|json|zip|log|db|example)\b|@|\/\/|www\./

/** The words of the console itself. Data may be in any language, labels may not. */
const labels = 'h1, h2, h3, label, th, button, [role=tab], [role=columnheader], [role=menuitem]'

interface Place {
  path: string
  name: string
}

function join(parent: string, child: string): string {
  const joined = `/${parent}/${child}`.replace(/\/{2,}/g, '/')
  return child.startsWith(parent) && parent !== '/' ? child : joined.replace(/(.)\/$/, '$1')
}

/** Every screen of a menu tree that is shown. */
function places(tree: MenuEntry[]): Place[] {
  return tree.flatMap((section) =>
    (section.children ?? [])
      .filter((screen) => screen.visible !== false)
      .map((screen) => ({ path: join(section.path, screen.path), name: screen.code ?? screen.name })),
  )
}

/** An operator who may look at everything and do nothing. */
const looksOnly = (staff: Staff) =>
  staff.group((_, act) => /:(list|get|view)$/.test(act.code ?? '')).then((id) => staff.operator(id))

const operators: Record<string, (staff: Staff) => Promise<Operator>> = {
  full: (staff) => staff.operator(),
  limited: looksOnly,
}

/** Waits until a page has what it shows. Not until the network is silent: live screens keep a stream open. */
async function settle(shell: Shell) {
  await expect(shell.main.locator('.page:visible')).not.toBeEmpty()
  await expect(shell.main.locator('.page:visible :is([aria-busy=true], .page-loading)')).toHaveCount(0)
}

/** What axe finds in a part of the page, as far as it keeps somebody out. */
async function hardToUse(page: Page, part: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    // One page without frames: no need for another window to add up in.
    .setLegacyMode()
    .include(part)
    .exclude('[aria-hidden=true]')
    // The rows of a table are all made alike; the first ones stand for the others.
    .exclude('tbody tr:nth-child(n + 4)')
    .analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

for (const [who, make] of Object.entries(operators)) {
  for (const language of ['zh', 'en'] as Language[]) {
    test(`every screen as the ${who} operator, in ${language}`, async ({ page, staff, enter, complaints }) => {
      test.setTimeout(600_000)
      const operator = await enter(await make(staff), language)
      const shell = new Shell(page)
      const screens = places(await staff.admin.tree(operator.groupId))
      expect(screens.length).toBeGreaterThan(5)
      mkdirSync(pictures, { recursive: true })

      for (const { path, name } of screens) {
        await test.step(path, async () => {
          await shell.open(path)
          await settle(shell)
          const view = shell.main.locator('.page:visible')
          await expect.soft(view, `${path} shows something`).not.toBeEmpty()
          await expect.soft(view.getByText(/^(当前版本没有这个页面|This version has no such page)$/)).toHaveCount(0)
          await page.screenshot({ path: resolve(pictures, `${who}-${language}-${name}.png`) })

          const text = await page.locator('body').innerText()
          const raw = text.split('\n').filter((line) => rawKey.test(line) && !notAKey.test(line))
          expect.soft(raw, `${path} shows keys`).toEqual([])
          if (language === 'en') {
            const chinese = (await page.locator(labels).allInnerTexts()).filter((label) =>
              /\p{Script=Han}/u.test(label),
            )
            expect
              .soft(
                chinese.filter((label) => label !== '中文'),
                `${path} has Chinese labels`,
              )
              .toEqual([])
          }
          // The frame around the pages is the same everywhere: it is looked at once.
          const told = await hardToUse(page, path === screens[0]?.path ? 'body' : 'main')
          expect.soft(told, `${path} is hard to use for some`).toEqual([])
          expect.soft(complaints.unexpected(), `${path} complains on the console`).toEqual([])
          await expect
            .soft(page.getByRole('alert').filter({ hasText: /^(失败|Failed)/ }), `${path} fails`)
            .toHaveCount(0)
        })
      }
    })
  }
}
