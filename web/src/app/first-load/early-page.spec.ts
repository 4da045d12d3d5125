import { sources } from 'virtual:screen-sources'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setScreens } from '@/access/screens'
import { currentSession, updateSession } from '@/access/session'
import { earlyKey } from '@/api/early-answers'
import { operations } from '@/api/operations'
import { queryClient } from '@/api/query'
import { connectSession, sessionPort } from '@/api/session-port'
import { currentLanguage } from '@/i18n/language'
import type { ListSource } from '@/kit/list/question'
import { screens } from '../registry'
import { type EarlyTable, pageAt } from './early-page'
import { readFirst } from './prepare'

/** The table as the build makes it (`web/first-load.ts`), but for the files. */
const table: EarlyTable = {
  operations,
  screens: screens.map(({ title: _, load: __, calls, ...screen }) => {
    const { list, detail } = sources[screen.code] ?? {}
    const first = calls?.(new URLSearchParams()) ?? []
    return { ...screen, chunks: [], list, detail: detail && { operation: detail.operation, chunks: [] }, calls: first }
  }),
}

const value = { text: ' 张 三&', choice: '1', id: '7', time: '2026-01-01T08:00:00+08:00' }

/** What a link to a list can ask for. */
function questionOf({ params, sorts }: ListSource): URLSearchParams {
  const question = new URLSearchParams({ page: '2', size: '50' })
  for (const [name, kind] of Object.entries(params)) question.set(name, value[kind])
  if (sorts[0]) question.set('sort', `-${sorts[0]}`)
  return question
}

/** Addresses of the screens: as the menu has them, with filters, and with one thing open or alone. */
const addresses = table.screens.flatMap(({ code, path, list, detail, below }) => [
  [code, path],
  ...(list ? [[`${code} with filters`, `${path}?${questionOf(list)}`]] : []),
  ...(detail ? [[`${code} with one thing`, below ? `${path}/17` : `${path}?detail=17`]] : []),
])

const port = sessionPort()
beforeEach(() => {
  setScreens(screens)
  const menuTree = screens.map(({ code, path }, id) => ({ id, path, name: code, code, children: [] }))
  updateSession({ token: 'secret', roles: ['admin'], menuTree })
  connectSession({ ...port, token: () => currentSession().token })
})
afterEach(() => {
  delete window.skyrackEarly
  connectSession(port)
  queryClient.clear()
})

describe('what is asked before the modules', () => {
  it('is something for every screen but pages of parts, and those that have nothing to ask or ask for each person', () => {
    const silent = table.screens.filter(({ path }) => pageAt(table, { pathname: path, search: '' }).calls.length === 0)
    const known = [
      'cloudPhoneRules',
      'deviceAddress',
      'errorLog',
      'introduction',
      'menus',
      'openApps',
      'permissionTest',
    ]
    expect(silent.map(({ code }) => code).sort()).toEqual(known)
  })

  it.each(addresses)('is what they ask for, to the letter: %s', async (_, address = '') => {
    const asked = vi.fn(async () => Response.json({ status: 0, msg: '', data: {}, success: true }))
    vi.stubGlobal('fetch', asked)
    const place = new URL(address, window.location.href)
    const person = { token: 'secret', language: currentLanguage() }
    const keys = pageAt(table, place).calls.map((sent) => earlyKey({ ...sent, ...person }))
    const answers = new Map(keys.map((key) => [key, asked()]))
    const early = asked.mock.calls.length
    window.skyrackEarly = { answers, until: Number.POSITIVE_INFINITY }
    await readFirst(place, undefined)
    expect([...answers.keys()], 'an answer that nobody takes').toEqual([])
    // The calls of a screen that depend on its query are left to the modules.
    if (place.search === '') expect(asked, 'a call that was not foreseen').toHaveBeenCalledTimes(early)
  })
})
