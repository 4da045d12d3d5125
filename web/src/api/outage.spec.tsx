import { QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { setLanguage } from '@/i18n/language'
import { connectNotices, type Notice } from './notices'
import { useOutage } from './outage'
import { queryClient, useApiQuery } from './query'

const notices: Notice[] = []
let isThere = false
const json = { headers: { 'content-type': 'application/json' } }
const answered = vi.fn<typeof fetch>(async (address) => {
  if (isThere && address === '/readyz') return new Response('ready')
  if (isThere) return new Response(JSON.stringify({ status: 0, data: { version: '1.2.3' }, success: true }), json)
  return new Response(JSON.stringify({ status: 5003, msg: 'x', data: null, success: false }), { ...json, status: 503 })
})

function Page() {
  const { data } = useApiQuery('about')
  return (
    <p>
      {useOutage() ? 'out' : 'well'} {(data as { version?: string } | undefined)?.version ?? 'nothing'}
    </p>
  )
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', answered)
  connectNotices((notice) => notices.push(notice))
  setLanguage('en')
  notices.length = 0
  queryClient.clear()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const pass = (time: number) => act(() => vi.advanceTimersByTimeAsync(time))

it('waits out a console that stands by, says so calmly, and reads again when one is active', async () => {
  isThere = false
  render(
    <QueryClientProvider client={queryClient}>
      <Page />
    </QueryClientProvider>,
  )
  await pass(1_000)
  expect(screen.getByText('out nothing')).toBeTruthy()
  expect(notices, 'a reader is not told at every try').toEqual([])
  isThere = true
  await pass(8_000)
  expect(screen.getByText('well 1.2.3')).toBeTruthy()
  expect(notices).toEqual([])
})

it('shows nothing of a hiccup', async () => {
  isThere = true
  answered.mockImplementationOnce(async () => new Response('', { status: 502 }))
  render(
    <QueryClientProvider client={queryClient}>
      <Page />
    </QueryClientProvider>,
  )
  for (let time = 0; time < 6_000; time += 100) {
    await pass(100)
    expect(screen.queryByText(/^out/)).toBeNull()
  }
  expect(screen.getByText('well 1.2.3')).toBeTruthy()
})
