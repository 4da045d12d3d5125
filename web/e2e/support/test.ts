import { type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { Api, type Operator, Staff } from './api'
import { type Running, start } from './server'

export type Language = 'zh' | 'en'

/** Watches a page for what no visitor should cause: errors on the console and uncaught exceptions. */
export class Complaints {
  private readonly heard: string[] = []
  private readonly expected: RegExp[] = []

  constructor(page: Page) {
    this.watch(page)
  }

  watch(page: Page) {
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
  enter: (who?: Operator | Session, language?: Language, path?: string) => Promise<Operator>
  /** Chooses the language as a former visit would have: by the cookie. */
  speak: (language: Language) => Promise<void>
  /** A page of another browser, at the sign-in; it closes with the test. */
  elsewhere: () => Promise<Page>
  /** Signs an operator in through the page, as a person does. Without one, a new full operator. */
  signIn: (operator?: Operator, language?: Language) => Promise<Operator>
}

/** What lasts as long as a worker: every one has a server, and so people, of its own. */
interface OfWorker {
  /**
   * Tests that change the fleet name a company of their own (`test.use({ company: 'racks' })`): they get a worker, and
   * so a server, that tests of other companies never see.
   */
  company: string
  server: Running
  /** One session of the administrator: a second sign-in would displace the first. */
  ofAdmin: Staff
  /** The session that tests share which do not say as whom they come. */
  ofEverybody: Session
  /** The session of an operator who may look at everything and do nothing. */
  onlooker: Session
}

interface Session {
  operator: Operator
  api: Api
}

let visitors = 0
/** An address of the network for examples that no browser of this run had before (RFC 2544). */
function nextAddress(): string {
  visitors += 1
  return `198.18.${visitors >> 8}.${visitors & 255}`
}

async function openSession(base: string, operator: Operator): Promise<Session> {
  return { operator, api: await new Api(base).signIn(operator.username, operator.password) }
}

/** What signing in leaves in the browser. Rights and menu are missing: the guard fetches them. */
async function keepSession(page: Page, { operator, api }: Session) {
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

export const test = base.extend<Fixtures, OfWorker>({
  company: ['shared', { option: true, scope: 'worker' }],
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs
    async ({}, use) => {
      const { E2E_BASE: base, E2E_TEMPLATE: template = '' } = process.env
      const server = base ? { base, stop: async () => undefined } : await start(template)
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  ofAdmin: [async ({ server }, use) => use(await Staff.of(server.base)), { scope: 'worker' }],
  ofEverybody: [
    async ({ server, ofAdmin }, use) => use(await openSession(server.base, await ofAdmin.operator())),
    { scope: 'worker' },
  ],
  onlooker: [
    async ({ server, ofAdmin }, use) => {
      const group = await ofAdmin.group((_, act) => /:(list|get|view)$/.test(act.code ?? ''), true)
      await use(await openSession(server.base, await ofAdmin.operator(group)))
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ server }, use) => use(server.base),
  // A browser of each test has an address of its own: what is tried and refused in one counts against no other.
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs
  extraHTTPHeaders: async ({}, use) => use({ 'x-forwarded-for': nextAddress() }),
  staff: async ({ ofAdmin }, use) => use(ofAdmin),
  complaints: [
    async ({ page }, use) => {
      const complaints = new Complaints(page)
      await use(complaints)
      expect(complaints.unexpected()).toEqual([])
    },
    { auto: true },
  ],
  speak: async ({ context, server }, use) => {
    await use((language) => context.addCookies([{ name: 'language', value: language, url: server.base }]))
  },
  enter: async ({ page, server, ofEverybody, speak }, use) => {
    await use(async (who = ofEverybody, language = 'zh', path = '/') => {
      const opened = 'api' in who ? who : await openSession(server.base, who)
      await opened.api.prove()
      await speak(language)
      await keepSession(page, opened)
      await page.goto(path)
      await expect(page.getByRole('banner').or(page.getByText('401')).first()).toBeVisible()
      return opened.operator
    })
  },
  elsewhere: async ({ browser, baseURL, complaints }, use) => {
    const contexts: BrowserContext[] = []
    await use(async () => {
      const extraHTTPHeaders = { 'x-forwarded-for': nextAddress() }
      const context = await browser.newContext({ extraHTTPHeaders, ...(baseURL ? { baseURL } : {}) })
      contexts.push(context)
      const other = await context.newPage()
      complaints.watch(other)
      await other.goto('/login')
      return other
    })
    for (const context of contexts) await context.close()
  },
  signIn: async ({ page, staff, speak }, use) => {
    await use(async (operator, language = 'zh') => {
      const who = operator ?? (await staff.operator())
      await speak(language)
      await page.goto('/login')
      await fillSignIn(page, who.username, who.password)
      await expect(page).not.toHaveURL(/\/login/)
      // The frame is loaded by and by; keys pressed before it stands go nowhere.
      await expect(page.getByRole('banner').or(page.getByText('401')).first()).toBeVisible()
      return who
    })
  },
})

export const usernameField = (page: Page) => page.getByLabel(/^(用户名|Username)/)
export const passwordField = (page: Page) => page.getByLabel(/^(密码|Password)/)
export const signInButton = (page: Page) => page.getByRole('button', { name: /^(登录|Log in)$/ })

export async function fillSignIn(page: Page, username: string, password: string) {
  await usernameField(page).fill(username)
  await passwordField(page).fill(password)
  await signInButton(page).click()
}

export { expect }
