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
  load.mockClear()
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

const point = (selector: string, type = 'pointerover', key?: string) =>
  prepare({ type, target: document.querySelector(selector) as Element, ...(key && { key }) })

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

  it('is whoever comes to it by the keyboard, and not a drawer that gives the focus back', async () => {
    point('a', 'keyup', 'Escape')
    point('a', 'keyup', 'Enter')
    await vi.advanceTimersByTimeAsync(60)
    expect(load).not.toHaveBeenCalled()
    expect(asked).not.toHaveBeenCalled()
    point('a', 'keyup', 'Tab')
    await vi.advanceTimersByTimeAsync(60)
    expect(asked).toHaveBeenCalledOnce()
  })

  it('asks nothing of another site', async () => {
    point('a[href^=https]', 'pointerdown')
    expect(asked).not.toHaveBeenCalled()
  })
})

describe('an address that is gone to', () => {
  it('asks only for what the page in view has not asked, wherever the browser says it is', async () => {
    await readFirst(at('/dashboard?part=2'), at('/dashboard'))
    expect(asked).not.toHaveBeenCalled()
    // As it is when a page is loaded, and when somebody goes back.
    window.history.replaceState(null, '', '/dashboard')
    await readFirst(at('/dashboard'), undefined)
    expect(asked).toHaveBeenCalledOnce()
    await readFirst(at('/dashboard'), at('/clientUser'))
    expect(asked).toHaveBeenCalledTimes(2)
  })

  it('shows something new where it opens a detail', () => {
    const list = at('/clientUser')
    expect(isNewView(at('/clientUser?detail=1'), list)).toBe(true)
    expect(isNewView(at('/clientUser?page=2'), list)).toBe(false)
    expect(isNewView(at('/dashboard'), list)).toBe(true)
    expect(isNewView(at('/clientUser?detail=2'), at('/clientUser?detail=1'))).toBe(false)
  })

  it('is gone to, whatever its calls make of it', async () => {
    setScreens(screens.map((screen) => ({ ...screen, load, calls: () => JSON.parse('no JSON') })))
    updateSession({ menuTree: [...tree] })
    await readFirst(at('/dashboard'), undefined)
    expect(asked).not.toHaveBeenCalled()
  })
})
