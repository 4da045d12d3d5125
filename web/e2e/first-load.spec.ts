import type { Locator, Page, Route } from '@playwright/test'
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
const detailCall = 'GET /api/user/v1/designjet/client_info'
const settingsCall = 'GET /api/platform/v1/settings/sign-in'
const recordsCall = 'GET /api/user/v1/client-users/records'
const recordsChunk = 'clientUser-records'

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

/** Keeps files from the page until it is told to give them. */
async function hold(page: Page, files: string | RegExp) {
  const held: Route[] = []
  let isHolding = true
  await page.route(files, (route) => (isHolding ? void held.push(route) : route.continue()))
  return async () => {
    isHolding = false
    await Promise.all(held.map((route) => route.continue()))
  }
}

/** Opens an address and says whether all that it shows first needs is asked for while no module is given out. */
async function openBeforeModules(
  page: Page,
  path: string,
  needed: readonly string[],
  shown: Locator = rows(page),
): Promise<string[]> {
  const asked = requestsOf(page)
  // What a module had to ask for would never come.
  const give = await hold(page, '**/assets/*.js')
  await page.goto(path, { waitUntil: 'commit' })
  for (const one of needed) await expect.poll(() => asked).toContain(one)
  await give()
  await expect(shown.first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  return asked
}

test('what the first rows need is asked for before any module runs', async ({ page, enter }) => {
  await enter()
  await expect(rows(page).first()).toBeVisible()
  const chunks = ['boot', 'shell', 'list', 'clientUser-users'].map((name) => `GET /assets/${name}.js`)
  const asked = await openBeforeModules(page, '/clientUser', [listCall, 'GET /api/user/v1/menus/tree', ...chunks])
  expect(asked.filter((one) => /users\/\d+\/$/.test(one))).toHaveLength(1)
  expect(asked).toEqual([...new Set(asked)])
})

test('so it is at an address that this browser has never opened', async ({ page, enter }) => {
  await enter()
  await expect(rows(page).first()).toBeVisible()
  const asked = await openBeforeModules(page, '/clientUser/records', [recordsCall, `GET /assets/${recordsChunk}.js`])
  expect(asked).toEqual([...new Set(asked)])
})

test('so it is for a page that is no list', async ({ page, enter }) => {
  await enter()
  await expect(rows(page).first()).toBeVisible()
  const chunk = 'GET /assets/platform-sign-in-security.js'
  const asked = await openBeforeModules(
    page,
    '/platform/signInSecurity',
    [settingsCall, chunk],
    page.getByRole('switch'),
  )
  expect(asked.filter((one) => one === settingsCall)).toHaveLength(1)
})

test('a list with filters begins with them, and a record with its detail', async ({ page, enter }) => {
  await enter()
  const first = rows(page).first()
  await expect(first).toBeVisible()
  const link = await first.locator('td a').first().getAttribute('href')
  const detail = new URL(link ?? '', page.url()).searchParams.get('detail')
  const bodies: (string | null)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/getPageUserInfo')) bodies.push(request.postData())
  })
  const asked = await openBeforeModules(page, `/clientUser?status=1&detail=${detail}`, [listCall, detailCall])
  expect(bodies).toHaveLength(1)
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ status: 1 })
  expect(asked.filter((one) => one === detailCall)).toHaveLength(1)
})

test('who points at an entry of the menu has its page and its rows on the way', async ({ page, enter }) => {
  await enter()
  await expect(rows(page).first()).toBeVisible()
  const asked = requestsOf(page)
  await page.locator('a.sidebar-row[href="/clientUser/records"]').hover()
  await expect.poll(() => asked).toContain(`GET /assets/${recordsChunk}.js`)
  await expect.poll(() => asked).toContain(recordsCall)
})

/** Counts what says that something is loading, from now on: of a page, of rows, of a detail. */
async function watchFallbacks(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate((loading) => {
    const seen: string[] = []
    Object.assign(window, { fallbacks: seen })
    new MutationObserver((changes) => {
      for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        if (!(node instanceof Element)) continue
        const found = [node, ...node.querySelectorAll('*')].filter((each) => each.matches(loading))
        seen.push(...found.map(({ className }) => className))
      }
    }).observe(document.body, { childList: true, subtree: true })
  }, '.page-loading, .sky-skeleton')
  return () => page.evaluate(() => (window as unknown as { fallbacks: string[] }).fallbacks)
}

test('a click that nobody saw coming loads page and rows beside each other, and shows nothing in between', async ({
  page,
  enter,
}) => {
  await enter()
  await expect(rows(page).first()).toBeVisible()
  const asked = requestsOf(page)
  const give = await hold(page, `**/assets/${recordsChunk}-*.js`)
  const answered = page.waitForResponse(/client-users\/records\?/)
  const fallbacks = await watchFallbacks(page)
  // Not by the pointer, which would be there first.
  await page.locator('a.sidebar-row[href="/clientUser/records"]').evaluate((link: HTMLElement) => link.click())
  await expect.poll(() => asked).toContain(`GET /assets/${recordsChunk}.js`)
  await expect.poll(() => asked).toContain(recordsCall)
  await answered
  // The page that is left stays until the next one can be shown.
  await expect(page).toHaveURL(/\/clientUser$/)
  await give()
  await expect(page).toHaveURL(/\/clientUser\/records/)
  await expect(rows(page).first()).toBeVisible()
  expect(await fallbacks()).toEqual([])
  expect(asked.filter((one) => one === recordsCall)).toHaveLength(1)
})

test('so does a click on a record', async ({ page, enter }) => {
  await enter()
  await expect(rows(page).first()).toBeVisible()
  const asked = requestsOf(page)
  const give = await hold(page, '**/assets/detail-*.js')
  const answered = page.waitForResponse(/client_info\?/)
  const fallbacks = await watchFallbacks(page)
  const name = rows(page).first().locator('td a').first()
  await name.evaluate((link: HTMLElement) => link.click())
  await expect.poll(() => asked).toContain('GET /assets/detail.js')
  await expect.poll(() => asked).toContain(detailCall)
  await answered
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await give()
  await expect(page.getByRole('dialog').getByRole('tab').first()).toBeVisible()
  expect(await fallbacks()).toEqual([])
  expect(asked.filter((one) => one === listCall)).toEqual([])
})

test('a page whose module does not come takes the place, and says that it is loading', async ({ page, enter }) => {
  await enter()
  await expect(rows(page).first()).toBeVisible()
  const give = await hold(page, `**/assets/${recordsChunk}-*.js`)
  await page.locator('a.sidebar-row[href="/clientUser/records"]').click()
  await expect(page.getByRole('status').filter({ hasText: '页面加载中' })).toBeAttached()
  await expect(page).toHaveURL(/\/clientUser\/records/)
  await expect(page.locator('.page:visible .page-loading')).toBeVisible()
  await give()
  await expect(rows(page).first()).toBeVisible()
})

test('a record that is clicked while typing pauses opens, and the list has what was typed', async ({ page, enter }) => {
  await enter()
  const link = rows(page).first().locator('td a').first()
  const name = await link.innerText()
  const give = await hold(page, '**/assets/detail-*.js')
  const written = page.waitForRequest(
    (request) => request.url().endsWith('/getPageUserInfo') && /keyWord/.test(request.postData() ?? ''),
  )
  await page.locator('.page:visible input[type=search]').first().fill(name)
  await link.evaluate((element: HTMLElement) => element.click())
  // The record is still on its way when what was typed is written down.
  await written
  await give()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expect(page).toHaveURL(/keyWord=/)
  await expect(page).toHaveURL(/detail=\d+/)
})

test('a record whose module is gone costs its page alone, until it is tried again', async ({
  page,
  enter,
  complaints,
}) => {
  complaints.expect(/detail-|could not be loaded/)
  await enter()
  await expect(rows(page).first()).toBeVisible()
  await page.route('**/assets/detail-*.js', (route) => route.abort())
  await rows(page).first().locator('td a').first().click()
  const retry = page.getByRole('main').getByRole('button', { name: '重试' })
  await expect(retry).toBeVisible()
  await expect(page.locator('a.sidebar-row[href="/clientUser/records"]')).toBeVisible()
  await page.unroute('**/assets/detail-*.js')
  await retry.click()
  await expect(page.getByRole('dialog').getByRole('tab').first()).toBeVisible()
})

test('who comes to an entry of the menu by the keyboard has it on the way', async ({ page, enter }) => {
  await enter()
  await expect(rows(page).first()).toBeVisible()
  const asked = requestsOf(page)
  const entry = page.locator('a.sidebar-row[href="/clientUser/records"]')
  await entry.focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  await expect(entry).toBeFocused()
  await expect.poll(() => asked).toContain(recordsCall)
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
