/*
 * Runs in the page before any module is there: it asks for the chunks of the address and for what its page will ask
 * first, all at once, instead of one after the other as the modules find out about each other.
 * The build puts it into index.html (`web/first-load.ts`), and the server allows it by its hash. It imports nothing;
 * whatever it does not know, the modules ask for themselves.
 */

import type { EarlyAnswers } from '@/api/early-answers'
import type { RecordedCalls } from './recorded-calls'

/** The chunks of this build, in place of the names of the modules. */
interface Chunks {
  /** Names of files in `/assets/`, without their ending. */
  files: string[]
  /** Numbers of files: the frame around the pages, the sign-in, and each page by its path. */
  shell: number[]
  signIn: number[]
  pages: Record<string, number[]>
}

declare const __CHUNKS__: Chunks

{
  const chunks = __CHUNKS__
  const cookie = (name: string) => new RegExp(`(?:^|; )${name}=([^;]*)`).exec(document.cookie)?.[1]
  // A browser may forbid its storage, and somebody may have changed what is in it.
  const stored = (key: string) => {
    try {
      return JSON.parse(localStorage.getItem(`skyrack:${key}`) ?? '').value
    } catch {
      return undefined
    }
  }
  const preload = (numbers: number[] = []) => {
    for (const number of numbers) {
      const link = document.createElement('link')
      link.rel = 'modulepreload'
      link.href = `/assets/${chunks.files[number]}.js`
      document.head.append(link)
    }
  }

  const theme = cookie('theme')
  // Before the first paint; `main.tsx` does the same for those who chose nothing.
  if (theme) document.documentElement.dataset.theme = theme

  const { pathname, search } = location
  const token = stored('token')
  // Other pages outside the frame have nothing to ask for.
  const isOutside = /^\/(login|authredirect|401|404)$/.test(pathname)
  if (pathname === '/login' || !token) preload(chunks.signIn)
  else if (!isOutside) {
    const language = cookie('language') === 'en' ? 'en' : 'zh'
    const answers: EarlyAnswers['answers'] = new Map()
    window.skyrackEarly = { answers, until: performance.now() + 10_000 }
    const ask = (method: string, address: string, body = '') => {
      const headers: Record<string, string> = { 'Accept-Language': language, Authorization: token }
      if (body) headers['Content-Type'] = 'application/json'
      const answer = fetch(address, { method, headers, credentials: 'same-origin', body: body || null })
      // Whoever takes the answer hears of its failure; if nobody does, nobody needs to.
      answer.catch(() => undefined)
      // `earlyKey` of api/early-answers.ts
      answers.set([method, address, language, token, body].join(' '), answer)
    }
    // Where `/` leads most people; for the others it is a hint that did not help.
    const address = pathname === '/' ? '/clientUser' : pathname + search
    const recorded: RecordedCalls[] = stored('firstCalls') ?? []
    const page = recorded.find((one) => one.address === address)
    for (const { method, address, body, fit } of page?.calls ?? []) {
      // `rowsThatFit` of kit/list/fit.ts: this window may be higher than the one that the call was made in.
      const rows = fit && Math.min(200, Math.max(5, Math.floor((innerHeight - fit.around) / fit.row)))
      const sized = (text = '') => (rows ? text.replace(/(pageSize"?[=:])\d+/, `$1${rows}`) : text)
      ask(method, sized(address), sized(body))
    }
    const [uid, groupId] = [stored('uid'), stored('groupId')]
    if (uid) ask('GET', `/api/v1.0/users/${encodeURIComponent(uid)}/`)
    if (groupId) ask('GET', `/api/user/v1/menus/tree?${new URLSearchParams({ groupId })}`)
    preload(chunks.shell)
    preload(chunks.pages[page?.screen ?? (pathname === '/' ? '/clientUser' : pathname)])
  }
}
