import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiFailure } from '@/api/failure'
import { browserName } from './browser-name'
import { awaitHandover, handOver, readFragment } from './handover'
import { codeAskedBy } from './sign-in'

describe('the browser name', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'
  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0', '火狐浏览器'],
    [`${chrome} Edg/156.0.0.0`, 'Edge浏览器'],
    [chrome, '谷歌浏览器'],
    ['Mozilla/5.0 (Windows NT 10.0; Trident/7.0; rv:11.0) like Gecko', 'IE浏览器'],
    ['curl/8.0', '其他浏览器'],
  ])('%s is %s', (agent, name) => {
    expect(browserName(agent)).toBe(name)
  })
})

describe('the code that a refusal asks for', () => {
  const refused = (code: string, field = 'authCode') =>
    new ApiFailure({ status: 4001, httpStatus: 200, msg: '', errors: [{ field, code, message: '' }] })
  it('is the second factor or the captcha', () => {
    expect(codeAskedBy(refused('totpRequired'))).toBe('totp')
    expect(codeAskedBy(refused('captchaRequired'))).toBe('captcha')
  })
  it('is none for other refusals', () => {
    expect(codeAskedBy(refused('required', 'username'))).toBe('none')
    expect(codeAskedBy(new Error('x'))).toBe('none')
  })
})

describe('the handover of a third-party sign-in', () => {
  afterEach(() => {
    window.opener = null
  })

  it('reads the fragment', () => {
    expect(readFragment('#token=t&id=7&groupId=3')).toEqual({ kind: 'signedIn', token: 't', id: '7', groupId: '3' })
    expect(readFragment('#error=access_denied')).toEqual({ kind: 'failed', error: 'access_denied' })
    expect(readFragment('')).toEqual({ kind: 'failed', error: '' })
  })

  const answer = { kind: 'failed', error: 'x' } as const

  it('goes to the opener on this site only', async () => {
    const postMessage = vi.fn()
    window.opener = { closed: false, postMessage }
    expect(await handOver(answer)).toBe(true)
    expect(postMessage.mock.calls[0]?.[1]).toBe(window.location.origin)
  })

  it('finds the waiting window when the tie to the opener was cut', async () => {
    const heard = vi.fn()
    const stop = awaitHandover(window, heard)
    expect(await handOver(answer)).toBe(true)
    expect(heard).toHaveBeenCalledExactlyOnceWith(answer)
    stop()
  })

  it('fails when nobody waits', async () => {
    expect(await handOver(answer)).toBe(false)
  })

  it('is believed from our popup on our site, and from nobody else', () => {
    const heard = vi.fn()
    const stop = awaitHandover(window, heard)
    const data = { source: 'skyrack-authredirect', answer: { kind: 'failed', error: 'x' } }
    const post = (init: MessageEventInit) => window.dispatchEvent(new MessageEvent('message', init))
    post({ data, origin: 'https://evil.example', source: window })
    post({ data, origin: window.location.origin, source: null })
    post({ data: { answer: {} }, origin: window.location.origin, source: window })
    expect(heard).not.toHaveBeenCalled()
    post({ data, origin: window.location.origin, source: window })
    expect(heard).toHaveBeenCalledExactlyOnceWith({ kind: 'failed', error: 'x' })
    stop()
    post({ data, origin: window.location.origin, source: window })
    expect(heard).toHaveBeenCalledOnce()
  })
})
