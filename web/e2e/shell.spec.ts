import type { Locator } from '@playwright/test'
import type { MenuEntry } from './support/api'
import { cookie, refuseOnce, Shell, titles, words } from './support/shell'
import { expect, type Language, test } from './support/test'

const languages: Language[] = ['zh', 'en']

/** Red, green and blue of a computed colour. */
async function colour(of: Locator, property: 'color' | 'backgroundColor'): Promise<[number, number, number]> {
  const text = await of.evaluate((element, name) => getComputedStyle(element)[name as 'color'], property)
  const [red = 0, green = 0, blue = 0] = text.match(/[\d.]+/g)?.map(Number) ?? []
  return [red, green, blue]
}

const visible = (entries: MenuEntry[] | undefined) =>
  (entries ?? []).filter((entry) => entry.visible !== false && entry.path !== null)

test.describe('the sidebar', () => {
  test('shows a section with one child as one entry, and any other as a group', async ({ page, staff, enter }) => {
    const group = await staff.group((screen) =>
      ['operationLog', 'clientUser', 'clientUserRecords'].includes(screen.code ?? ''),
    )
    await enter(await staff.operator(group))
    const { sidebar } = new Shell(page)
    const tree = await staff.admin.tree(group)
    expect(tree.map((section) => visible(section.children).length).sort()).toEqual([1, 2])

    // One child: parent path plus child path, and no group to open.
    await expect(sidebar.getByRole('link', { name: titles.zh.log, exact: true })).toHaveAttribute(
      'href',
      '/user/operationLog',
    )
    await expect(sidebar.getByRole('button')).toHaveCount(1)
    // Two children: a group with both.
    const clientUsers = sidebar.getByRole('button', { name: titles.zh.clientUser, exact: true })
    await expect(clientUsers).toHaveAttribute('aria-expanded', 'true')
    await expect(sidebar.getByRole('link', { name: titles.zh.records, exact: true })).toHaveAttribute(
      'href',
      '/clientUser/records',
    )
    await clientUsers.click()
    await expect(sidebar.getByRole('link', { name: titles.zh.records, exact: true })).toHaveCount(0)
  })

  test('leaves out what is hidden', async ({ page, staff, enter }) => {
    const tree = await staff.tree()
    const section = tree.find((entry) => entry.children?.some((child) => child.code === 'clientUserRecords'))
    const records = section?.children?.find((child) => child.code === 'clientUserRecords')
    if (!records) throw new Error('the catalogue lacks the records of client users')
    const show = (shown: boolean) =>
      staff.admin.call('PUT', `/v1/menus/update/${records.id}/visible`, { visible: shown })
    await show(false)
    try {
      await enter()
      const { sidebar } = new Shell(page)
      await expect(sidebar.getByRole('link', { name: titles.zh.clientUser, exact: true })).toBeVisible()
      await expect(sidebar.getByText(titles.zh.records)).toHaveCount(0)
    } finally {
      await show(true)
    }
  })

  test('is dark blue-grey with light text and a blue active entry', async ({ page, enter }) => {
    await enter()
    const { sidebar } = new Shell(page)
    const [red, green, blue] = await colour(sidebar, 'backgroundColor')
    expect(Math.max(red, green, blue), 'dark').toBeLessThan(110)
    expect(blue, 'bluish').toBeGreaterThan(red)
    const active = sidebar.getByRole('link', { name: titles.zh.clientUser, exact: true })
    await expect(active).toHaveAttribute('aria-current', 'page')
    const other = sidebar.getByRole('link', { name: titles.zh.records, exact: true })
    expect(Math.min(...(await colour(other, 'color'))), 'light text').toBeGreaterThan(120)
    const marks = [await colour(active, 'color'), await colour(active, 'backgroundColor')]
    expect(
      marks.some(([r, g, b]) => b > r + 40 && b > g + 20),
      `blue highlight: ${JSON.stringify(marks)}`,
    ).toBe(true)
  })

  test('scrolls three times as far as the wheel turns, above a margin of 15 px', async ({ page, enter }) => {
    await page.setViewportSize({ width: 1200, height: 320 })
    await enter()
    const { sidebar, scroller } = new Shell(page)
    // Every group open, so that there is something to scroll.
    const closed = sidebar.getByRole('button', { expanded: false })
    while ((await closed.count()) > 0) await closed.first().click()
    await scroller.hover()
    await scroller.evaluate((element) => element.scrollTo(0, 0))
    await page.mouse.wheel(0, 20)
    await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(60)
    await page.mouse.wheel(0, -10)
    await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(30)
    const margin = await scroller.evaluate((element) => {
      const own = getComputedStyle(element).marginBottom
      const inner = element.firstElementChild ? getComputedStyle(element.firstElementChild).marginBottom : ''
      return [own, inner]
    })
    expect(margin).toContain('15px')
  })

  test('is remembered in a cookie as 1 or 0, and changes its logo', async ({ page, enter }) => {
    await enter()
    const { sidebar, toggle } = new Shell(page)
    const width = async () => (await sidebar.boundingBox())?.width ?? 0
    const logo = async () => sidebar.getByRole('link').first().innerHTML()
    const wide = await width()
    const fullLogo = await logo()
    await toggle.click()
    await expect.poll(width).toBeLessThan(wide / 2)
    expect(await logo()).not.toBe(fullLogo)
    expect(await cookie(page, 'sidebarStatus')).toBe('0')
    await page.reload()
    await expect.poll(width).toBeLessThan(wide / 2)
    await toggle.click()
    await expect.poll(width).toBe(wide)
    expect(await cookie(page, 'sidebarStatus')).toBe('1')
  })
})

test.describe('the top bar', () => {
  test('hears Ctrl-K from the moment that it can be seen', async ({ page, enter }) => {
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector('header')) return
        observer.disconnect()
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }))
      }).observe(document, { childList: true, subtree: true })
    })
    await enter()
    await expect(page.getByRole('combobox', { name: '快速搜索' })).toBeFocused()
  })

  for (const language of languages) {
    test(`breadcrumbs link all but the last and what has no page, in ${language}`, async ({ page, enter }) => {
      await enter(undefined, language)
      const shell = new Shell(page)
      await shell.open('/user/operationLog')
      const crumbs = shell.crumbs.getByRole('listitem')
      await expect(crumbs.last()).toHaveText(titles[language].log)
      await expect(crumbs.last().getByRole('link')).toHaveCount(0)
      await expect(crumbs.last().locator('[aria-current=page]')).toHaveCount(1)
      // The section has no page of its own.
      await expect(shell.crumbs.getByRole('link')).toHaveCount(0)
    })
  }

  test('the user icon names the user and goes home', async ({ page, enter }) => {
    const operator = await enter()
    const shell = new Shell(page)
    await shell.open('/user/operationLog')
    await shell.user.hover()
    await expect(
      page
        .getByRole('tooltip', { name: operator.username })
        .or(page.getByText(operator.username, { exact: true }))
        .first(),
    ).toBeVisible()
    await shell.user.click()
    await expect(page).toHaveURL(/\/clientUser$/)
  })
})

for (const language of languages) {
  test.describe(`the tabs, in ${language}`, () => {
    const title = titles[language]
    const word = words[language]

    test('list every visited page once', async ({ page, enter }) => {
      await enter(undefined, language)
      const shell = new Shell(page)
      await shell.open('/user/operationLog')
      await shell.open('/clientUser/records')
      await shell.open('/user/operationLog')
      await expect.poll(() => shell.tabNames()).toEqual([title.clientUser, title.log, title.records])
      await expect(shell.tabs.locator('[aria-current=page]')).toHaveText(title.log)
    })

    test('close, close others, close all', async ({ page, enter }) => {
      await enter(undefined, language)
      const shell = new Shell(page)
      await shell.open('/user/operationLog')
      await shell.open('/clientUser/records')

      // Closing the active tab moves to the last remaining one.
      await shell.tabMenu(title.records, word.close)
      await expect(page).toHaveURL(/\/user\/operationLog$/)
      // Closing another one stays.
      await shell.open('/clientUser/records')
      await shell.tabMenu(title.clientUser, word.close)
      await expect(page).toHaveURL(/\/clientUser\/records$/)
      expect(await shell.tabNames()).toEqual([title.log, title.records])

      await shell.tabMenu(title.log, word.closeOthers)
      await expect(page).toHaveURL(/\/user\/operationLog$/)
      expect(await shell.tabNames()).toEqual([title.log])

      // Nothing remains: home, which opens its own tab.
      await shell.tabMenu(title.log, word.closeAll)
      await expect(page).toHaveURL(/\/clientUser$/)
      await expect.poll(() => shell.tabNames()).toEqual([title.clientUser])
    })
  })
}

test('a page keeps what was typed behind its tab, and forgets it when the tab closes', async ({ page, enter }) => {
  await enter()
  const shell = new Shell(page)
  const field = shell.main.getByRole('searchbox').first()
  await field.fill('half a word')
  await shell.open('/user/operationLog')
  await shell.tabs.getByRole('button', { name: titles.zh.clientUser, exact: true }).click()
  await expect(shell.main.getByRole('searchbox').first()).toHaveValue('half a word')
  await shell.open('/user/operationLog')
  await shell.tabMenu(titles.zh.clientUser, words.zh.close)
  await shell.open('/clientUser')
  await expect(shell.main.getByRole('searchbox').first()).toHaveValue('')
})

test('the main area fades between pages', async ({ page, enter }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await enter()
  const shell = new Shell(page)
  await shell.main.evaluate((main) => {
    const seen: string[] = []
    Object.assign(window, { seenFades: seen })
    const note = (event: Event) => {
      const name = event instanceof AnimationEvent ? event.animationName : (event as TransitionEvent).propertyName
      seen.push(name)
    }
    for (const kind of ['animationstart', 'transitionstart']) main.addEventListener(kind, note, true)
  })
  await shell.open('/user/operationLog')
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { seenFades: string[] }).seenFades.join()))
    .toMatch(/fade|opacity|page/i)
})

test('the language switches everywhere, and a cookie remembers it', async ({ page, enter }) => {
  await enter()
  const shell = new Shell(page)
  await page.getByRole('button', { name: 'Switch to English' }).click()
  await expect(shell.tabs.getByRole('button', { name: titles.en.clientUser, exact: true })).toBeVisible()
  await expect(shell.crumbs.getByRole('listitem').last()).toHaveText(titles.en.clientUser)
  expect(await cookie(page, 'language')).toBe('en')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  await page.getByRole('button', { name: '切换到中文' }).click()
  await expect(shell.crumbs.getByRole('listitem').last()).toHaveText(titles.zh.clientUser)
  expect(await cookie(page, 'language')).toBe('zh')
})

test('the dark theme is dark, and remembered', async ({ page, enter }) => {
  await enter()
  const brightness = async () => Math.max(...(await colour(page.locator('body'), 'backgroundColor')))
  expect(await brightness()).toBeGreaterThan(200)
  await page.getByRole('button', { name: '切换到深色主题' }).click()
  await expect.poll(brightness).toBeLessThan(60)
  await page.reload()
  await expect.poll(brightness).toBeLessThan(60)
})

test('a failure is told for five seconds under the title 失败', async ({ page, enter, complaints }) => {
  complaints.expect(/409/)
  await enter()
  const shell = new Shell(page)
  // Timed in the page: from outside one sees it late when the machine is busy.
  await page.evaluate(() => {
    const times: number[] = []
    Object.assign(window, { noticeTimes: times })
    new MutationObserver(() => {
      const shown = document.querySelector('[role=alert]') !== null
      if (shown === (times.length === 0)) times.push(performance.now())
    }).observe(document.body, { childList: true, subtree: true })
  })
  // Whoever points at the entry has asked already; what is refused then is asked again by the page, which says so.
  for (const _ of ['ahead', 'by the page']) {
    await refuseOnce(page, /\/v1\/operation\/log\/list|operation-logs/, 409, { status: 4009, msg: '这是一次失败' })
  }
  await shell.open('/user/operationLog')
  const notice = page.getByRole('alert').filter({ hasText: '失败' }).filter({ hasText: '这是一次失败' })
  await expect(notice).toBeVisible()
  await expect(notice).toBeHidden()
  const [came = 0, went = 0] = await page.evaluate(() => (window as unknown as { noticeTimes: number[] }).noticeTimes)
  // That it goes then and not later is told by a clock that is held (`ui/notices.spec.tsx`): a busy machine is late.
  expect(went - came, 'milliseconds on screen').toBeGreaterThan(4_900)
})

test('an uncaught error is a toast and a line in the error log', async ({ page, enter, complaints }) => {
  complaints.expect(/boom of the test/)
  await enter()
  const shell = new Shell(page)
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error('boom of the test')
    })
  })
  await expect(page.getByText(/boom of the test/).first()).toBeVisible()
  await shell.open('/errorLog')
  await expect(shell.main.getByText(/boom of the test/).first()).toBeVisible()
})
