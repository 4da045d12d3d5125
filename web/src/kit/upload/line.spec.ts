import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { pause, watched } from './line'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('waits longer from try to try, and half a minute at most', async () => {
  const over = vi.fn()
  for (const [tries, seconds] of [
    [1, 1],
    [2, 2],
    [5, 16],
    [6, 30],
    [20, 30],
  ] as const) {
    over.mockReset()
    void pause(tries, new AbortController().signal).then(over)
    await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1)
    expect(over).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(over).toHaveBeenCalledOnce()
  }
})

it('waits no longer once the line is back, or it is paused', async () => {
  const control = new AbortController()
  const back = pause(20, control.signal)
  window.dispatchEvent(new Event('online'))
  await back
  const paused = pause(20, control.signal)
  control.abort()
  await expect(paused).rejects.toMatchObject({ name: 'AbortError' })
  await expect(pause(20, control.signal)).rejects.toMatchObject({ name: 'AbortError' })
})

it('ends a request of which nothing is heard, and no other', () => {
  const control = new AbortController()
  const quiet = watched(control.signal)
  const lively = watched(control.signal)
  vi.advanceTimersByTime(40_000)
  lively.heard()
  vi.advanceTimersByTime(40_000)
  expect([quiet.signal.aborted, lively.signal.aborted]).toEqual([true, false])
  lively.end()
  vi.advanceTimersByTime(60_000)
  expect(lively.signal.aborted).toBe(false)
})

it('ends with what it belongs to, also if that ended before', () => {
  const control = new AbortController()
  const during = watched(control.signal)
  control.abort()
  expect([during, watched(control.signal)].map(({ signal }) => signal.aborted)).toEqual([true, true])
})
