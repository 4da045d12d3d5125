import { test as base, expect, type Page } from '@playwright/test'
import { type Operator, Staff } from './api'

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
  /** Signs an operator in through the page, as a person does. Without one, a new full operator. */
  signIn: (operator?: Operator, language?: Language) => Promise<Operator>
}

let staff: Promise<Staff> | undefined

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
