import { act, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useEvents } from './use-events'

let say: (text: string) => void
const encoder = new TextEncoder()

beforeEach(() => {
  vi.useFakeTimers()
  const body = new ReadableStream({ start: (controller) => (say = (text) => controller.enqueue(encoder.encode(text))) })
  vi.stubGlobal('fetch', () =>
    Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
  )
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const pass = (time: number) => act(() => vi.advanceTimersByTimeAsync(time))

function Part({ onGap }: { onGap: () => void }) {
  useEvents('operation', () => undefined, onGap)
  return null
}

it('lets a part that comes just after something happened read again, and one that comes later not', async () => {
  const gap = { first: vi.fn(), soon: vi.fn(), late: vi.fn() }
  const first = <Part key="first" onGap={gap.first} />
  const soon = <Part key="soon" onGap={gap.soon} />
  const { rerender } = render([first])
  await pass(10)
  say('id: 1\nevent: changed\ndata: {"id":7}\n\n')
  await pass(200)
  rerender([first, soon])
  await pass(10)
  expect([gap.first, gap.soon].map((each) => each.mock.calls.length)).toEqual([0, 1])
  say(': beat\n\n')
  await pass(15_000)
  rerender([first, soon, <Part key="late" onGap={gap.late} />])
  await pass(10)
  expect([gap.first, gap.soon, gap.late].map((each) => each.mock.calls.length)).toEqual([0, 1, 0])
})
