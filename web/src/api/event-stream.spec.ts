import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { followEvents, type ServerEvent } from './event-stream'

const encoder = new TextEncoder()

/** A stream that says these pieces and then breaks off. */
function stream(...pieces: string[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece))
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const fetched = vi.fn<typeof fetch>()
const headersOf = (call: number) => fetched.mock.calls[call]?.[1]?.headers as Record<string, string>

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', fetched)
  fetched.mockReset()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function follow() {
  const stop = new AbortController()
  const events: ServerEvent[] = []
  const onGap = vi.fn()
  const ended = followEvents('/events', { onEvent: (event) => events.push(event), onGap, signal: stop.signal })
  return { stop, events, onGap, ended }
}

it('takes up a lost stream after the last event that was seen', async () => {
  fetched.mockResolvedValueOnce(stream('id: 41\nevent: changed\ndata: {"id":', '7}\n\n', ': beat\n\n'))
  fetched.mockResolvedValueOnce(stream('id: 42\ndata: plain\n\n'))
  fetched.mockImplementation(() => new Promise(() => {}))
  const { events, stop, onGap } = follow()
  await vi.advanceTimersByTimeAsync(2_000)
  await vi.advanceTimersByTimeAsync(4_000)
  expect(events).toEqual([
    { id: '41', type: 'changed', data: { id: 7 } },
    { id: '42', type: 'message', data: 'plain' },
  ])
  expect(headersOf(0)['Last-Event-ID']).toBeUndefined()
  expect(headersOf(1)['Last-Event-ID']).toBe('41')
  expect(headersOf(2)['Last-Event-ID']).toBe('42')
  expect(onGap).not.toHaveBeenCalled()
  stop.abort()
})

it('tells of a gap when the server cannot go on from there', async () => {
  fetched.mockResolvedValueOnce(stream('event: reset\ndata:\n\n'))
  fetched.mockImplementation(() => new Promise(() => {}))
  const { onGap, events, stop } = follow()
  await vi.advanceTimersByTimeAsync(10)
  expect(onGap).toHaveBeenCalledTimes(1)
  expect(events).toEqual([])
  stop.abort()
})

it('waits longer after each failure', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  fetched.mockRejectedValue(new TypeError('Failed to fetch'))
  const { stop, ended } = follow()
  await vi.advanceTimersByTimeAsync(999)
  expect(fetched).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(2)
  expect(fetched).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(1_990)
  expect(fetched).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(20)
  expect(fetched).toHaveBeenCalledTimes(3)
  stop.abort()
  await ended
})

it('does not ask again after a refusal', async () => {
  fetched.mockResolvedValue(new Response('', { status: 401 }))
  const { ended } = follow()
  await ended
  expect(fetched).toHaveBeenCalledTimes(1)
})
