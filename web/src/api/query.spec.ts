import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
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

test('a read ahead that is refused is told to the page that waits for it, and to nobody else', async () => {
  const notices = vi.fn()
  connectNotices(notices)
  const refuse: (() => void)[] = []
  const refusal = () =>
    new Response('{"status":4009,"msg":"not now","data":null,"success":false}', {
      status: 409,
      headers: { 'content-type': 'application/json' },
    })
  const fetch = vi.fn(() => new Promise<Response>((resolve) => refuse.push(() => resolve(refusal()))))
  vi.stubGlobal('fetch', fetch)

  const unseen = readAhead({ id: 'fleetMap', parts: {} })
  refuse[0]?.()
  await unseen
  expect(notices).not.toHaveBeenCalled()

  const seen = readAhead({ id: 'fleetMap', parts: {} })
  const stop = new QueryObserver(queryClient, q('fleetMap', {})).subscribe(() => {})
  refuse[1]?.()
  await seen
  await expect.poll(() => refuse.length, { message: 'the page asks itself' }).toBe(3)
  refuse[2]?.()
  await expect.poll(() => notices.mock.calls.length).toBe(1)
  expect(fetch).toHaveBeenCalledTimes(3)
  stop()
  queryClient.clear()
})
