import type { Page, Route } from '@playwright/test'
import { Shell } from './support/shell'
import { expect, test } from './support/test'

/** Everything that a page asks for, from now on: method and path, files without the hash in their names. */
function requestsOf(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    asked.push(`${request.method()} ${pathname.replace(/-[\w-]{8}\./, '.')}`)
  })
  return asked
}

const rows = (page: Page) => page.locator('.page:visible tbody tr[data-row]')
const listCall = 'POST /api/user/v5/user/getPageUserInfo'

/**
 * How many requests a page began before its first row stood: what comes after it (a bell, a live stream) keeps nobody
 * waiting. The browser itself takes the moment, so that a slow test sees the same as a quick one.
 */
async function requestsBeforeTheFirstRow(page: Page, path: string): Promise<string[]> {
  await page.addInitScript(() => {
    const moment = 'first row'
    new MutationObserver((_, observer) => {
      if (document.querySelector('tbody tr[data-row]') === null) return
      observer.disconnect()
      performance.mark(moment)
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto(path)
  await expect(rows(page).first()).toBeVisible()
  return page.evaluate(() => {
    const end = performance.getEntriesByName('first row')[0]?.startTime ?? 0
    const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    return all.filter((entry) => entry.startTime < end).map((entry) => entry.name)
  })
}

test('a list takes at most 12 requests to its first row, and none twice', async ({ page, enter }) => {
  await enter()
  await expect(rows(page).first()).toBeVisible()
  const asked = requestsOf(page)
  const before = await requestsBeforeTheFirstRow(page, '/clientUser')
  expect(before.length).toBeGreaterThan(3)
  expect(before.length, before.join('\n')).toBeLessThanOrEqual(12)
  await page.waitForLoadState('networkidle')
  expect(asked).toContain(listCall)
  expect(asked).toEqual([...new Set(asked)])
})

test('what the first rows need is asked for before any module runs', async ({ page, enter }) => {
  await enter()
  await expect(rows(page).first()).toBeVisible()
  const asked = requestsOf(page)
  // No module is given out before all has been asked for: what a module had to ask for would never come.
  const held: Route[] = []
  let isHolding = true
  await page.route('**/assets/*.js', (route) => (isHolding ? void held.push(route) : route.continue()))
  await page.goto('/clientUser', { waitUntil: 'commit' })
  await expect.poll(() => asked).toContain(listCall)
  await expect.poll(() => asked).toContain('GET /api/user/v1/menus/tree')
  expect(asked.filter((one) => /users\/\d+\/$/.test(one))).toHaveLength(1)
  for (const chunk of ['boot', 'shell', 'list', 'clientUser-users']) {
    await expect.poll(() => asked).toContain(`GET /assets/${chunk}.js`)
  }
  isHolding = false
  await Promise.all(held.map((route) => route.continue()))
  await expect(rows(page).first()).toBeVisible()
  expect(asked).toEqual([...new Set(asked)])
})

test('a list with filters begins with them the next time', async ({ page, enter }) => {
  await enter()
  await page.goto('/clientUser?status=1&pageSize=50')
  await expect(rows(page).first()).toBeVisible()
  const bodies: (string | null)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/getPageUserInfo')) bodies.push(request.postData())
  })
  await page.reload({ waitUntil: 'networkidle' })
  await expect(rows(page).first()).toBeVisible()
  expect(bodies).toHaveLength(1)
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ status: 1 })
})

test('who points at an entry of the menu has its page and its rows on the way', async ({ page, enter }) => {
  await enter()
  const shell = new Shell(page)
  await shell.follow('/clientUser/records')
  await expect(rows(page).first()).toBeVisible()
  await page.goto('/clientUser')
  await expect(rows(page).first()).toBeVisible()
  const asked = requestsOf(page)
  await page.locator('a.sidebar-row[href="/clientUser/records"]').hover()
  await expect.poll(() => asked).toContain('GET /assets/clientUser-records.js')
  await expect.poll(() => asked).toContain('GET /api/user/v1/client-users/records')
})

test('somebody who is not signed in causes no call', async ({ page }) => {
  const asked = requestsOf(page)
  await page.goto('/clientUser', { waitUntil: 'networkidle' })
  await expect(page).toHaveURL(/\/login/)
  expect(asked.filter((one) => /menus|users|PageUserInfo/.test(one))).toEqual([])
})

test('a session that has ended leads to the sign-in, once', async ({ page, enter, complaints }) => {
  complaints.expect(/401/)
  await enter()
  await page.evaluate(() => {
    localStorage.setItem('skyrack:token', JSON.stringify({ value: 'a'.repeat(43), updatedAt: '' }))
  })
  await page.goto('/clientUser')
  await expect(page).toHaveURL(/\/login/)
  const asked = requestsOf(page)
  await page.reload({ waitUntil: 'networkidle' })
  await expect(page).toHaveURL(/\/login/)
  expect(asked.filter((one) => one.includes('menus/tree'))).toEqual([])
})

test('early calls speak the language of the visitor', async ({ page, enter }) => {
  await enter(undefined, 'en')
  await expect(rows(page).first()).toBeVisible()
  const languages: (string | undefined)[] = []
  page.on('request', (request) => {
    if (/menus\/tree|PageUserInfo/.test(request.url())) languages.push(request.headers()['accept-language'])
  })
  await page.reload({ waitUntil: 'networkidle' })
  expect(languages).toEqual(['en', 'en'])
})
