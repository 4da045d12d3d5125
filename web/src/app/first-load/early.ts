/*
 * Runs in the page before any module is there: it asks for the chunks of the address and for what its page will ask
 * first, all at once, instead of one after the other as the modules find out about each other.
 * The build puts it into index.html with all that it imports (`web/first-load.ts`), and the server allows it by its hash.
 * It draws nothing; whatever it does not know, the modules ask for themselves.
 */

import { homeOf } from '@/access/guard'
import { load } from '@/access/storage'
import type { Sent } from '@/api/address'
import { type EarlyAnswers, earlyKey } from '@/api/early-answers'
import { readCookie } from '@/i18n/cookie'
import { type EarlyTable, pageAt, routesThen } from './early-page'

/** What the build puts in place of the name. */
interface FirstLoad extends EarlyTable {
  /** Names of files in `/assets/`, without their ending. */
  files: string[]
  /** The frame around the pages, and the sign-in. */
  shell: number[]
  signIn: number[]
}

declare const __FIRST_LOAD__: FirstLoad
const { files, shell, signIn, ...table } = __FIRST_LOAD__

function preload(numbers: readonly number[]) {
  for (const number of new Set(numbers)) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = `/assets/${files[number]}.js`
    document.head.append(link)
  }
}

/** Begins the calls of whoever is signed in, and hands their answers to the client of the modules. */
function ask(calls: readonly Sent[], token: string) {
  const language = readCookie('language') === 'en' ? 'en' : 'zh'
  const answers: EarlyAnswers['answers'] = new Map()
  window.skyrackEarly = { answers, until: performance.now() + 10_000 }
  for (const sent of calls) {
    const { method, address, body } = sent
    const headers: Record<string, string> = { 'Accept-Language': language, Authorization: token }
    if (body) headers['Content-Type'] = 'application/json'
    const answer = fetch(address, { method, headers, credentials: 'same-origin', body: body || null })
    // Whoever takes the answer hears of its failure; if nobody does, nobody needs to.
    answer.catch(() => undefined)
    answers.set(earlyKey({ ...sent, language, token }), answer)
  }
}

function begin({ pathname, search }: Location) {
  const theme = readCookie('theme')
  // Before the first paint; `main.tsx` does the same for those who chose nothing.
  if (theme) document.documentElement.dataset.theme = theme
  const token = load<string>('token')
  if (pathname === '/login' || !token) return preload(signIn)
  // The other pages outside the frame have nothing to ask for.
  if (/^\/(authredirect|401|404)$/.test(pathname)) return
  const place = pathname === '/' ? { pathname: homeOf(routesThen(table)), search: '' } : { pathname, search }
  const page = pageAt(table, place)
  const [uid, groupId] = [load<string>('uid'), load<string>('groupId')]
  const person = [
    ...(uid ? [`/api/v1.0/users/${encodeURIComponent(uid)}/`] : []),
    ...(groupId ? [`/api/user/v1/menus/tree?${new URLSearchParams({ groupId })}`] : []),
  ]
  ask([...page.calls, ...person.map((address) => ({ method: 'GET', address, body: '' }))], token)
  preload([...shell, ...page.chunks])
}

try {
  begin(location)
} catch {
  // A browser may forbid its storage, and somebody may have changed what is in it: the modules begin by themselves.
}
