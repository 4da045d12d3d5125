import { act, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useEvents } from '@/api/use-events'
import { setLanguage } from '@/i18n/language'
import { show } from '@/testing/render'
import { Freshness } from './page'

let say: (text: string) => void
const encoder = new TextEncoder()
const answered = vi.fn<typeof fetch>()

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 10, 23, 8, 42, 0) })
  vi.stubGlobal('fetch', answered)
  answered.mockReset()
  setLanguage('en')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function Page() {
  useEvents('general', () => undefined)
  return <Freshness at={new Date(2026, 10, 23, 8, 41, 30).getTime()} />
}
const pass = (time: number) => act(() => vi.advanceTimersByTimeAsync(time))
const streamed = () =>
  Promise.resolve(
    new Response(
      new ReadableStream({ start: (controller) => (say = (text) => controller.enqueue(encoder.encode(text))) }),
      {
        headers: { 'content-type': 'text/event-stream' },
      },
    ),
  )

it('says until when figures are true once the server is silent for ten seconds, and goes on when it speaks', async () => {
  answered.mockImplementation(streamed)
  show(<Page />)
  await pass(5_000)
  say(': beat\n\n')
  await pass(9_000)
  expect(screen.getByText('Live · updated 08:41:30')).toBeVisible()
  await pass(3_000)
  expect(screen.getByText('Data until 08:42:05')).toBeVisible()
  say(': beat\n\n')
  await pass(1_100)
  expect(screen.getByText('Live · updated 08:41:30')).toBeVisible()
})

it('says so as well if the server was never heard', async () => {
  answered.mockRejectedValue(new TypeError('Failed to fetch'))
  show(<Page />)
  await pass(9_000)
  expect(screen.getByText('Live · updated 08:41:30')).toBeVisible()
  await pass(3_000)
  expect(screen.getByText('Data until 08:42:00')).toBeVisible()
})

it('says nothing of the kind to those who may not listen', async () => {
  answered.mockResolvedValue(new Response('', { status: 403 }))
  show(<Page />)
  await pass(15_000)
  expect(screen.getByText('Live · updated 08:41:30')).toBeVisible()
})
