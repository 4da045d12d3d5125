import type { Page } from '@playwright/test'

/** The room of the demo company whose cards and agent are alive. */
export const living = '上海演示机房（仿真）'

/** One that has cards and no agent, so that they stay offline. */
export const still = '杭州滨江机房'

/** The id of the living room. */
export const livingRoom = (page: Page) => roomOf(page, living)

/** The id of a room, out of the link that leads to its cards. */
export async function roomOf(page: Page, name: string): Promise<string> {
  await page.goto('/device/panel')
  const link = page.getByRole('link', { name: new RegExp(name.slice(0, 6)) })
  const address = await link.getAttribute('href')
  return new URL(address ?? '', 'http://x').searchParams.get('room') ?? ''
}
