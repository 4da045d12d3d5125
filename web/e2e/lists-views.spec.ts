import AxeBuilder from '@axe-core/playwright'
import type { Page, Route } from '@playwright/test'
import { expect, test } from './support/test'

const views = (page: Page) => page.getByRole('navigation', { name: '视图' })
const heading = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: true })
const rows = (page: Page) => page.locator('.page:visible tbody tr[data-row]')

async function saveView(page: Page, name: string) {
  await page.getByRole('button', { name: '存为视图' }).click()
  await page.getByRole('textbox', { name: '视图名称' }).fill(name)
  await page.getByRole('textbox', { name: '视图名称' }).press('Enter')
  await expect(views(page).getByRole('button', { name, exact: true })).toHaveAttribute('aria-current', 'true')
}

async function toggleColumn(page: Page, name: string) {
  await page.getByRole('button', { name: '列', exact: true }).click()
  await page.getByRole('checkbox', { name, exact: true }).click()
  await page.keyboard.press('Escape')
}

test('a view has a name, comes back as it was saved, and is renamed and deleted', async ({ page, enter, staff }) => {
  await enter(await staff.operator(), 'zh', '/clientUser?status=1&sort=-name')
  await toggleColumn(page, '邮箱')
  await expect(heading(page, '邮箱')).toBeHidden()
  await saveView(page, '晚班')
  await views(page).getByRole('button', { name: '全部' }).click()
  await expect(page).not.toHaveURL(/status=1/)
  await views(page).getByRole('button', { name: '晚班', exact: true }).click()
  await expect(page).toHaveURL(/status=1/)
  await expect(heading(page, '姓名')).toHaveAttribute('aria-sort', 'descending')
  await expect(heading(page, '邮箱')).toBeHidden()

  // What is changed says so, and is saved or given up. Columns are as wide as their rows want: a heading moves once more
  // when those of the view are there, perhaps away from under the pointer.
  await expect(page.locator('.page:visible .sky-table')).toHaveAttribute('aria-busy', 'false')
  await heading(page, '姓名').getByRole('button').click()
  await expect(page.getByRole('img', { name: '已修改' })).toBeVisible()
  await page.getByRole('button', { name: '视图“晚班”的操作' }).click()
  await page.getByRole('menuitem', { name: '放弃修改' }).click()
  await expect(heading(page, '姓名')).toHaveAttribute('aria-sort', 'descending')
  await expect(page.getByRole('img', { name: '已修改' })).toBeHidden()

  await page.getByRole('button', { name: '视图“晚班”的操作' }).click()
  await page.getByRole('menuitem', { name: '重命名' }).click()
  await page.getByRole('textbox', { name: '视图名称' }).fill('夜班')
  await page.getByRole('textbox', { name: '视图名称' }).press('Enter')
  await page.getByRole('button', { name: '视图“夜班”的操作' }).click()
  await page.getByRole('menuitem', { name: '设为默认视图' }).click()

  // Opened without a wish it is the default view, also after a reload.
  await page.goto('/clientUser')
  await expect(page).toHaveURL(/status=1/)
  await expect(views(page).getByRole('button', { name: /^夜班/ })).toHaveAttribute('aria-current', 'true')
  // And all can still be seen.
  await views(page).getByRole('button', { name: '全部' }).click()
  await expect(page).not.toHaveURL(/status=1/)

  await views(page).getByRole('button', { name: /^夜班/ }).click()
  await page.getByRole('button', { name: '视图“夜班”的操作' }).click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '删除' }).click()
  await expect(views(page).getByRole('button', { name: /^夜班/ })).toBeHidden()
  await page.goto('/clientUser')
  await expect(rows(page).first()).toBeVisible()
  await expect(page).not.toHaveURL(/status=1/)
})

test('a link shows a colleague the same rows and columns', async ({ page, enter, staff, browser, baseURL }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await enter(await staff.operator(), 'zh', '/clientUser?status=1&sort=-name')
  await toggleColumn(page, '邮箱')
  await saveView(page, '给同事')
  await expect(rows(page).first()).toBeVisible()
  await page.getByTitle('2', { exact: true }).getByText('2').click()
  await expect(page).toHaveURL(/page=2/)
  await page.getByRole('button', { name: '复制链接' }).click()
  await expect(page.getByText('链接已复制')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  const shown = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')))
  expect(shown.length).toBeGreaterThan(0)

  // A browser of another size, and somebody who sees other columns and higher rows.
  const context = await browser.newContext({ ...(baseURL ? { baseURL } : {}), viewport: { width: 1600, height: 700 } })
  const colleague = await staff.operator()
  const other = await context.newPage()
  await other.goto('/login')
  await other.getByLabel(/^用户名/).fill(colleague.username)
  await other.getByLabel(/^密码/).fill(colleague.password)
  await other.getByRole('button', { name: /^登录$/ }).click()
  await expect(other.getByRole('banner')).toBeVisible()
  await other.goto('/clientUser')
  await toggleColumn(other, '注册 IP')
  await other.getByRole('button', { name: '宽松' }).click()
  await other.goto(link)
  await expect(rows(other)).toHaveCount(shown.length)
  expect(await rows(other).evaluateAll((all) => all.map((row) => row.getAttribute('data-row')))).toEqual(shown)
  await expect(heading(other, '邮箱')).toBeHidden()
  await expect(heading(other, '注册 IP')).toBeHidden()
  await expect(other.getByRole('button', { name: '标准' })).toHaveAttribute('aria-pressed', 'true')
  // The view is not his, and becomes so if he wants it.
  await other.getByRole('button', { name: '视图“给同事”的操作' }).click()
  await other.getByRole('menuitem', { name: '保存到我的视图' }).click()
  await other.goto('/clientUser')
  await expect(views(other).getByRole('button', { name: '给同事', exact: true })).toBeVisible()
  await context.close()
})

test('what is set out of sight stands as a chip, and is taken back there', async ({ page, enter }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await enter(undefined, 'zh', '/device/management')
  await page.getByRole('button', { name: /更多筛选/ }).click()
  await page.getByRole('combobox', { name: '维护', exact: true }).click()
  await page.locator('.ant-select-item-option').filter({ hasText: '维护中' }).click()
  await expect(page).toHaveURL(/maintenance=/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '取消筛选“维护”' }).click()
  await expect(page).not.toHaveURL(/maintenance=/)
})

for (const viewport of [
  { width: 1280, height: 720 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
]) {
  test(`the rows of a page fit ${viewport.width}x${viewport.height}, and are asked for once`, async ({
    page,
    enter,
  }) => {
    // The first visit is in another window: what was learnt there must fit here as well. It is over before this window is
    // there, or its page would ask for as many rows as fit here.
    await page.setViewportSize({ width: 1366, height: 768 })
    await enter(undefined, 'zh', '/clientUser')
    await expect(rows(page).first()).toBeVisible()
    await page.goto('/404')
    await page.setViewportSize(viewport)
    // Answers get old, and are asked for anew when their page comes late: the page's clock stands, so that a machine which
    // does much else makes none old.
    await page.addInitScript(() => {
      const [now, moment] = [Date.now(), performance.now()]
      Date.now = () => now
      performance.now = () => moment
    })
    const asked: { pageSize: number }[] = []
    const lost: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/getPageUserInfo')) asked.push(request.postDataJSON())
    })
    page.on('requestfailed', (request) => lost.push(`${request.url()}: ${request.failure()?.errorText}`))
    page.on('response', (response) => {
      if (response.status() >= 400) lost.push(`${response.url()}: ${response.status()}`)
    })
    await page.goto('/clientUser', { waitUntil: 'networkidle' })
    await expect(rows(page).first()).toBeVisible()
    expect(asked, `asked once; lost: ${lost.join(', ')}`).toHaveLength(1)
    const box = await page
      .locator('.page:visible .sky-table-scroll')
      .evaluate(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => ({
        hidden: scrollHeight - clientHeight,
        cut: scrollWidth - clientWidth,
        empty: clientHeight - (scrollHeight === clientHeight ? 0 : scrollHeight),
        height: clientHeight,
      }))
    expect(box).toMatchObject({ hidden: 0, cut: 0 })
    const [row = 0, head = 0] = await page.evaluate(() => [
      document.querySelector<HTMLElement>('.page tbody tr[data-row]')?.offsetHeight ?? 0,
      document.querySelector<HTMLElement>('.page thead')?.offsetHeight ?? 0,
    ])
    // As many as fit, not one less.
    expect(asked[0]?.pageSize).toBe(Math.floor((box.height - head) / row))
  })
}

test('columns that have no room are named, and what is ticked is shown whole', async ({ page, enter, staff }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await enter(await staff.operator(), 'zh', '/clientUser')
  await expect(rows(page).first()).toBeVisible()
  const names = () =>
    page
      .locator('.page:visible th:not(.sky-box)')
      .evaluateAll((all) => all.map((each) => each.getAttribute('title') ?? ''))
  const table = page.locator('.page:visible .sky-table-scroll')
  const overflow = () => table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
  const button = page.getByRole('button', { name: '列', exact: true })
  const usual = await names()
  expect(await overflow(), 'the usual columns fit').toBe(0)
  const told = (await button.getAttribute('aria-description')) ?? ''
  const missing = told.replace(/^.*：/, '').split('、')
  expect(told).toContain(`窗口放不下 ${missing.length} 列`)
  await expect(button).toHaveText(`−${missing.length}`)
  expect(usual).not.toEqual(expect.arrayContaining(missing))

  const wanted = missing[0] as string
  await button.click()
  await expect(page.getByRole('checkbox', { name: wanted, exact: true }), 'ticked is what is shown').not.toBeChecked()
  await page.getByRole('checkbox', { name: wanted, exact: true }).click()
  await expect(heading(page, wanted)).toBeVisible()
  await page.keyboard.press('Escape')
  expect(await names(), 'no other column went for it').toEqual(expect.arrayContaining([...usual, wanted]))
  expect(await overflow()).toBeGreaterThan(0)
  await table.evaluate((element) => element.scrollTo({ left: element.scrollWidth }))
  const last = await page.locator('.page:visible th').nth(-2).boundingBox()
  const acts = await heading(page, '操作').boundingBox()
  expect((last?.x ?? 0) + (last?.width ?? 0), 'the last column ends where the acts begin').toBeLessThanOrEqual(
    (acts?.x ?? 0) + 1,
  )
  await page.reload()
  await expect(heading(page, wanted)).toBeVisible()
})

test('a table that was seen before is drawn as it fits at once', async ({ page, enter, staff }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await enter(await staff.operator(), 'zh', '/clientUser')
  await expect(rows(page).first()).toBeVisible()
  const known = () => page.evaluate(() => localStorage.getItem('skyrack:tables') ?? '')
  await expect.poll(known).toContain('clientUserPage')
  // Cells of columns that have no room are taken out again, where all are drawn to be measured.
  await page.addInitScript(() => {
    const taken: string[] = []
    Object.assign(window, { taken })
    new MutationObserver((changes) => {
      for (const { removedNodes } of changes) for (const { nodeName } of removedNodes) taken.push(nodeName)
    }).observe(document, { childList: true, subtree: true })
  })
  await page.reload()
  await expect(rows(page).first()).toBeVisible()
  const taken = await page.evaluate(() => (window as unknown as { taken: string[] }).taken)
  expect(taken.filter((name) => name === 'TH' || name === 'TD')).toEqual([])
})

/** Answers a list with another value in its first row. */
const changed = (field: string, value: string) => async (route: Route) => {
  const response = await route.fetch()
  const json = await response.json()
  json.data.list[0][field] = value
  await route.fulfill({ response, json })
}

test('a column is as wide as its contents, and as its heading in either language', async ({ page, enter, staff }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await enter(await staff.operator(), 'zh', '/clientUser')
  await expect(rows(page).first()).toBeVisible()
  const widthOf = async (name: string) => (await heading(page, name).boundingBox())?.width ?? 0
  const before = await widthOf('手机号')
  await page.getByRole('button', { name: 'Switch to English' }).click()
  await expect(heading(page, 'Phone')).toBeVisible()
  await page.getByRole('button', { name: '切换到中文' }).click()
  expect(await widthOf('手机号'), 'the same after a look at the other language').toBe(before)

  // Longer free text moves no column: it ends in dots, and the pointer is told the rest.
  const names = () => page.locator('.page:visible th').evaluateAll((all) => all.map(({ textContent }) => textContent))
  const shown = await names()
  const mail = `${'a.long.name.'.repeat(6)}@example.com`
  await page.route(/getPageUserInfo/, changed('email', mail))
  await page.getByRole('button', { name: '刷新' }).click()
  await expect(page.getByTitle(mail)).toBeVisible()
  expect(await names()).toEqual(shown)
  await page.unrouteAll()

  // A value longer than any before makes its column wider, and stands there whole.
  const ip = '2001:0db8:85a3:08d3:1319:8a2e:0370:7344'
  await page.route(/getPageUserInfo/, changed('phone', ip))
  await page.getByRole('button', { name: '刷新' }).click()
  const cell = page.locator('.page:visible td').filter({ hasText: ip })
  await expect(cell).toBeVisible()
  expect(await cell.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  expect(await widthOf('手机号')).toBeGreaterThan(before)
})

test('another window has other rows, and the first one in sight stays', async ({ page, enter }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await enter(undefined, 'zh', '/clientUser?page=3')
  const first = await rows(page).first().getAttribute('data-row')
  const before = await rows(page).count()
  const asked: number[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/getPageUserInfo')) asked.push(request.postDataJSON().pageSize)
  })
  // Somebody drags the edge of the window.
  for (const height of [760, 800, 840, 880, 900]) await page.setViewportSize({ width: 1280, height })
  await expect.poll(() => rows(page).count()).toBeGreaterThan(before)
  expect(asked.length, asked.join()).toBe(1)
  await expect(page.locator(`.page:visible tr[data-row="${first}"]`)).toBeVisible()

  await page.getByRole('combobox', { name: '每页行数' }).click()
  await page.getByTitle('50 条/页').click()
  await expect(rows(page)).toHaveCount(50)
  await expect(page).toHaveURL(/size=50/)
  const area = page.locator('.page:visible .sky-table-scroll')
  await expect(async () => {
    await area.evaluate((table) => table.scrollTo(0, table.scrollHeight))
    await expect(rows(page).first()).not.toBeInViewport({ timeout: 500 })
  }).toPass()
  await expect(heading(page, '姓名'), 'headings stay while rows scroll').toBeInViewport({ ratio: 0.9 })
})

test('a column is dragged, and is as wide the next time', async ({ page, enter, staff }) => {
  await enter(await staff.operator(), 'zh', '/clientUser')
  await expect(rows(page).first()).toBeVisible()
  const column = heading(page, '邮箱')
  const widthOf = async () => Math.round((await column.boundingBox())?.width ?? 0)
  const before = await widthOf()
  const grip = await column.locator('.sky-grip').boundingBox()
  if (!grip) throw new Error('no grip')
  const at = { x: grip.x + grip.width / 2, y: grip.y + grip.height / 2 }
  await page.mouse.move(at.x, at.y)
  await page.mouse.down()
  await page.mouse.move(at.x + 60, at.y, { steps: 6 })
  await page.mouse.up()
  expect(await widthOf()).toBe(before + 60)
  await page.goto('/clientUser')
  await expect(rows(page).first()).toBeVisible()
  expect(await widthOf()).toBe(before + 60)
})

test('a column is made wider by keyboard, and all edges are one stop of the Tab key', async ({
  page,
  enter,
  staff,
}) => {
  await enter(await staff.operator(), 'zh', '/clientUser')
  await expect(rows(page).first()).toBeVisible()
  const grips = page.locator('.page:visible .sky-grip')
  await expect(grips.and(page.locator('[tabindex="0"]'))).toHaveCount(1)
  await grips.first().focus()
  await page.keyboard.press('ArrowDown')
  const second = grips.nth(1)
  await expect(second).toBeFocused()
  const before = Number(await second.getAttribute('aria-valuenow'))
  await page.keyboard.press('Shift+ArrowRight')
  await expect(second).toHaveAttribute('aria-valuenow', String(before + 40))
  await page.keyboard.press('ArrowLeft')
  await expect(second).toHaveAttribute('aria-valuenow', String(before + 32))
  await expect(second, 'it keeps the focus').toBeFocused()
  const wide = Math.round((await page.locator('.page:visible th:has(.sky-grip)').nth(1).boundingBox())?.width ?? 0)
  expect(wide).toBe(before + 32)
  const { violations } = await new AxeBuilder({ page }).include('.page .sky-table').exclude('tbody').analyze()
  expect(violations.map(({ id }) => id)).toEqual([])
  await page.keyboard.press('Enter')
  await expect(second, 'as wide as its contents').not.toHaveAttribute('aria-valuenow', String(before + 32))
})
