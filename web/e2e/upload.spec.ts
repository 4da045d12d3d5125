import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { basename } from 'node:path'
import type { Page, Request, Route, TestInfo } from '@playwright/test'
import { expect, type Language, test } from './support/test'

const MB = 1024 * 1024
const words = {
  zh: {
    push: '推送文件',
    operations: /批量操作/,
    pause: '暂停',
    goOn: '继续上传',
    paused: /已暂停/,
    lost: '网络连接中断。此前已上传的部分不会丢失，稍后自动继续',
    before: (name: string, percent: number) => `${name} 上次传到 ${percent}%，再次选择该文件即可继续`,
  },
  en: {
    push: 'Push a file',
    operations: /Operations/,
    pause: 'Pause',
    goOn: 'Go on',
    paused: /Paused/,
    lost: 'The connection was lost. What had come before is kept; the upload goes on by itself',
    before: (name: string, percent: number) => `${name} was sent to ${percent}%; choose the same file again to go on`,
  },
}

/** A file of which no part is like another, on the disk: so it has the same time whenever it is chosen. */
function fileOf(info: TestInfo, megabytes: number) {
  const content = Buffer.alloc(megabytes * MB)
  for (let at = 0; at < content.length; at += 4) content.writeUInt32LE(at, at)
  const path = info.outputPath(`System ${megabytes}.bin`)
  writeFileSync(path, content)
  return { path, content, name: basename(path) }
}

/** The dialog that pushes a file to a card. */
async function pushing(page: Page, language: Language) {
  const m = words[language]
  await page.locator('tr[data-row]').first().getByRole('checkbox').check()
  await page.getByRole('button', { name: m.operations }).click()
  await page.getByRole('menuitem', { name: m.push, exact: true }).click()
  return page.getByRole('dialog')
}

/** Sends half of what is left of a file in place of the browser, and cuts the line. Gives how much the server has. */
async function cut(page: Page, route: Route, content: Buffer): Promise<number> {
  const url = route.request().url()
  const headers = route.request().headers()
  const begin = Number(headers['upload-offset'])
  const end = begin + Math.floor((content.length - begin) / 2)
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  const length = content.length - begin
  const sender = request(url, { method: 'PATCH', headers: { ...headers, cookie, 'content-length': length } })
  sender.on('error', () => undefined)
  sender.write(content.subarray(begin, end))
  const authorization = headers.authorization ?? ''
  const offset = async () => (await (await page.request.get(url, { headers: { authorization } })).json()).data.offset
  await expect.poll(offset, { timeout: 60_000 }).toBe(end)
  sender.destroy()
  await route.abort('connectionreset')
  return end
}

/** The hash of what the server has kept: asked again, it answers as it did to the page. */
async function hashOf(page: Page, finish: Request): Promise<string> {
  const headers = { authorization: finish.headers().authorization ?? '' }
  return (await (await page.request.post(finish.url(), { headers })).json()).data.sha256
}

for (const language of ['zh', 'en'] as const) {
  const m = words[language]

  test(`a file whose line is cut in the middle of a piece goes on where it was (${language})`, async ({
    page,
    enter,
    complaints,
  }, info) => {
    complaints.expect(/ERR_CONNECTION_RESET/)
    await enter(undefined, language, '/device/management')
    const { path, content, name } = fileOf(info, 10)
    const dialog = await pushing(page, language)
    let come: number | undefined
    const seen = dialog.getByText(m.lost).waitFor({ timeout: 60_000 })
    const begins: number[] = []
    await page.route('**/files/uploads/*', async (route) => {
      const sent = route.request()
      // What is said while it waits stands until it was read.
      if (sent.method() === 'GET') await seen
      if (sent.method() !== 'PATCH') return route.continue()
      const at = Number(sent.headers()['upload-offset'])
      begins.push(at)
      if (at === 0 || come !== undefined) return route.continue()
      come = await cut(page, route, content)
    })
    const made = page.waitForResponse(/\/finish$/)
    await dialog.locator('input[type=file]').setInputFiles(path)
    await seen
    await expect(dialog.getByText(`${name} (10 MB)`)).toBeVisible()
    expect(begins.slice(0, 3)).toEqual([0, 4 * MB, come])
    expect(come).toBeGreaterThan(4 * MB)
    expect(await hashOf(page, (await made).request())).toBe(createHash('sha256').update(content).digest('hex'))
  })

  test(`a file that was paused goes on after the page was reloaded, if it is chosen again (${language})`, async ({
    page,
    enter,
    complaints,
  }, info) => {
    complaints.expect(/ERR_FAILED/)
    await enter(undefined, language, '/device/management')
    const { path, content, name } = fileOf(info, 8)
    let isSlow = true
    const begins: number[] = []
    await page.route('**/files/uploads/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      begins.push(Number(route.request().headers()['upload-offset']))
      // The second piece is never answered, until the page is another.
      if (begins.length < 2 || !isSlow) await route.continue()
    })
    const dialog = await pushing(page, language)
    await dialog.locator('input[type=file]').setInputFiles(path)
    await expect.poll(() => begins).toEqual([0, 4 * MB])
    await dialog.getByRole('button', { name: m.pause }).click()
    await expect(dialog.getByText(m.paused)).toBeVisible()
    await expect(dialog.getByRole('button', { name: m.goOn })).toBeVisible()

    isSlow = false
    await page.reload()
    const again = await pushing(page, language)
    await expect(again.getByText(m.before(name, 50))).toBeVisible()
    const made = page.waitForResponse(/\/finish$/)
    await again.locator('input[type=file]').setInputFiles(path)
    await expect(again.getByText(`${name} (8 MB)`)).toBeVisible()
    expect(begins).toEqual([0, 4 * MB, 4 * MB])
    expect(await hashOf(page, (await made).request())).toBe(createHash('sha256').update(content).digest('hex'))
  })
}
