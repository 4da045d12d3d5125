import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setLanguage } from '@/i18n/language'
import { request } from './client'
import { earlyKey } from './early-answers'
import { ApiFailure } from './failure'
import { connectNotices, type Notice } from './notices'
import { connectSession, type SessionPort } from './session-port'

const notices: Notice[] = []
const session = {
  token: vi.fn<() => string | undefined>(),
  ended: vi.fn(),
  openLicence: vi.fn(),
  changePassword: vi.fn(),
  proveAgain: vi.fn<SessionPort['proveAgain']>(),
}
const answer = (body: BodyInit | null, init: ResponseInit = {}) => {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response(body, init))
  vi.stubGlobal('fetch', fetch)
  return fetch
}
const json = (body: unknown, status = 200) =>
  answer(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

beforeEach(() => {
  notices.length = 0
  connectNotices((notice) => notices.push(notice))
  connectSession(session)
  session.token.mockReturnValue('secret')
  for (const part of [session.ended, session.openLicence, session.changePassword, session.proveAgain]) part.mockReset()
  setLanguage('zh')
})
afterEach(() => vi.unstubAllGlobals())

describe('request', () => {
  it('carries the token and the language, and fills path and query', async () => {
    const fetch = json({ status: 0, data: 1 })
    await request('GET', '/api/x/{id}', {
      path: { id: 'a b' },
      query: { q: '名', empty: '', none: undefined, many: [1, 2] },
    })
    const [address, init] = fetch.mock.calls[0] ?? []
    expect(address).toBe('/api/x/a%20b?q=%E5%90%8D&many=1&many=2')
    expect(init?.headers).toMatchObject({ Authorization: 'secret', 'Accept-Language': 'zh' })
  })

  it('sends no Authorization when nobody is signed in', async () => {
    session.token.mockReturnValue(undefined)
    const fetch = json({ status: 0 })
    await request('GET', '/api/x')
    expect(fetch.mock.calls[0]?.[1]?.headers).not.toHaveProperty('Authorization')
  })

  it('gives the data and the success flag', async () => {
    json({ status: 0, data: { a: 1 }, success: true })
    expect(await request('GET', '/api/x')).toMatchObject({ data: { a: 1 }, success: true })
  })

  it('shows every failure as a warning titled 失败, and throws it', async () => {
    json({ status: 4009, msg: '名称已被占用', data: null, success: false }, 409)
    await expect(request('POST', '/api/x')).rejects.toMatchObject({
      status: 4009,
      httpStatus: 409,
      msg: '名称已被占用',
    })
    expect(notices).toEqual([{ tone: 'warn', title: '失败', text: '名称已被占用' }])
  })

  it('shows nothing when asked not to', async () => {
    json({ status: 1, msg: 'x' })
    await expect(request('GET', '/api/x', {}, { suppressNotice: true })).rejects.toBeInstanceOf(ApiFailure)
    expect(notices).toEqual([])
  })

  it('ends the session on 6013, 6014 and HTTP 401, 402, 403', async () => {
    for (const [body, status] of [
      [{ status: 6013 }, 200],
      [{ status: 6014 }, 200],
      [{}, 401],
      [{}, 402],
      [{}, 403],
    ] as const) {
      json(body, status)
      await expect(request('GET', '/api/x')).rejects.toBeInstanceOf(ApiFailure)
    }
    expect(session.ended).toHaveBeenCalledTimes(5)
  })

  it('does not end a session that has replaced the one the answer speaks of', async () => {
    json({ status: 6013 })
    session.token.mockReturnValueOnce('old').mockReturnValue('new')
    await expect(request('GET', '/api/x')).rejects.toBeInstanceOf(ApiFailure)
    expect(session.ended).not.toHaveBeenCalled()
  })

  it('goes to the licence page on 3, and forces the password dialog on 4010', async () => {
    json({ status: 3 })
    await expect(request('GET', '/api/x')).rejects.toBeInstanceOf(ApiFailure)
    expect(session.openLicence).toHaveBeenCalledOnce()
    json({ status: 4010 })
    await expect(request('GET', '/api/x')).rejects.toBeInstanceOf(ApiFailure)
    expect(session.changePassword).toHaveBeenCalledOnce()
  })

  describe('a call that takes a fresh proof (4011)', () => {
    const refusal = { status: 4011, msg: '请确认身份', errors: [{ field: 'password', code: 'required', message: 'x' }] }
    const answers = (...bodies: object[]) => {
      const fetch = vi.fn<typeof globalThis.fetch>(async () => {
        const body = bodies.length > 1 ? bodies.shift() : bodies[0]
        return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
      })
      vi.stubGlobal('fetch', fetch)
      return fetch
    }

    it('asks for it and sends the same once more', async () => {
      const fetch = answers(refusal, { status: 0, data: 7 })
      session.proveAgain.mockResolvedValue(true)
      expect(await request('POST', '/api/x', { body: { a: 1 } })).toMatchObject({ data: 7 })
      expect(session.proveAgain).toHaveBeenCalledExactlyOnceWith({ withCode: false })
      expect(fetch.mock.calls[1]).toEqual(fetch.mock.calls[0])
      expect(notices).toEqual([])
    })

    it('fails quietly when the person would not, and asks no second time when the proof does not help', async () => {
      const withCode = {
        ...refusal,
        errors: [...refusal.errors, { field: 'code', code: 'totpRequired', message: 'y' }],
      }
      const fetch = answers(withCode)
      session.proveAgain.mockResolvedValueOnce(false)
      await expect(request('POST', '/api/x')).rejects.toMatchObject({ status: 4011, msg: '请确认身份' })
      expect(session.proveAgain).toHaveBeenCalledExactlyOnceWith({ withCode: true })
      expect(fetch).toHaveBeenCalledOnce()
      session.proveAgain.mockResolvedValueOnce(true)
      await expect(request('POST', '/api/x')).rejects.toMatchObject({ status: 4011 })
      expect(fetch).toHaveBeenCalledTimes(3)
      expect(notices).toEqual([])
    })
  })

  it('rethrows failures without an answer unchanged', async () => {
    const lost = new TypeError('Failed to fetch')
    vi.stubGlobal('fetch', () => Promise.reject(lost))
    await expect(request('GET', '/api/x')).rejects.toBe(lost)
    expect(notices).toEqual([])
  })

  it('makes a file of an answer that is not JSON', async () => {
    answer('PK', {
      headers: {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="user.xlsx"; filename*=UTF-8''%E7%94%A8%E6%88%B7%E4%BF%A1%E6%81%AF.xlsx`,
      },
    })
    const { file } = await request('GET', '/api/x')
    expect(file?.name).toBe('用户信息.xlsx')
    expect(await file?.blob.text()).toBe('PK')
  })

  it('takes a JSON answer to a file request for an answer: status 1 carries its msg', async () => {
    json({ status: 1, msg: '没有可导出的记录' })
    await expect(request('POST', '/api/export', {}, { suppressNotice: true })).rejects.toMatchObject({
      status: 1,
      msg: '没有可导出的记录',
    })
  })
})

describe('an answer that the page has asked for early', () => {
  const early = (answer: Promise<Response>, until = performance.now() + 1000) => {
    answer.catch(() => undefined)
    const key = earlyKey({ method: 'POST', address: '/api/x', language: 'zh', token: 'secret', body: '{"a":1}' })
    window.skyrackEarly = { answers: new Map([[key, answer]]), until }
  }
  const good = () =>
    Promise.resolve(new Response('{"status":0,"data":"early"}', { headers: { 'content-type': 'application/json' } }))
  const ask = () => request('post', '/api/x', { body: { a: 1 } })
  afterEach(() => {
    delete window.skyrackEarly
  })

  it('is taken instead of another, once', async () => {
    const fetch = json({ status: 0, data: 'asked' })
    early(good())
    expect((await ask()).data).toBe('early')
    expect(fetch).not.toHaveBeenCalled()
    expect((await ask()).data).toBe('asked')
  })

  it('is none for another person, language or body, nor when it is old', async () => {
    json({ status: 0, data: 'asked' })
    early(good())
    expect((await request('post', '/api/x', { body: { a: 2 } })).data).toBe('asked')
    session.token.mockReturnValue('another')
    expect((await ask()).data).toBe('asked')
    session.token.mockReturnValue('secret')
    setLanguage('en')
    expect((await ask()).data).toBe('asked')
    setLanguage('zh')
    early(good(), performance.now() - 1)
    expect((await ask()).data).toBe('asked')
  })

  it('is asked for again when it was lost on its way', async () => {
    json({ status: 0, data: 'asked' })
    early(Promise.reject(new TypeError('no network')))
    expect((await ask()).data).toBe('asked')
  })

  it('is judged as any other: a refusal ends the session', async () => {
    early(Promise.resolve(new Response('{"status":4001,"msg":"gone"}', { status: 401 })))
    await expect(ask()).rejects.toBeInstanceOf(ApiFailure)
    expect(session.ended).toHaveBeenCalled()
  })
})
