import type { Page } from '@playwright/test'
import { Api } from './support/api'
import { Shell, stored, titles, words } from './support/shell'
import { expect, type Language, test } from './support/test'

const languages: Language[] = ['zh', 'en']

test.describe('the guard', () => {
  for (const path of ['/', '/clientUser', '/user/management', '/nowhere', '/401', '/404']) {
    test(`without a token ${path} leads to the login page`, async ({ page }) => {
      await page.goto(path)
      await expect(page).toHaveURL(/\/login/)
      await expect(page.getByRole('button', { name: '登录', exact: true })).toBeVisible()
    })
  }

  test('with a token the login page leads home, and home is the list of client users', async ({ page, signIn }) => {
    await signIn()
    await expect(page).toHaveURL(/\/clientUser$/)
    await page.goto('/login')
    await expect(page).toHaveURL(/\/clientUser$/)
    await page.goto('/')
    await expect(page).toHaveURL(/\/clientUser$/)
  })

  test('after signing in one comes to where one wanted to go', async ({ page, staff }) => {
    const operator = await staff.operator()
    await page.goto('/user/operationLog')
    await page.getByLabel('用户名').fill(operator.username)
    await page.getByLabel('密码', { exact: true }).fill(operator.password)
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await expect(page).toHaveURL(/\/user\/operationLog$/)
  })

  test('empty roles are fetched again and the navigation goes on', async ({ page, enter }) => {
    await enter()
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) {
        if (/roles|menuTree/.test(key)) localStorage.removeItem(key)
      }
    })
    await page.goto('/user/operationLog')
    await expect(page).toHaveURL(/\/user\/operationLog$/)
    // The address is the wanted one from the start: what was fetched is kept a little later.
    const kept = async () => (await stored(page)).find(({ key }) => key.endsWith('roles'))?.value
    await expect.poll(async () => ((await kept()) as string[] | undefined)?.length).toBeGreaterThan(1)
  })

  test('roles that cannot be fetched log out', async ({ page, staff, enter, complaints }) => {
    complaints.expect(/500/)
    await enter(await staff.operator())
    await page.route(/\/api\/v1\.0\/users\//, (route) =>
      route.fulfill({ status: 500, json: { status: 5000, msg: 'broken', data: null, success: false } }),
    )
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (/roles|menuTree/.test(key)) localStorage.removeItem(key)
    })
    await page.goto('/clientUser')
    await expect(page).toHaveURL(/\/login/)
    expect(await page.evaluate(() => localStorage.length)).toBe(0)
  })

  test('a token of another server logs out', async ({ page, enter, complaints }) => {
    complaints.expect(/401/)
    await enter()
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) {
        if (/token/.test(key)) localStorage.setItem(key, JSON.stringify({ value: 'a'.repeat(43), updatedAt: '' }))
      }
    })
    await page.goto('/clientUser')
    await expect(page).toHaveURL(/\/login/)
  })
})

test.describe('error pages', () => {
  for (const language of languages) {
    test(`an unknown page is 404, in ${language}`, async ({ page, enter }) => {
      await enter(undefined, language)
      await page.goto('/nowhere')
      await expect(page).toHaveURL(/\/404$/)
      await expect(page.getByText('404')).toBeVisible()
      await page.getByRole('link', { name: language === 'zh' ? /首页/ : /home/i }).click()
      await expect(page).toHaveURL(/\/clientUser$/)
    })

    test(`a page that one may not open is 401 and offers no way back, in ${language}`, async ({
      page,
      staff,
      enter,
    }) => {
      const group = await staff.group((screen) => screen.code === 'operationLog')
      await enter(await staff.operator(group), language, '/user/management')
      await expect(page).toHaveURL(/\/401$/)
      await expect(page.getByText('401')).toBeVisible()
      await expect(page.getByText(/返回上|go back/i)).toHaveCount(0)
    })
  }
})

/** Opens another page, unless live data has already told the console that the session is over. */
async function nextCall(page: Page) {
  const link = new Shell(page).sidebar.getByRole('link', { name: titles.zh.records, exact: true })
  await link.click({ timeout: 2_000 }).catch(() => undefined)
}

test.describe('the session in the browser', () => {
  test('is kept under a prefix, each value with the time of its change', async ({ page, signIn }) => {
    const operator = await signIn()
    const values = await stored(page)
    const prefix = values[0]?.key.replace(/[^:]+$/, '') ?? ''
    expect(prefix.length).toBeGreaterThan(1)
    for (const { key, updatedAt } of values) {
      expect(key.startsWith(prefix), key).toBe(true)
      expect(Math.abs(Date.now() - Date.parse(String(updatedAt))), `${key} was changed at ${updatedAt}`).toBeLessThan(
        120_000,
      )
    }
    const value = Object.fromEntries(values.map((entry) => [entry.key.slice(prefix.length), entry.value]))
    expect(value).toMatchObject({
      uid: String(operator.id),
      utype: 2,
      upermission: ['adduser', 'checkuser'],
      username: operator.username,
      groupId: String(operator.groupId),
    })
    expect(String(value.token).length).toBeGreaterThanOrEqual(43)
    expect(Array.isArray(value.menuTree) && value.menuTree.length > 0).toBe(true)
    expect(value.roles).toContain('clientUser:list')
  })

  test('ends when the same operator signs in elsewhere', async ({ page, server, staff, enter }) => {
    const operator = await enter(await staff.operator())
    await new Api(server.base).signIn(operator.username, operator.password)
    await nextCall(page)
    await expect(page).toHaveURL(/\/login/)
    await expect(page.getByText('设备已在别处登录')).toBeVisible()
    expect(await page.evaluate(() => localStorage.length)).toBe(0)
  })

  test('ends on a 403', async ({ page, staff, enter, complaints }) => {
    // What is asked beside the call that ends the session is asked without one.
    complaints.expect(/40[13]/)
    const operator = await enter(await staff.operator())
    await staff.admin.call('PUT', '/api/user/v1/designjet/user', {
      ...{ id: operator.id, username: operator.username, groupId: operator.groupId, accountType: 'normal' },
      ...{ email: '', phone: '', remark: '', enabled: false },
    })
    await nextCall(page)
    await expect(page).toHaveURL(/\/login/)
  })
})

for (const language of languages) {
  test(`logging out asks first, in ${language}`, async ({ page, staff, enter }) => {
    await enter(await staff.operator(), language)
    const shell = new Shell(page)
    const word = words[language]

    const question = await shell.askToLogOut()
    await expect(question.getByRole('heading', { name: word.tips, exact: true })).toBeVisible()
    await question.getByRole('button', { name: word.cancel, exact: true }).click()
    await expect(question).toBeHidden()
    await expect(page).toHaveURL(/\/clientUser$/)
    await expect(page.getByRole('alert')).toHaveCount(0)

    await (await shell.askToLogOut()).getByRole('button', { name: word.sure, exact: true }).click()
    await expect(page).toHaveURL(/\/login/)
    expect(await page.evaluate(() => localStorage.length)).toBe(0)
    await page.goto('/clientUser')
    await expect(page).toHaveURL(/\/login/)
  })
}

test('the address of the login page keeps the language of the cookie', async ({ page, speak }) => {
  await speak('en')
  await page.goto('/login')
  await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
})

test('titles of pages stand in the title of the window', async ({ page, enter }) => {
  await enter()
  await expect(page).toHaveTitle(new RegExp(titles.zh.clientUser))
})
