import { measure } from './support/measure'
import { faultsOfLists } from './support/measure-lists'
import { walks, withDetail } from './support/screens'
import { Shell } from './support/shell'
import { expect, fillSignIn, type Language, passwordField, signInButton, test, usernameField } from './support/test'
import { coming, eachTab, expectToFit, nothing, sizes } from './support/views'

// What is started here is seen by no other test.
test.use({ company: 'measured' })

/** The list of operations is empty until somebody starts one. */
test.beforeAll(async ({ ofAdmin: { admin } }) => {
  const { list } = await admin.call<{ list: { id: number }[] }>('GET', '/api/fleet/v1/cards?pageNum=1&pageSize=5')
  const act = { kind: 'screenshot' }
  await admin.call('POST', '/api/operation/v1/operations', { act, selection: { ids: list.map(({ id }) => id) } })
})

for (const walk of walks) {
  test(`nothing is cut, pale or too wide: ${walk[0]?.code} to ${walk.at(-1)?.code}`, async ({ page, enter }) => {
    test.slow()
    await enter()
    const shell = new Shell(page)
    const shown = shell.main.locator('.page:visible')

    for (const { path, code, below } of walk) {
      await shell.follow(path)
      await expect(shown).not.toBeEmpty()
      await expect(shown.locator(coming)).toHaveCount(0)
      const row = shown.locator('tr[data-row]').first()
      if (withDetail.has(code) && (await row.isVisible())) {
        const leading = row
          .locator('td:not(.sky-box)')
          .first()
          .locator(`a[href^="${path}?"][href*="detail="], a[href^="${path}/"]`)
        await expect.soft(leading, `${path}: the first column leads to the detail`).toHaveCount(1)
      }
      await eachTab(shown, (tab) => expectToFit(page, path + tab, shown))
      if (!below) continue
      // The page of one thing, as the first row of the list leads to it.
      await shown.locator(`tr[data-row] td a[href^="${path}/"]`).first().click()
      await shell.shows(new RegExp(`${path}/\\d+`))
      await expect(shown).not.toBeEmpty()
      await expect(shown.locator(coming)).toHaveCount(0)
      await eachTab(shown, (tab) => expectToFit(page, `${path}/…${tab}`, shown))
    }
  })
}

test('what is cut, pale or too wide is found, and what is not is left alone', async ({ page }) => {
  await page.setContent(`
    <style>
      * { margin: 0; font: 14px sans-serif; background: white }
      p, div { width: 80px; white-space: nowrap; overflow: hidden }
      .dots { text-overflow: ellipsis }
      .rolls { overflow: auto }
    </style>
    <p id="whole">short</p>
    <p>cut without a word</p>
    <p class="dots">dots without a title</p>
    <p class="dots" title="dots with another title">dots with a title that is not theirs</p>
    <p class="dots" title="dots with the whole of it">dots with the whole of it</p>
    <div class="rolls">what can be scrolled to is there</div>
    <input style="width: 90px" placeholder="a placeholder that is far too long">
    <input style="width: 90px" placeholder="short">
    <p style="width: auto; color: #999">grey on white</p>
    <div class="sky-table" aria-label="people"><div class="sky-table-scroll rolls">a table that is wider than this</div></div>
    <p style="width: 4000px">the page itself</p>`)
  const { wide, cut, pale } = await measure(page)
  expect(wide).toEqual([expect.stringMatching(/^html/), expect.stringMatching(/^table people/)])
  expect(cut.map((each) => each.replace(/^.*?: /, ''))).toEqual([
    'cut without a word',
    'dots without a title',
    'dots with a title that is not theirs',
    'a placeholder that is far too long',
  ])
  expect(pale).toEqual([expect.stringMatching(/grey on white$/)])
})

test('a list that breaks a rule is found, and one that keeps them is left alone', async ({ page }) => {
  const list = (name: string, cells: string, head = 'position: sticky; top: 0') => `
    <section class="kit-page"><div class="sky-table" aria-label="${name}"><div class="sky-table-scroll">
      <table><thead><tr>${['one', 'two'].map((title) => `<th title="${title}" style="${head}">${title}</th>`).join('')}</tr></thead>
      <tbody>${['7', '8'].map((id) => `<tr data-row="${id}">${cells.replaceAll('ID', id)}</tr>`).join('')}</tbody></table>
    </div></div></section>`
  const code = '<td><code>10.1.2.ID</code></td>'
  const link = '<td><a href="?detail=ID">name</a></td>'
  // At an address of its own: what leads to a detail is told by it.
  const body = `<!doctype html><link rel="icon" href="data:,">
    <style>
      .sky-table-scroll { width: 300px; overflow: auto }
      td, th { height: 33px; min-width: 120px; padding: 0 10px; text-align: start; background: white }
      code { font-family: monospace }
      .end { text-align: end }
    </style>
    ${list('right', `${code}<td class="end">1,234.5ID</td>`)}
    ${list('right as well', `${link}<td>—</td>`)}
    ${list('numbers', `${code}<td>1,23ID</td>`)}
    ${list('codes', '<td>10.1.2.ID</td><td>name</td>')}
    ${list('way', `<td>name</td>${link}`)}
    ${list('head', `${code}<td>name</td>`, 'position: static')}
    ${list('covered', `${code}<td style="position: relative; z-index: 1">name</td>`)}`
  await page.route(/\/judged$/, (route) => route.fulfill({ contentType: 'text/html', body }))
  await page.goto('/judged')
  expect(await faultsOfLists(page.locator('body'))).toEqual([
    'numbers: numbers do not stand right: two (1,237)',
    'codes: codes are not monospaced: one (10.1.2.7)',
    'way: the first column does not lead to the detail',
    'head: a heading does not stay in view: one',
    'head: a heading does not stay in view: two',
    'covered: a heading does not stay in view: two',
  ])
})

for (const language of ['zh', 'en'] as Language[]) {
  test(`the sign-in page fits, in ${language}, and an error moves nothing`, async ({ page, speak }) => {
    await speak(language)
    await page.goto('/login')
    await expect(usernameField(page)).toBeFocused()
    for (const size of sizes) {
      await page.setViewportSize(size)
      expect.soft(await measure(page), `${size.width}x${size.height}`).toEqual(nothing)
    }
    await page.getByRole('button', { name: /^(切换到深色主题|Switch to the dark theme)$/ }).click()
    expect.soft(await measure(page), 'dark').toEqual(nothing)
    const before = await signInButton(page).boundingBox()
    await fillSignIn(page, 'nobody_here', 'Wrong_2026pw')
    await expect(page.getByRole('alert')).toBeVisible()
    expect(await signInButton(page).boundingBox()).toEqual(before)
    await expect(passwordField(page)).toBeFocused()
    expect.soft(await measure(page), 'with an error').toEqual(nothing)
  })
}

test('with more tabs than fit, the opened one is in view and arrows lead to the others', async ({ page, enter }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await enter()
  const shell = new Shell(page)
  const opened = walks.flat().filter(({ path }) => !path.includes('/panel'))
  for (const { path } of opened.slice(0, 12)) {
    await shell.follow(path)
    await expect(shell.tabs.locator('.tab[data-active]')).toBeInViewport({ ratio: 0.95 })
  }
  const first = shell.tabs.locator('.tab').first()
  await expect(first).not.toBeInViewport()
  const before = page.getByRole('button', { name: '前面的页面' })
  await expect(async () => {
    await before.click()
    await expect(first).toBeInViewport({ ratio: 0.95, timeout: 300 })
  }).toPass()
})

test('a form begins in its first field, and its choices say what to do', async ({ page, enter }) => {
  await enter(undefined, 'zh', '/device/networkAddress')
  await page.getByRole('button', { name: '新建地址段' }).first().click()
  const form = page.getByRole('dialog')
  await expect(form.locator('input').first()).toBeFocused()
  await expect(form.getByRole('button', { name: 'Increase Value' })).toHaveCount(0)
})
