import { type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { Api, type Operator, Staff } from './api'

export type Language = 'zh' | 'en'

/** Watches a page for what no visitor should cause: errors on the console and uncaught exceptions. */
export class Complaints {
  private readonly heard: string[] = []
  private readonly expected: RegExp[] = []

  constructor(page: Page) {
    page.on('console', (message) => {
      if (message.type() === 'error') this.heard.push(`${message.text()} (${message.location().url})`)
    })
    page.on('pageerror', (error) => this.heard.push(`uncaught: ${error.message}`))
  }

  /** This test provokes such an error on purpose. */
  expect(pattern: RegExp) {
    this.expected.push(pattern)
  }

  unexpected(): string[] {
    return this.heard.filter((line) => !this.expected.some((pattern) => pattern.test(line)))
  }
}

interface Fixtures {
  staff: Staff
  complaints: Complaints
  /**
   * Opens the console with a session that was made by the API: for tests about something else than signing in. Without
   * an operator it is one that all tests share; who signs out or changes the operator brings his own.
   */
  enter: (operator?: Operator, language?: Language, path?: string) => Promise<Operator>
  /** A page of another browser, at the sign-in; it closes with the test. */
  elsewhere: () => Promise<Page>
  /** Signs an operator in through the page, as a person does. Without one, a new full operator. */
  signIn: (operator?: Operator, language?: Language) => Promise<Operator>
}

let staff: Promise<Staff> | undefined
let shared: Promise<{ operator: Operator; api: Api }> | undefined

async function openSession(operator: Operator): Promise<{ operator: Operator; api: Api }> {
  const api = await new Api(process.env.E2E_BASE ?? '').signIn(operator.username, operator.password)
  return { operator, api }
}

/** What signing in leaves in the browser. Rights and menu are missing: the guard fetches them. */
async function keepSession(page: Page, { operator, api }: { operator: Operator; api: Api }) {
  const session = {
    ...{ uid: String(api.id), token: api.token, groupId: String(api.groupId), username: operator.username },
    ...{ utype: 2, upermission: ['adduser', 'checkuser'] },
  }
  await page.addInitScript((values) => {
    // Once a tab: a page that was signed out stays signed out.
    if (sessionStorage.getItem('e2e') !== null) return
    sessionStorage.setItem('e2e', 'entered')
    const updatedAt = new Date().toISOString()
    for (const [key, value] of Object.entries(values)) {
      localStorage.setItem(`skyrack:${key}`, JSON.stringify({ value, updatedAt }))
    }
  }, session)
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs
  baseURL: async ({}, use) => {
    await use(process.env.E2E_BASE)
  },
  // One session of the administrator for the whole run: a second sign-in would displace the first.
  staff: async ({ baseURL }, use) => {
    staff ??= Staff.of(baseURL ?? '')
    await use(await staff)
  },
  complaints: [
    async ({ page }, use) => {
      const complaints = new Complaints(page)
      await use(complaints)
      expect(complaints.unexpected()).toEqual([])
    },
    { auto: true },
  ],
  enter: async ({ page, staff }, use) => {
    await use(async (operator, language = 'zh', path = '/') => {
      shared ??= staff.operator().then(openSession)
      const opened = operator ? await openSession(operator) : await shared
      await speak(page, language)
      await keepSession(page, opened)
      await page.goto(path)
      await expect(page.getByRole('banner').or(page.getByText('401')).first()).toBeVisible()
      return opened.operator
    })
  },
  elsewhere: async ({ browser, baseURL }, use) => {
    const contexts: BrowserContext[] = []
    await use(async () => {
      const context = await browser.newContext(baseURL ? { baseURL } : {})
      contexts.push(context)
      const other = await context.newPage()
      await other.goto('/login')
      return other
    })
    for (const context of contexts) await context.close()
  },
  signIn: async ({ page, staff }, use) => {
    await use(async (operator, language = 'zh') => {
      const who = operator ?? (await staff.operator())
      await speak(page, language)
      await page.goto('/login')
      await fillSignIn(page, who.username, who.password)
      await expect(page).not.toHaveURL(/\/login/)
      // The frame is loaded by and by; keys pressed before it stands go nowhere.
      await expect(page.getByRole('banner').or(page.getByText('401')).first()).toBeVisible()
      return who
    })
  },
})

/** Chooses the language as a former visit would have: by the cookie. */
export async function speak(page: Page, language: Language) {
  await page.context().addCookies([{ name: 'language', value: language, url: process.env.E2E_BASE ?? '' }])
}

export const usernameField = (page: Page) => page.getByLabel(/^(用户名|Username)/)
export const passwordField = (page: Page) => page.getByLabel(/^(密码|Password)/)
export const signInButton = (page: Page) => page.getByRole('button', { name: /^(登录|Log in)$/ })

export async function fillSignIn(page: Page, username: string, password: string) {
  await usernameField(page).fill(username)
  await passwordField(page).fill(password)
  await signInButton(page).click()
}

export { expect }
