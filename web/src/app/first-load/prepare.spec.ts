import { beforeEach, describe, expect, it, vi } from 'vitest'
import { screens, tree } from '@/access/fixtures'
import { setScreens } from '@/access/screens'
import { updateSession } from '@/access/session'
import { asks } from '@/api/page-call'
import { queryClient } from '@/api/query'
import { isNewView, prepare, readFirst } from './prepare'

const map = asks('fleetMap', {})
const load = vi.fn(() => Promise.reject(new Error('not loaded in tests')))
const at = (address: string) => new URL(address, window.location.href)

let asked: ReturnType<typeof vi.fn>

beforeEach(() => {
  vi.useFakeTimers()
  setScreens(
    screens.map((screen) => ({ ...screen, load, ...(screen.path === '/dashboard' && { calls: () => [map] }) })),
  )
  updateSession({ token: 'token', roles: ['admin'], menuTree: [...tree] })
  asked = vi.spyOn(queryClient, 'prefetchQuery').mockResolvedValue(undefined) as never
  window.history.replaceState(null, '', '/clientUser')
  document.body.innerHTML =
    '<a href="/dashboard"><b>here</b></a><a href="https://elsewhere.example/dashboard">there</a>'
  return () => vi.useRealTimers()
})

const point = (selector: string, type = 'pointerover') =>
  prepare({ type, target: document.querySelector(selector) as Element })

describe('who points at a link', () => {
  it('has the module at once, and the answers when he stays', async () => {
    point('b')
    await vi.advanceTimersByTimeAsync(0)
    expect(load).toHaveBeenCalled()
    expect(asked).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(60)
    expect(asked).toHaveBeenCalledOnce()
  })

  it('asks for nothing when he goes on', async () => {
    point('b')
    point('body')
    await vi.advanceTimersByTimeAsync(60)
    expect(asked).not.toHaveBeenCalled()
  })

  it('asks at once when he presses', () => {
    point('b', 'pointerdown')
    expect(asked).toHaveBeenCalledOnce()
  })

  it('asks nothing of another site', async () => {
    point('a[href^=https]', 'pointerdown')
    expect(asked).not.toHaveBeenCalled()
  })
})

describe('an address of the page in view', () => {
  it('asks only for what the page has not asked', async () => {
    window.history.replaceState(null, '', '/dashboard')
    await readFirst(at('/dashboard?part=2'))
    expect(asked).not.toHaveBeenCalled()
  })

  it('shows something new where it opens a detail', () => {
    expect(isNewView(at('/clientUser?detail=1'))).toBe(true)
    expect(isNewView(at('/clientUser?page=2'))).toBe(false)
    expect(isNewView(at('/dashboard'))).toBe(true)
    window.history.replaceState(null, '', '/clientUser?detail=1')
    expect(isNewView(at('/clientUser?detail=2'))).toBe(false)
  })
})
