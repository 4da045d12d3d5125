import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import { Form } from '@/ui/form'
import ActFields from './act-fields'
import type { ActName } from './acts'

const server = fakeServer()

/** The question about an act on one phone, that so many use. */
function ask(name: ActName, usersHit = 0, rights = ['admin']) {
  const found = { total: 1, willRun: 1, usersHit, leftOut: [], hasMore: false, needsApproval: false }
  server.use(http.post('*/api/phone/v1/phones/preview', () => good(found)))
  return show(
    <Form>
      <ActFields name={name} selection={{ ids: [1] }} />
      <button type="submit">send</button>
    </Form>,
    { rights },
  )
}

const required = /必填|请输入|不能为空/

it('whoever takes a phone off is told that somebody uses it, and says why if it is to be at once', async () => {
  const { user } = ask('takeOff', 1)
  expect(await screen.findByText(/1 位正在使用的客户端用户/)).toBeVisible()
  await user.click(screen.getByText('send'))
  expect(screen.queryByText(required)).toBeNull()
  await user.click(screen.getByRole('switch'))
  await user.click(screen.getByText('send'))
  expect(await screen.findByText(required)).toBeVisible()
})

it('whoever releases a phone says why', async () => {
  const { user } = ask('release')
  await screen.findByLabelText('原因')
  await user.click(screen.getByText('send'))
  expect(await screen.findByText(required)).toBeVisible()
})

it.each([
  ['may accept', 'phone:acceptCopy', 1],
  ['may not accept', 'phone:takeOff', 0],
])('who %s that a phone has far less than it had is asked about that, or not', async (_, right, asked) => {
  ask('goOn', 0, ['phone:retry', right])
  expect(await screen.findByText('send')).toBeVisible()
  expect(screen.queryAllByRole('switch')).toHaveLength(asked)
})
