import type { Locator, Page } from '@playwright/test'
import { expect } from './test'

/** The row of a list that names something. */
export const row = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name })

/** The detail beside a list, in a window that has room for both. */
export const beside = (page: Page): Locator => page.locator('.kit-beside')

/** Searches as a person does; the address keeps the view. */
export async function search(page: Page, placeholder: string, text: string) {
  await page.getByPlaceholder(placeholder).fill(text)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`keyWord=${encodeURIComponent(text)}`))
}

/** Presses an act of a row, in view or behind the button with the three dots. */
export async function rowAct(page: Page, name: string, act: string) {
  const inView = row(page, name).getByRole('button', { name: act, exact: true })
  const more = row(page, name).getByRole('button', { name: /更多操作|More actions/ })
  await expect(inView.or(more).first()).toBeVisible()
  if ((await inView.count()) > 0) return inView.click()
  await more.click()
  await page.getByRole('menuitem', { name: act, exact: true }).click()
}

/** Says yes to a question, which has to name what it hits. */
export async function confirm(page: Page, act: string, target: string) {
  const question = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  await expect(question).toContainText(target)
  await question.getByRole('button', { name: act, exact: true }).click()
  await expect(question).toBeHidden()
}

/**
 * Closes a drawer or dialog as a person does. A question that fades away above it still takes the key, so that the
 * first one may be lost; a person presses again.
 */
export async function dismiss(page: Page, open: Locator) {
  await expect(async () => {
    await page.keyboard.press('Escape')
    await expect(open).toBeHidden({ timeout: 1000 })
  }).toPass()
}
