import { screen, within } from '@testing-library/react'
import { http } from 'msw'
import { expect, it } from 'vitest'
import { fakeServer, good, show } from '@/testing/render'
import Detail from './detail'

const server = fakeServer()

const change = { object: '', field: 'status', label: '状态', before: '正常', after: '已禁用', differs: true }
const line = {
  id: 7,
  at: '2026-11-20T08:00:00Z',
  action: 'client_user_set_status',
  actionName: '禁用客户端用户',
  operatorName: 'alice',
  ip: '10.0.0.1',
  objectKind: 'clientUser',
  objectKindName: '客户端用户',
  objectId: '',
  objectName: '张三, 李四',
  status: 0,
  statusName: '成功',
  reason: '恶意退款',
  message: '2 条',
  requestId: 'r',
  hash: 'h',
}

function answer(changes: (typeof change)[]) {
  server.use(http.get('*/api/user/v1/operation/log/7', () => good({ ...line, changes })))
}

it('says in words what became of each of several objects, why, and how it ended', async () => {
  answer([
    { ...change, object: '张三' },
    { ...change, object: '李四' },
  ])
  const { user } = show(<Detail id={7} onClose={() => undefined} />)
  expect(await screen.findByText('恶意退款')).toBeInTheDocument()
  expect(screen.getByText('成功')).toBeInTheDocument()
  await user.click(screen.getByRole('tab', { name: '变更内容' }))
  const row = (await screen.findByText('李四')).closest('tr') as HTMLElement
  expect(within(row).getByText('正常').tagName).toBe('DEL')
  expect(within(row).getByText('已禁用').tagName).toBe('INS')
  expect(within(row).getByText('状态')).toBeInTheDocument()
})

it('puts what changed first, folds away what stayed, and shows moments as moments', async () => {
  answer([
    { ...change, field: 'until', label: '维护至', before: '', after: '2026-11-21T08:00:00Z' },
    { ...change, field: 'name', label: '姓名', before: '张三', after: '张三', differs: false },
  ])
  const { user } = show(<Detail id={7} onClose={() => undefined} />)
  await user.click(await screen.findByRole('tab', { name: '变更内容' }))
  expect(await screen.findByText('（无）')).toBeInTheDocument()
  expect(screen.getByText(/^2026-11-21 \d\d:00:00$/)).toBeInTheDocument()
  expect(screen.getByText('未变的 1 项')).toBeInTheDocument()
  expect(screen.getByText('姓名').closest('details')).not.toHaveAttribute('open')
})
