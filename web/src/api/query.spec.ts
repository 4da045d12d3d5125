import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { refreshQueries } from './query'

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
