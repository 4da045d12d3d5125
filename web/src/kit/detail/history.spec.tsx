import { screen } from '@testing-library/react'
import { http } from 'msw'
import { expect, it, vi } from 'vitest'
import { defineMessages } from '@/i18n/messages'
import { fakeServer, good, show } from '@/testing/render'
import { DetailDrawer } from './detail-drawer'

const server = fakeServer()
const messages = defineMessages({ fields: { name: ['姓名', 'Name'] } })
const query = { data: { id: 7, name: '张三' }, isPending: false, isFetching: false, error: null, refetch: vi.fn() }

function Person() {
  return (
    <DetailDrawer
      messages={messages}
      query={query as never}
      title={() => '张三'}
      name={() => '张三'}
      tabs={() => [{ key: 'profile', label: '资料', content: '内容' }]}
      logged={() => ({ kind: 'clientUser', id: 7 })}
      onClose={() => undefined}
    />
  )
}

it('tells who changed the thing and why, and asks for nothing else', async () => {
  const asked: unknown[] = []
  const line = {
    id: 1,
    at: '2026-11-20T08:00:00Z',
    actionName: '禁用客户端用户',
    reason: '恶意退款',
    message: '2 条',
    operatorName: 'alice',
  }
  server.use(
    http.post('*/api/user/v1/operation/log/list', async ({ request }) => {
      asked.push(await request.json())
      return good({
        list: [
          { ...line, status: 0, statusName: '成功' },
          { ...line, id: 2, status: 4003, statusName: '拒绝：无权限', reason: '', message: '' },
        ],
        total: 2,
      })
    }),
  )
  const { user } = show(<Person />, { rights: ['operationLog:list'] })
  expect(asked).toEqual([])
  await user.click(await screen.findByRole('tab', { name: '变更记录' }))
  expect(await screen.findByText('恶意退款 · 2 条')).toBeInTheDocument()
  expect(screen.getAllByText('alice')).toHaveLength(2)
  expect(screen.getByText('拒绝：无权限')).toBeInTheDocument()
  expect(asked[0]).toMatchObject({ objectKind: 'clientUser', objectId: '7' })
})

it('is not offered to somebody who may not read the log', async () => {
  show(<Person />, { rights: [] })
  expect(await screen.findByRole('tab', { name: '资料' })).toBeInTheDocument()
  expect(screen.queryByRole('tab', { name: '变更记录' })).not.toBeInTheDocument()
})
