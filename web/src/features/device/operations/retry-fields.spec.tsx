import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import { Form } from '@/ui/form'
import { taskStep } from './choices'
import RetryFields from './retry-fields'

const server = fakeServer()
const approval = /较大/
const surely = '数量较大，需要另一位操作员批准后才会重试'

/** One reason: so many tasks never reached their card, so many may have run. */
const reason = (code: string, neverBegan: number, unknown: number) => ({
  state: taskStep.value.failed,
  code,
  words: code,
  count: neverBegan + unknown,
  neverBegan,
  proved: 0,
  unknown,
})

/** The questions about a retry of an operation that is too large for one operator, if all of it is retried. */
function ask(reasons: ReturnType<typeof reason>[], code?: string) {
  const failed = reasons.reduce((all, { count }) => all + count, 0)
  const operation = { failed, expired: 0, reasons, retryNeedsApproval: true }
  server.use(http.get('*/operations/1', () => good(operation)))
  return show(
    <Form>
      <RetryFields id={1} code={code} />
    </Form>,
  )
}

it('a retry of all that failed needs the approval that the server says', async () => {
  ask([reason('offline', 1_500, 0)])
  expect(await screen.findByText(approval)).toHaveTextContent(surely)
})

it('a part of it needs one perhaps: one reason, or without what may have run', async () => {
  const { user } = ask([reason('offline', 600, 900)])
  expect(await screen.findByText(approval)).not.toHaveTextContent(surely)
  await user.click(screen.getByRole('switch'))
  expect(screen.getByText(approval)).toHaveTextContent(surely)
})

it('so does one reason of several', async () => {
  ask([reason('offline', 1_500, 0), reason('timeout', 20, 0)], 'timeout')
  expect(await screen.findByText(approval)).not.toHaveTextContent(surely)
})

it('where nothing is retried nothing needs approval', async () => {
  ask([reason('offline', 0, 1_500)])
  await screen.findByRole('switch')
  expect(screen.queryByText(approval)).toBeNull()
})
