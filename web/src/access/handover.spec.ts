import { afterEach, describe, expect, it, vi } from 'vitest'
import { awaitHandover, handOver, readFragment } from './handover'

describe('the handover of a third-party answer', () => {
  afterEach(() => {
    window.opener = null
  })

  it('reads the fragment', () => {
    expect(readFragment('#token=t&id=7&groupId=3')).toEqual({ kind: 'signedIn', token: 't', id: '7', groupId: '3' })
    expect(readFragment('#linked=corp')).toEqual({ kind: 'linked', provider: 'corp' })
    expect(readFragment('#error=denied')).toEqual({ kind: 'failed', error: 'denied' })
    expect(readFragment('')).toEqual({ kind: 'failed', error: 'failed' })
  })

  it('shows nothing that somebody else has written into the address', () => {
    for (const foreign of ['Call 010-1234 to unlock your account', 'toString', '__proto__', '<b>x</b>']) {
      expect(readFragment(`#error=${encodeURIComponent(foreign)}`)).toEqual({ kind: 'failed', error: 'failed' })
    }
  })

  const answer = { kind: 'failed', error: 'stale' } as const

  it('goes to the opener on this site only', async () => {
    const postMessage = vi.fn()
    window.opener = { closed: false, postMessage }
    expect(await handOver(answer)).toBe(true)
    expect(postMessage.mock.calls[0]?.[1]).toBe(window.location.origin)
  })

  it('finds the waiting window when the tie to the opener was cut', async () => {
    const heard = vi.fn()
    const stop = awaitHandover(window, 'signedIn', heard)
    expect(await handOver(answer)).toBe(true)
    expect(heard).toHaveBeenCalledExactlyOnceWith(answer)
    stop()
  })

  it('of a sign-in is none of the business of a window that links an account', async () => {
    const heard = vi.fn()
    const stop = awaitHandover(window, 'linked', heard)
    expect(await handOver({ kind: 'signedIn', token: 't', id: '7', groupId: '' })).toBe(false)
    expect(await handOver({ kind: 'linked', provider: 'corp' })).toBe(true)
    expect(heard).toHaveBeenCalledExactlyOnceWith({ kind: 'linked', provider: 'corp' })
    stop()
  })

  it('fails when nobody waits', async () => {
    expect(await handOver(answer)).toBe(false)
  })

  it('is believed from our popup on our site, and from nobody else', () => {
    const heard = vi.fn()
    const stop = awaitHandover(window, 'signedIn', heard)
    const data = { source: 'skyrack-authredirect', answer: { kind: 'failed', error: 'stale' } }
    const post = (init: MessageEventInit) => window.dispatchEvent(new MessageEvent('message', init))
    post({ data, origin: 'https://evil.example', source: window })
    post({ data, origin: window.location.origin, source: null })
    post({ data: { answer: {} }, origin: window.location.origin, source: window })
    expect(heard).not.toHaveBeenCalled()
    post({ data, origin: window.location.origin, source: window })
    expect(heard).toHaveBeenCalledExactlyOnceWith({ kind: 'failed', error: 'stale' })
    stop()
    post({ data, origin: window.location.origin, source: window })
    expect(heard).toHaveBeenCalledOnce()
  })
})
