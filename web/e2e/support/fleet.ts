import type { Page } from '@playwright/test'

/** The room of the demo company whose cards and agent are alive. */
export const living = '上海演示机房（仿真）'

/** Its id, out of the link that leads to its cards. */
export async function livingRoom(page: Page): Promise<string> {
  await page.goto('/device/panel')
  const link = page.getByRole('link', { name: new RegExp(living.slice(0, 6)) })
  const address = await link.getAttribute('href')
  return new URL(address ?? '', 'http://x').searchParams.get('room') ?? ''
}
