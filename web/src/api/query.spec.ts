import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { connectNotices } from './notices'
import { q, queryClient, readAhead, refreshQueries } from './query'

test('a change that comes while the first answer is on its way is seen', async () => {
  const client = new QueryClient()
  const answers: ((value: string) => void)[] = []
  const queryFn = () => new Promise<string>((resolve) => answers.push(resolve))
  const observer = new QueryObserver(client, { queryKey: ['taskGet', {}], queryFn })
  const stop = observer.subscribe(() => {})
  expect(answers).toHaveLength(1)

  void refreshQueries(client, ['taskGet'])
  void refreshQueries(client, ['taskGet'])
  expect(answers, 'it is not cut off').toHaveLength(1)
  answers[0]?.('before the change')
  await expect.poll(() => answers.length, { message: 'and asked for once more' }).toBe(2)
  answers[1]?.('after it')
  await expect.poll(() => observer.getCurrentResult().data).toBe('after it')
  expect(answers).toHaveLength(2)
  stop()
})

afterEach(() => {
  queryClient.clear()
  vi.useRealTimers()
})

/** Fetches that wait until they are answered, in their order. */
function holdFetches() {
  const held: ((answer: Promise<Response>) => void)[] = []
  const fetch = vi.fn((_address: string) => new Promise<Response>((resolve) => held.push(resolve)))
  vi.stubGlobal('fetch', fetch)
  return { fetch, answer: (answer: Promise<Response>) => held.shift()?.(answer) }
}

const json = async (httpStatus: number, body: object) =>
  new Response(JSON.stringify(body), { status: httpStatus, headers: { 'content-type': 'application/json' } })
const refusal = () => json(409, { status: 4009, msg: 'not now', data: null, success: false })
const map = { id: 'fleetMap', parts: {} } as const
const watchMap = (...options: [] | [{ suppressNotice: boolean }]) =>
  new QueryObserver(queryClient, q('fleetMap', {}, ...options)).subscribe(() => {})

test('a read ahead that is refused is told to the page that waits for it, once, and to nobody else', async () => {
  const notices = vi.fn()
  connectNotices(notices)
  const { fetch, answer } = holdFetches()

  const unseen = readAhead(map)
  answer(refusal())
  await unseen
  const spokenOf = readAhead(map)
  const speak = watchMap({ suppressNotice: true })
  answer(refusal())
  await spokenOf
  expect(notices, 'nobody waits, or the page says it itself').not.toHaveBeenCalled()
  speak()

  const seen = readAhead(map)
  const stop = watchMap()
  answer(refusal())
  await seen
  await expect.poll(() => queryClient.isFetching()).toBe(0)
  expect(notices).toHaveBeenCalledOnce()
  expect(fetch, 'the page does not ask again').toHaveBeenCalledTimes(3)
  stop()
})

test('an outage is waited out once', async () => {
  // Files share their modules, and one whose test met an outage still polls for its end, by the real clock.
  vi.resetModules()
  const { q, queryClient, readAhead } = await import('./query')
  vi.useFakeTimers()
  let isOut = true
  const fetch = vi.fn(async (_address: string) => {
    if (isOut) throw new TypeError('no console')
    return json(200, { status: 0, msg: '', data: {}, success: true })
  })
  vi.stubGlobal('fetch', fetch)
  const asked = () => fetch.mock.calls.filter(([address]) => address !== '/readyz').length

  const ahead = readAhead(map)
  const stop = new QueryObserver(queryClient, q('fleetMap', {})).subscribe(() => {})
  await vi.advanceTimersByTimeAsync(60_000)
  await ahead
  expect(asked(), 'the first try and six more').toBe(7)

  isOut = false
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked(), 'the console is back').toBe(8)
  stop()
})

test('who has an older answer does not wait for the next one', async () => {
  const { fetch, answer } = holdFetches()
  queryClient.setQueryData(q('fleetMap', {}).queryKey, {} as never, { updatedAt: 1 })
  await readAhead(map)
  expect(fetch, 'it is on its way').toHaveBeenCalledOnce()
  answer(refusal())
  await expect.poll(() => queryClient.isFetching()).toBe(0)
})
