import { expect, type Locator, type Page } from '@playwright/test'

/*
 * The operator's minute: the commonest jobs, from the home page, in no more interactions than the limit. A click, a
 * key chord and a field that is filled are one each.
 */
export class Counted {
  private done = 0

  constructor(
    readonly page: Page,
    private readonly limit: number,
  ) {}

  private count() {
    this.done += 1
    expect(this.done, 'interactions').toBeLessThanOrEqual(this.limit)
  }

  async press(key: string) {
    this.count()
    await this.page.keyboard.press(key)
  }

  async click(target: Locator) {
    this.count()
    await target.click()
  }

  async fill(target: Locator, text: string) {
    this.count()
    await target.fill(text)
  }

  /** A file is chosen: one, like a field that is filled. */
  async choose(target: Locator, file: { name: string; mimeType: string; buffer: Buffer }) {
    this.count()
    await target.setInputFiles(file)
  }

  /** Ctrl-K and what is looked for: two. */
  async find(text: string) {
    await this.press('Control+k')
    await this.fill(this.page.getByRole('combobox', { name: '快速搜索' }), text)
  }
}

/** At the home page, once it is there. */
export async function home(page: Page, limit: number): Promise<Counted> {
  await page.goto('/dashboard')
  await expect(page.getByRole('main').getByRole('link').first()).toBeVisible()
  return new Counted(page, limit)
}

/** What quick search offers to begin, or has found. */
export const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name }).first()
